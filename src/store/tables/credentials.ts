import type { ApiKey } from "../../model/access/credentials-schema.ts";
import type { JsonObject } from "../../model/json.ts";
import type { SharedStep, SharedValues, Store } from "../../model/store.ts";
import {
  beginsWith,
  change,
  changeOne,
  type Database,
  insert,
  parseRecord,
  query,
  type Row,
  select,
  selectFirst,
  selectRows,
  textOrNull,
  type Work,
} from "./database.ts";

const apiKeys = "SELECT record, last_used_at, revoked_at FROM api_keys";

/** API keys by the hash of their secret, and secrets that are encrypted before they get here. */
export function createCredentialTables({ read, write }: Database) {
  const changed = { notify: { what: "keys" } } as const;
  const secretsChanged = { notify: { what: "secrets" } } as const;
  return {
    addApiKey: async ({ lastUsedAt, revokedAt, ...record }, hash) => {
      const columns = { id: record.id, hash, last_used_at: lastUsedAt, revoked_at: revokedAt };
      await write(
        () => insert("api_keys", { ...columns, record: JSON.stringify(record) }),
        changed,
      );
    },
    apiKeyByHash: (hash) =>
      read(() => selectFirst(parseApiKey, `${apiKeys} WHERE hash = ?`, [hash])),
    apiKeys: () => read(() => selectRows(parseApiKey, `${apiKeys} ORDER BY sequence`)),
    hasApiKeys: async () =>
      (await read(() => query("SELECT 1 FROM api_keys LIMIT 1"))).rows.length > 0,
    revokeApiKey: (id, at) =>
      write(
        () =>
          changeOne("UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", [
            at,
            id,
          ]),
        changed,
      ),
    deleteApiKey: (id) =>
      write(() => changeOne("DELETE FROM api_keys WHERE id = ?", [id]), changed),
    touchApiKey: async (id, at) => {
      const sql =
        "UPDATE api_keys SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)";
      await write(() => query(sql, [at, id, at]), { survives: "process" });
    },
    secret: (key) =>
      read(() =>
        selectFirst(({ value }) => value as Uint8Array, "SELECT value FROM secrets WHERE key = ?", [
          key,
        ]),
      ),
    putSecret: async (key, value) => {
      const onConflict = "ON CONFLICT (key) DO UPDATE SET value = excluded.value";
      await write(() => insert("secrets", { key, value }, onConflict), secretsChanged);
    },
    deleteSecret: (key) =>
      write(() => changeOne("DELETE FROM secrets WHERE key = ?", [key]), secretsChanged),
    secrets: (prefix) =>
      read(() => select(keyOf, "key", "secrets", [[beginsWith("key"), prefix]], { order: "key" })),
  } satisfies Partial<Store>;
}

function parseApiKey(row: Row): ApiKey {
  const record = parseRecord<Omit<ApiKey, "lastUsedAt" | "revokedAt">>(row);
  return {
    ...record,
    lastUsedAt: textOrNull(row.last_used_at),
    revokedAt: textOrNull(row.revoked_at),
  };
}

/** Short-lived values that all planes on one store share. */
export function createSharedValues(database: Database): SharedValues {
  const { read, write, now, isOneOf } = database;
  // They last for a moment, and calls wait for them.
  const survives = "process" as const;
  return {
    sharedValue: async (key) => (await read(() => selectShared(database, key))).value,
    sharedMoment: (key) => read(() => selectShared(database, key)),
    changeShared: (key, keptMs, step, { tells = false, isSealed = false } = {}) =>
      write(
        () => changeShared(database, key, keptMs, { step, isSealed }),
        tells ? { notify: { what: "shared", key }, survives } : { survives },
      ),
    sharedKeys: (keys) => {
      const sql = `SELECT key FROM shared_values WHERE ${isOneOf("key")} AND until > ${now.sql} ORDER BY key`;
      return read(() => selectRows(keyOf, sql, [keys, ...now.values()]));
    },
    forgetShared: () =>
      write(() => change(`DELETE FROM shared_values WHERE until <= ${now.sql}`, now.values()), {
        survives,
      }),
  };
}

function* selectShared(
  { now, sealer }: Database,
  key: string,
): Work<{ value: JsonObject | null; now: number }> {
  const sql = `SELECT ${now.sql} AS now, (SELECT value FROM shared_values WHERE key = ? AND until > ${now.sql}) AS value`;
  const [row] = (yield* query(sql, [...now.values(), key, ...now.values()])).rows;
  const text = textOrNull(row?.value);
  const value = text === null ? null : openShared(sealer, key, text);
  return { value, now: Number(row?.now) };
}

type SharedChange<T> = { step: SharedStep<T>; isSealed: boolean };

function* changeShared<T>(
  database: Database,
  key: string,
  keptMs: number,
  { step, isSealed }: SharedChange<T>,
): Work<T> {
  yield* database.lockValue(key);
  const shared = yield* selectShared(database, key);
  const { value, answer } = step(shared.value, shared.now);
  if (value === null) yield* query("DELETE FROM shared_values WHERE key = ?", [key]);
  else {
    const stored = storedForm(value, key, isSealed ? database.sealer : null);
    yield* insert(
      "shared_values",
      { key, until: Math.ceil(shared.now + keptMs), value: JSON.stringify(stored) },
      "ON CONFLICT (key) DO UPDATE SET until = excluded.until, value = excluded.value",
    );
  }
  return answer;
}

const sealedField = "toolplane/sealed";
const nameOfShared = (key: string) => `shared/${key}`;

function storedForm(value: JsonObject, key: string, sealer: Database["sealer"]): JsonObject {
  if (sealer === null) return value;
  return { [sealedField]: sealer.seal(nameOfShared(key), JSON.stringify(value)) };
}

/** Null where it was sealed with another key, as if it had ended. */
function openShared(sealer: Database["sealer"], key: string, text: string): JsonObject | null {
  const stored = JSON.parse(text) as JsonObject;
  const sealed = stored[sealedField];
  if (typeof sealed !== "string") return stored;
  const plain = sealer?.open(nameOfShared(key), sealed) ?? "null";
  return JSON.parse(plain) as JsonObject | null;
}

function keyOf({ key }: Row): string {
  return String(key);
}
