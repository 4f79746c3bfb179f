import type { Store } from "../../model/store.ts";
import { parseApiKey } from "../rows.ts";
import type { Connection } from "./connection.ts";

const apiKeys = "SELECT record, last_used_at, revoked_at FROM api_keys";

/** API keys by the hash of their secret, and secrets that are encrypted before they get here. */
export function createCredentialTables({ read, write }: Connection) {
  const changed = { notify: { what: "keys" } } as const;
  return {
    addApiKey: ({ lastUsedAt, revokedAt, ...record }, hash) =>
      write(async (query) => {
        const sql =
          "INSERT INTO api_keys (id, hash, record, last_used_at, revoked_at) VALUES ($1, $2, $3, $4, $5)";
        await query(sql, [record.id, hash, JSON.stringify(record), lastUsedAt, revokedAt]);
      }, changed),
    apiKeyByHash: (hash) =>
      read(async (query) => {
        const { rows } = await query(`${apiKeys} WHERE hash = $1`, [hash]);
        return rows[0] ? parseApiKey(rows[0]) : null;
      }),
    apiKeys: () => read(async (query) => (await query(`${apiKeys} ORDER BY sequence`)).rows.map(parseApiKey)),
    hasApiKeys: () => read(async (query) => (await query("SELECT 1 FROM api_keys LIMIT 1")).count > 0),
    revokeApiKey: (id, at) =>
      write(async (query) => {
        const sql = "UPDATE api_keys SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL";
        return (await query(sql, [at, id])).count === 1;
      }, changed),
    deleteApiKey: (id) =>
      write(async (query) => (await query("DELETE FROM api_keys WHERE id = $1", [id])).count === 1, changed),
    touchApiKey: (id, at) =>
      write(async (query) => {
        const sql =
          "UPDATE api_keys SET last_used_at = $1 WHERE id = $2 AND (last_used_at IS NULL OR last_used_at < $1)";
        await query(sql, [at, id]);
      }),
    secret: (key) =>
      read(async (query) => {
        const { rows } = await query("SELECT value FROM secrets WHERE key = $1", [key]);
        return rows[0] ? (rows[0].value as Uint8Array) : null;
      }),
    putSecret: (key, value) =>
      write(async (query) => {
        const sql =
          "INSERT INTO secrets (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
        await query(sql, [key, value]);
      }),
    deleteSecret: (key) =>
      write(async (query) => (await query("DELETE FROM secrets WHERE key = $1", [key])).count === 1),
    secrets: (prefix) =>
      read(async (query) => {
        const sql = "SELECT key FROM secrets WHERE starts_with(key, $1) ORDER BY key";
        return (await query(sql, [prefix])).rows.map(({ key }) => String(key));
      }),
  } satisfies Partial<Store>;
}
