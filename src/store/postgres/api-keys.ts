import type { ApiKey } from "../../model/api-key.ts";
import { parseRecord, type Query, type Row, textOrNull } from "./query.ts";

const columns = "SELECT record, last_used_at, revoked_at FROM api_keys";

export async function insertApiKey(query: Query, key: ApiKey, hash: string): Promise<void> {
  const { lastUsedAt, revokedAt, ...record } = key;
  await query(
    "INSERT INTO api_keys (id, hash, record, last_used_at, revoked_at) VALUES ($1, $2, $3, $4, $5)",
    [key.id, hash, JSON.stringify(record), lastUsedAt, revokedAt],
  );
}

export async function selectApiKeyByHash(query: Query, hash: string): Promise<ApiKey | null> {
  const { rows } = await query(`${columns} WHERE hash = $1`, [hash]);
  return rows[0] ? parseApiKey(rows[0]) : null;
}

export async function selectApiKeys(query: Query): Promise<ApiKey[]> {
  const { rows } = await query(`${columns} ORDER BY sequence`);
  return rows.map(parseApiKey);
}

export async function selectHasApiKeys(query: Query): Promise<boolean> {
  return (await query("SELECT 1 FROM api_keys LIMIT 1")).count > 0;
}

export async function updateApiKeyRevoked(query: Query, id: string, at: string): Promise<boolean> {
  const sql = "UPDATE api_keys SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL";
  return (await query(sql, [at, id])).count === 1;
}

export async function deleteApiKey(query: Query, id: string): Promise<boolean> {
  return (await query("DELETE FROM api_keys WHERE id = $1", [id])).count === 1;
}

export async function updateApiKeyUsed(query: Query, id: string, at: string): Promise<void> {
  await query(
    "UPDATE api_keys SET last_used_at = $1 WHERE id = $2 AND (last_used_at IS NULL OR last_used_at < $1)",
    [at, id],
  );
}

/** The key stays as it was created; what happened to it since stands beside it. */
function parseApiKey(row: Row): ApiKey {
  const record = parseRecord<Omit<ApiKey, "lastUsedAt" | "revokedAt">>(row);
  return { ...record, lastUsedAt: textOrNull(row.last_used_at), revokedAt: textOrNull(row.revoked_at) };
}
