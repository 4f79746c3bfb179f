import type { Prepare } from "./connection.ts";

export function selectSecret(prepare: Prepare, key: string): Uint8Array | null {
  const row = prepare("SELECT value FROM secrets WHERE key = ?").get(key);
  return row ? (row.value as Uint8Array) : null;
}

export function upsertSecret(prepare: Prepare, key: string, value: Uint8Array): void {
  prepare(
    "INSERT INTO secrets (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
  ).run(key, value);
}

export function deleteSecret(prepare: Prepare, key: string): boolean {
  return Number(prepare("DELETE FROM secrets WHERE key = ?").run(key).changes) === 1;
}

export function selectSecretKeys(prepare: Prepare, prefix: string): string[] {
  return prepare("SELECT key FROM secrets WHERE substr(key, 1, length(?)) = ? ORDER BY key")
    .all(prefix, prefix)
    .map((row) => String(row.key));
}
