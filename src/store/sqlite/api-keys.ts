import type { ApiKey } from "../../model/api-key.ts";
import type { Prepare } from "./connection.ts";

const columns = "SELECT record, last_used_at, revoked_at FROM api_keys";

export function insertApiKey(prepare: Prepare, key: ApiKey, hash: string): void {
  const { lastUsedAt, revokedAt, ...record } = key;
  prepare("INSERT INTO api_keys (id, hash, record, last_used_at, revoked_at) VALUES (?, ?, ?, ?, ?)").run(
    key.id,
    hash,
    JSON.stringify(record),
    lastUsedAt,
    revokedAt,
  );
}

export function selectApiKeyByHash(prepare: Prepare, hash: string): ApiKey | null {
  const row = prepare(`${columns} WHERE hash = ?`).get(hash);
  return row ? parseApiKey(row) : null;
}

export function selectApiKeys(prepare: Prepare): ApiKey[] {
  return prepare(`${columns} ORDER BY sequence`).all().map(parseApiKey);
}

export function selectHasApiKeys(prepare: Prepare): boolean {
  return prepare("SELECT 1 FROM api_keys LIMIT 1").get() !== undefined;
}

export function updateApiKeyRevoked(prepare: Prepare, id: string, at: string): boolean {
  const { changes } = prepare("UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL").run(
    at,
    id,
  );
  return Number(changes) === 1;
}

export function deleteApiKey(prepare: Prepare, id: string): boolean {
  return Number(prepare("DELETE FROM api_keys WHERE id = ?").run(id).changes) === 1;
}

export function updateApiKeyUsed(prepare: Prepare, id: string, at: string): void {
  prepare(
    "UPDATE api_keys SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)",
  ).run(at, id, at);
}

/** The key stays as it was created; what happened to it since stands beside it. */
function parseApiKey(row: { [column: string]: unknown }): ApiKey {
  const record = JSON.parse(String(row.record)) as Omit<ApiKey, "lastUsedAt" | "revokedAt">;
  const textOrNull = (value: unknown) => (value === null ? null : String(value));
  return { ...record, lastUsedAt: textOrNull(row.last_used_at), revokedAt: textOrNull(row.revoked_at) };
}
