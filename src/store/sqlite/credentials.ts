import type { Store } from "../../model/store.ts";
import { parseApiKey } from "../rows.ts";
import { type Connection, didChange } from "./connection.ts";

const apiKeys = "SELECT record, last_used_at, revoked_at FROM api_keys";

/** API keys by the hash of their secret, and secrets that are encrypted before they get here. */
export function createCredentialTables({ read, write }: Connection) {
  return {
    addApiKey: ({ lastUsedAt, revokedAt, ...record }, hash) =>
      write((prepare) => {
        const sql =
          "INSERT INTO api_keys (id, hash, record, last_used_at, revoked_at) VALUES (?, ?, ?, ?, ?)";
        prepare(sql).run(record.id, hash, JSON.stringify(record), lastUsedAt, revokedAt);
      }),
    apiKeyByHash: (hash) =>
      read((prepare) => {
        const row = prepare(`${apiKeys} WHERE hash = ?`).get(hash);
        return row ? parseApiKey(row) : null;
      }),
    apiKeys: () => read((prepare) => prepare(`${apiKeys} ORDER BY sequence`).all().map(parseApiKey)),
    hasApiKeys: () => read((prepare) => prepare("SELECT 1 FROM api_keys LIMIT 1").get() !== undefined),
    revokeApiKey: (id, at) =>
      write((prepare) => {
        const sql = "UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL";
        return didChange(prepare(sql).run(at, id));
      }),
    deleteApiKey: (id) => write((prepare) => didChange(prepare("DELETE FROM api_keys WHERE id = ?").run(id))),
    touchApiKey: (id, at) =>
      write((prepare) => {
        const sql =
          "UPDATE api_keys SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)";
        prepare(sql).run(at, id, at);
      }),
    secret: (key) =>
      read((prepare) => {
        const row = prepare("SELECT value FROM secrets WHERE key = ?").get(key);
        return row ? (row.value as Uint8Array) : null;
      }),
    putSecret: (key, value) =>
      write((prepare) => {
        const sql =
          "INSERT INTO secrets (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
        prepare(sql).run(key, value);
      }),
    deleteSecret: (key) =>
      write((prepare) => didChange(prepare("DELETE FROM secrets WHERE key = ?").run(key))),
    secrets: (prefix) =>
      read((prepare) =>
        prepare("SELECT key FROM secrets WHERE substr(key, 1, length(?)) = ? ORDER BY key")
          .all(prefix, prefix)
          .map((row) => String(row.key)),
      ),
  } satisfies Partial<Store>;
}
