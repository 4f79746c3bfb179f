import { stableJson } from "../lib/json/stable-json.ts";
import type { HeldFilter, KeptHeldCall, PlanRecord, Remembered } from "../model/calls/held-call.ts";
import type { Json, JsonObject } from "../model/json.ts";
import {
  type SharedStep,
  type SharedValues,
  type StateLine,
  type StateRow,
  type StateStore,
  type StateTable,
  type Store,
  stateTables,
} from "../model/store.ts";
import { behindHeld, heldOrders, parseApiKey, parseRecord, parseRevised } from "./rows.ts";
import { createCallTable } from "./sqlite/calls.ts";
import { createCatalogueTables, createPinTable } from "./sqlite/catalogue.ts";
import {
  type Condition,
  type Connection,
  createConnection,
  didChange,
  type Prepare,
  where,
} from "./sqlite/connection.ts";
import { createDeadLetterTable } from "./sqlite/dead-letters.ts";
import { createDueWork, createJobStore } from "./sqlite/jobs.ts";
import { openDatabase } from "./sqlite/open-database.ts";
import { createJournalTables, createResultTable } from "./sqlite/records.ts";

/** Columns with another name in an export. */
const names: Record<string, string> = { user: "user_name", body: "record", event: "record" };
const flags = new Set(["ok", "is_open", "is_compressed"]);

/** The `body` of a result is its content, not its record. */
const nameOf = (table: StateTable, column: string) =>
  table === "results" && column === "body" ? "body" : (names[column] ?? column);

const tables = Object.keys(stateTables) as StateTable[];

function createStateStore({ read, readLong, writeLong }: Connection): StateStore {
  return {
    countRows: (table) => read((prepare) => count(prepare, table)),
    stateColumns: (table) => read((prepare) => columnsOf(prepare, table).flatMap(({ exportedAs }) => exportedAs ?? [])),
    readAll: () => readLong(selectAll),
    writeAll: (open) => writeLong((prepare) => writeAll(prepare, open())),
  };
}

function* selectAll(prepare: Prepare): Iterable<StateLine> {
  for (const table of tables)
    for (const row of prepare(`SELECT * FROM ${table} ORDER BY ${stateTables[table].order}`).iterate())
      yield { table, row: toStateRow(table, row) };
}

async function writeAll(prepare: Prepare, lines: AsyncIterable<StateLine>): Promise<StateTable | null> {
  const taken = tables.find((table) => count(prepare, table) > 0);
  if (taken !== undefined) return taken;
  const inserts = new Map<string, (row: StateRow) => void>();
  for await (const { table, row } of lines) {
    // Columns that an older export lacks get their default.
    const shape = [table, ...Object.keys(row)].join(" ");
    const insert = inserts.get(shape) ?? createInsert(prepare, table, row);
    inserts.set(shape, insert);
    insert(row);
  }
  return null;
}

function count(prepare: Prepare, table: StateTable): number {
  return Number(prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count);
}

type Column = {
  name: string;
  isBytes: boolean;
  /** Null for a column that is not exported, because it is counted anew. */
  exportedAs: string | null;
};

function columnsOf(prepare: Prepare, table: StateTable): Column[] {
  return prepare(`SELECT name, type FROM pragma_table_info('${table}')`)
    .all()
    .map(({ name, type }) => ({
      name: String(name),
      isBytes: type === "BLOB",
      exportedAs: table === "samples" && name === "number" ? null : nameOf(table, String(name)),
    }));
}

function toStateRow(table: StateTable, row: Record<string, unknown>): StateRow {
  const pairs = Object.entries(row).flatMap(([column, value]): [string, Json][] => {
    if (table === "samples" && column === "number") return [];
    if (value instanceof Uint8Array) return [[nameOf(table, column), Buffer.from(value).toString("base64")]];
    return [[nameOf(table, column), flags.has(column) ? value === 1 : (value as Json)]];
  });
  return Object.fromEntries(pairs.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Inserts rows with the same columns as this one. */
function createInsert(prepare: Prepare, table: StateTable, like: StateRow): (row: StateRow) => void {
  const columns = columnsOf(prepare, table).filter(
    ({ exportedAs }) => exportedAs === null || Object.hasOwn(like, exportedAs),
  );
  const places = columns.map(() => "?").join(", ");
  const quoted = columns.map(({ name }) => `"${name}"`).join(", ");
  const insert = prepare(`INSERT INTO ${table} (${quoted}) VALUES (${places})`);
  return (row) => {
    insert.run(
      ...columns.map(({ exportedAs, isBytes }) => {
        if (exportedAs === null) return nextNumber(prepare, String(row.subject));
        const value = row[exportedAs] ?? null;
        if (isBytes) return Buffer.from(String(value), "base64");
        return typeof value === "boolean" ? Number(value) : (value as string | number | null);
      }),
    );
  };
}

function nextNumber(prepare: Prepare, subject: string): number {
  const row = prepare("SELECT coalesce(max(number), 0) + 1 AS next FROM samples WHERE subject = ?").get(subject);
  return Number(row?.next);
}

const apiKeys = "SELECT record, last_used_at, revoked_at FROM api_keys";

/** API keys by the hash of their secret, and secrets that are encrypted before they get here. */
function createCredentialTables({ read, write }: Connection) {
  return {
    addApiKey: ({ lastUsedAt, revokedAt, ...record }, hash) =>
      write((prepare) => {
        const sql = "INSERT INTO api_keys (id, hash, record, last_used_at, revoked_at) VALUES (?, ?, ?, ?, ?)";
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
        const sql = "UPDATE api_keys SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)";
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
    deleteSecret: (key) => write((prepare) => didChange(prepare("DELETE FROM secrets WHERE key = ?").run(key))),
    secrets: (prefix) =>
      read((prepare) =>
        prepare("SELECT key FROM secrets WHERE substr(key, 1, length(?)) = ? ORDER BY key")
          .all(prefix, prefix)
          .map((row) => String(row.key)),
      ),
  } satisfies Partial<Store>;
}

/** The embedded store: one file, or `":memory:"`, which ends with the process. */
export async function openSqliteStore(file: string): Promise<Store> {
  const connection = createConnection(await openDatabase(file), file);
  return {
    ...createJournalTables(connection),
    ...createCallTable(connection),
    ...createResultTable(connection),
    ...createHeldCallTable(connection),
    ...createPlanTable(connection),
    ...createCredentialTables(connection),
    ...createCatalogueTables(connection),
    ...createPinTable(connection),
    ...createDeadLetterTable(connection),
    ...createJobStore(connection),
    dueWork: async () => createDueWork(connection),
    ...createSharedValues(connection),
    ...createStateStore(connection),
    ...onOneMachine,
    close: connection.close,
  };
}

/** A file is always reachable, sends no notifications and has one writer at a time. */
const onOneMachine: Pick<Store, "trouble" | "onTrouble" | "watch" | "alone"> = {
  trouble: () => null,
  onTrouble: () => () => undefined,
  watch: () => () => undefined,
  async alone(_task, work) {
    await work();
    return true;
  },
};

function createSharedValues({ read, write }: Connection): SharedValues {
  return {
    sharedValue: (key) => read((prepare) => selectShared(prepare, key, Date.now())),
    changeShared: (key, keptMs, step) => write((prepare) => changeShared(prepare, key, keptMs, step)),
    sharedKeys: (keys) =>
      read((prepare) =>
        prepare(
          "SELECT key FROM shared_values WHERE key IN (SELECT value FROM json_each(?)) AND until > ? ORDER BY key",
        )
          .all(JSON.stringify(keys), Date.now())
          .map((row) => String(row.key)),
      ),
    forgetShared: () =>
      write((prepare) => Number(prepare("DELETE FROM shared_values WHERE until <= ?").run(Date.now()).changes)),
  };
}

function selectShared(prepare: Prepare, key: string, now: number): JsonObject | null {
  const sql = "SELECT value AS record FROM shared_values WHERE key = ? AND until > ?";
  const row = prepare(sql).get(key, now);
  return row ? parseRecord<JsonObject>(row) : null;
}

function changeShared<T>(prepare: Prepare, key: string, keptMs: number, step: SharedStep<T>): T {
  const now = Date.now();
  const { value, answer } = step(selectShared(prepare, key, now), now);
  if (value === null) prepare("DELETE FROM shared_values WHERE key = ?").run(key);
  else
    prepare(
      "INSERT INTO shared_values (key, until, value) VALUES (?, ?, ?) " +
        "ON CONFLICT (key) DO UPDATE SET until = excluded.until, value = excluded.value",
    ).run(key, Math.ceil(now + keptMs), JSON.stringify(value));
  return answer;
}

/** Calls that wait for approval. */
function createHeldCallTable({ read, write }: Connection) {
  return {
    addHeldCall: (held) => write((prepare) => insertHeldCall(prepare, held)),
    heldCall: (id) =>
      read((prepare) => {
        const row = prepare("SELECT record, revision FROM held_calls WHERE id = ?").get(id);
        return row ? parseRevised<KeptHeldCall>(row) : null;
      }),
    heldCalls: (filter = {}, part) =>
      read((prepare) => {
        const { order = "oldest", limit = -1, after = null } = part ?? {};
        const { sql, values } = where(...conditionsOf(filter), [behindHeld(order, after), after?.id]);
        return prepare(`SELECT record, revision FROM held_calls ${sql} ORDER BY ${heldOrders[order]} LIMIT ?`)
          .all(...values, limit)
          .map(parseRevised<KeptHeldCall>);
      }),
    countHeldCalls: (filter) =>
      read((prepare) => {
        const { sql, values } = where(...conditionsOf(filter));
        return Number(prepare(`SELECT count(*) AS count FROM held_calls ${sql}`).get(...values)?.count);
      }),
    // Optimistic: of several answers to one call the first wins.
    replaceHeldCall: (held) =>
      write((prepare) => {
        const sql =
          "UPDATE held_calls SET status = ?, record = ?, revision = revision + 1 WHERE id = ? AND revision = ?";
        return didChange(prepare(sql).run(held.status, JSON.stringify(held), held.id, held.revision));
      }),
  } satisfies Partial<Store>;
}

/** Change plans, and answers that hold for more than one call. */
function createPlanTable({ read, write }: Connection) {
  return {
    addChange: (held, plan) => write((prepare) => insertChange(prepare, held, plan)),
    plans: () =>
      read((prepare) =>
        prepare("SELECT record FROM plans ORDER BY sequence DESC")
          .all()
          .map(parseRecord<PlanRecord>),
      ),
    closePlan: (id) => write((prepare) => void prepare("UPDATE plans SET is_open = 0 WHERE id = ?").run(id)),
    addRemembered: (remembered) =>
      write((prepare) => {
        const insert = prepare("INSERT INTO remembered (id, user, record) VALUES (?, ?, ?)");
        insert.run(remembered.id, remembered.user, JSON.stringify(remembered));
      }),
    remembered: (user) =>
      read((prepare) =>
        prepare("SELECT record FROM remembered WHERE user IS ?")
          .all(user)
          .map(parseRecord<Remembered>),
      ),
    forgetRemembered: (id, user) =>
      write((prepare) => didChange(prepare("DELETE FROM remembered WHERE id = ? AND user IS ?").run(id, user))),
  } satisfies Partial<Store>;
}

function insertHeldCall(prepare: Prepare, held: KeptHeldCall): void {
  const { id, plan, principal, status, revision } = held;
  prepare("INSERT INTO held_calls (id, plan, user, status, revision, record) VALUES (?, ?, ?, ?, ?, ?)").run(
    ...[id, plan, principal.user, status, revision, JSON.stringify(held)],
  );
}

/** Adds the change to the open plan of its owner, or to this new one. */
function insertChange(prepare: Prepare, held: KeptHeldCall, plan: PlanRecord): string {
  const owner = stableJson([plan.user, plan.conversation]);
  const insert = "INSERT INTO plans (id, owner, is_open, record) VALUES (?, ?, 1, ?) ON CONFLICT DO NOTHING";
  prepare(insert).run(plan.id, owner, JSON.stringify(plan));
  const row = prepare("SELECT id FROM plans WHERE owner = ? AND is_open = 1").get(owner);
  const id = String(row?.id);
  insertHeldCall(prepare, { ...held, plan: id });
  return id;
}

function conditionsOf({ status, plan, user, shownTo }: HeldFilter): Condition[] {
  return [
    ["status = ?", status],
    ["plan IS ?", plan],
    ["user IS ?", user],
    ["(user IS NULL OR user IS ?)", shownTo],
  ];
}
