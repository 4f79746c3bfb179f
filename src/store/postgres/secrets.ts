import type { Query } from "./query.ts";

export async function selectSecret(query: Query, key: string): Promise<Uint8Array | null> {
  const { rows } = await query("SELECT value FROM secrets WHERE key = $1", [key]);
  return rows[0] ? (rows[0].value as Uint8Array) : null;
}

export async function upsertSecret(query: Query, key: string, value: Uint8Array): Promise<void> {
  await query(
    "INSERT INTO secrets (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    [key, value],
  );
}

export async function deleteSecret(query: Query, key: string): Promise<boolean> {
  return (await query("DELETE FROM secrets WHERE key = $1", [key])).count === 1;
}

export async function selectSecretKeys(query: Query, prefix: string): Promise<string[]> {
  const { rows } = await query("SELECT key FROM secrets WHERE starts_with(key, $1) ORDER BY key", [prefix]);
  return rows.map(({ key }) => String(key));
}
