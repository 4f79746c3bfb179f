import type { JsonObject } from "../../model/json.ts";
import type { SharedStep } from "../../model/shared-values.ts";
import type { Prepare } from "./connection.ts";

export function selectShared(prepare: Prepare, key: string, now: number): JsonObject | null {
  const row = prepare("SELECT value FROM shared_values WHERE key = ? AND until > ?").get(key, now);
  return row ? (JSON.parse(String(row.value)) as JsonObject) : null;
}

export function changeShared<T>(
  prepare: Prepare,
  key: string,
  keptMs: number,
  step: SharedStep<T>,
  now: number,
): T {
  const before = selectShared(prepare, key, now);
  const { value, answer } = step(before, now);
  if (value === null) prepare("DELETE FROM shared_values WHERE key = ?").run(key);
  else
    prepare(
      "INSERT INTO shared_values (key, until, value) VALUES (?, ?, ?) " +
        "ON CONFLICT (key) DO UPDATE SET until = excluded.until, value = excluded.value",
    ).run(key, Math.ceil(now + keptMs), JSON.stringify(value));
  return answer;
}

export function selectSharedKeys(prepare: Prepare, keys: readonly string[], now: number): string[] {
  return prepare(
    "SELECT key FROM shared_values WHERE key IN (SELECT value FROM json_each(?)) AND until > ? ORDER BY key",
  )
    .all(JSON.stringify(keys), now)
    .map((row) => String(row.key));
}

export function deleteEndedShared(prepare: Prepare, now: number): number {
  return Number(prepare("DELETE FROM shared_values WHERE until <= ?").run(now).changes);
}
