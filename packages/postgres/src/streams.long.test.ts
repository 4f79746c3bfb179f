import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import { parseStoreAddress } from "@toolplane/core/model/config/settings";
import type { Store } from "@toolplane/core/model/store";
import { callEntry, callRecord, eventEntry } from "@toolplane/test/contracts/records";
import { type RunningPostgres, startPostgres } from "@toolplane/test/fixtures/postgres";
import { makeRoot, proveCall, verifyRoots } from "@toolplane/test/samples/core";
import pg from "pg";
import { openPostgresStore } from "./postgres.ts";

let server: RunningPostgres;
before(async () => {
  server = await startPostgres();
});
after(() => server[Symbol.asyncDispose]());

async function openFor(context: TestContext, schema: string): Promise<Store> {
  const address = parseStoreAddress(server.address(schema));
  assert.ok("kind" in address && address.kind === "postgres");
  const store = await openPostgresStore(address);
  context.after(() => store.close());
  return store;
}

const young = () => new Date().toISOString();
const streamsIn = async (schema: string) =>
  (await server.run(`SELECT DISTINCT stream FROM ${schema}.calls ORDER BY 1`)).map(({ stream }) =>
    Number(stream),
  );

test("planes that run at once write a stream each, and one that was closed is used again", async (context) => {
  const left = await openFor(context, "each");
  const right = await openFor(context, "each");
  await left.append([callEntry("l1")]);
  await right.append([callEntry("r1")]);
  await left.append([callEntry("l2")]);
  assert.deepEqual(await streamsIn("each"), [1, 2]);
  await left.close();
  const third = await openFor(context, "each");
  await third.append([callEntry("t1")]);
  assert.deepEqual(await streamsIn("each"), [1, 2]);
  const { ok, calls, streams } = await right.verifyCalls();
  assert.deepEqual([ok, calls, streams], [true, 4, 2]);
  assert.deepEqual(
    (await right.calls()).map(({ id }) => id),
    ["t1", "l2", "r1", "l1"],
  );
});

test("a plane that stood still finds its stream with another, and goes on with a new one", async (context) => {
  const still = await openFor(context, "still");
  await still.append([callEntry("one")]);
  await server.run("UPDATE still.streams SET used_at = now() - interval '1 hour' WHERE id = 1");
  const other = await openFor(context, "still");
  await other.append([callEntry("two")]);
  await still.append([callEntry("three")]);
  await other.append([callEntry("four")]);
  assert.deepEqual(await streamsIn("still"), [1, 2]);
  const { ok, calls } = await still.verifyCalls();
  assert.deepEqual([ok, calls], [true, 4]);
});

test("who reads on from a number misses no event of several planes", async (context) => {
  const stores = await Promise.all([1, 2, 3].map(() => openFor(context, "missed")));
  const [reader] = stores as [Store, Store, Store];
  let isWriting = true;
  const seen: number[] = [];
  const reading = (async () => {
    for (let last = false; !last; ) {
      last = !isWriting;
      seen.push(...(await reader.events(seen.at(-1) ?? 0)).map(({ id }) => id));
    }
  })();
  await Promise.all(
    stores.map(async (store, lane) => {
      for (let at = 0; at < 40; at += 1)
        await store.append([
          eventEntry(`${lane}-${at}`),
          { ...callEntry(`${lane} ${at}`), events: 2 } as never,
        ]);
    }),
  );
  isWriting = false;
  await reading;
  assert.deepEqual([seen.length, new Set(seen).size], [3 * 40 * 3, 3 * 40 * 3]);
  assert.deepEqual(
    seen,
    seen.toSorted((one, other) => one - other),
  );
});

test("a stream that vanished, a tail that is missing and a changed record are found", async (context) => {
  const left = await openFor(context, "gone");
  const right = await openFor(context, "gone");
  await left.append(["a", "b"].map((id) => callEntry(id, { at: young() })));
  await right.append(["c", "d"].map((id) => callEntry(id, { at: young() })));
  const kept = JSON.stringify(await makeRoot(left));
  assert.equal((await proveCall(right, "c")).chain, "calls/2");
  assert.deepEqual((await verifyRoots(left, { root: kept })).missing, []);
  const tamper = (sql: string) =>
    server.run(
      `SET session_replication_role = replica; SET search_path = gone; BEGIN; ${sql}; COMMIT`,
    );
  const missing = async () =>
    (await verifyRoots(left, { root: kept })).missing.map(({ chain }) => chain);

  await tamper("CREATE TABLE copy AS SELECT * FROM calls; DELETE FROM calls WHERE id = 'b'");
  assert.equal((await left.verifyCalls()).ok, true, "the chain alone does not tell");
  assert.deepEqual(await missing(), ["calls/1"]);
  await tamper("DELETE FROM calls; INSERT INTO calls SELECT * FROM copy WHERE stream = 1");
  assert.deepEqual(await missing(), ["calls/2"]);
  await tamper("DELETE FROM streams WHERE id = 2; DELETE FROM roots");
  assert.deepEqual(await missing(), ["calls/2"], "by what was kept, whatever the database says");
  await tamper(
    "DELETE FROM calls; INSERT INTO calls SELECT * FROM copy; UPDATE calls SET tool = 'x' WHERE id = 'c'",
  );
  assert.equal((await left.verifyCalls()).broken?.id, "c");
});

test("streams that were swapped, a copy from before and a removal that calls itself old are found", async (context) => {
  const left = await openFor(context, "swapped");
  const right = await openFor(context, "swapped");
  const tamper = (sql: string) =>
    server.run(
      `SET session_replication_role = replica; SET search_path = swapped; BEGIN; ${sql}; COMMIT`,
    );
  await left.append(["a", "b"].map((id) => callEntry(id, { at: young() })));
  await right.append(["c", "d"].map((id) => callEntry(id, { at: young() })));
  await makeRoot(left);
  const tables = ["calls", "streams", "roots"];
  await tamper(
    tables.map((table) => `CREATE TABLE early_${table} AS SELECT * FROM ${table}`).join(";"),
  );
  await left.append(["e", "f"].map((id) => callEntry(id, { at: young() })));
  await right.append(["g"].map((id) => callEntry(id, { at: young() })));
  const kept = JSON.stringify(await makeRoot(right));
  const check = () => verifyRoots(left, { root: kept });
  const missing = async () => (await check()).missing.map(({ chain }) => chain);
  assert.equal((await check()).ok, true);

  const swap = "UPDATE calls SET stream = 3 - stream";
  await tamper(swap);
  assert.equal((await left.verifyCalls()).ok, true, "each chain alone is whole");
  assert.deepEqual(await missing(), ["calls/1", "calls/2"]);
  await tamper(swap);
  assert.equal((await check()).ok, true);

  const checkpoint = "sequence, hash, '2026-01-01T00:00:00.000Z', 3, stream";
  const last = "SELECT max(sequence) FROM calls WHERE stream = 1";
  await tamper(`CREATE TABLE late AS SELECT * FROM calls;
    INSERT INTO call_checkpoints (sequence, hash, at, removed, stream) SELECT ${checkpoint} FROM calls WHERE sequence = (${last});
    DELETE FROM calls WHERE stream = 1`);
  const forged = await left.verifyCalls({ keepDays: 90 });
  assert.match(String(forged.broken?.reason), /every record was removed/);
  await tamper(
    "DELETE FROM call_checkpoints; DELETE FROM calls; INSERT INTO calls SELECT * FROM late",
  );
  assert.equal((await left.verifyCalls({ keepDays: 90 })).ok, true);

  await tamper(
    tables
      .map((table) => `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM early_${table}`)
      .join(";"),
  );
  assert.deepEqual(
    [(await left.verifyCalls()).ok, (await verifyRoots(left)).ok],
    [true, true],
    "a copy knows nothing",
  );
  const { rootFound } = await check();
  assert.deepEqual([rootFound, await missing()], [false, ["calls/1", "calls/2"]]);
});

/** As if the days of the past had been written then. */
async function onDay(schema: string, ago: number, work: () => Promise<unknown>): Promise<void> {
  const day = (days: number) =>
    server.run(
      `CREATE OR REPLACE FUNCTION ${schema}.day_base() RETURNS bigint LANGUAGE sql VOLATILE AS
       $$ SELECT (floor(extract(epoch FROM clock_timestamp()) / 86400)::bigint - ${days}) << 38; $$`,
    );
  await day(ago);
  await server.run(`SELECT ${schema}.make_days(0)`);
  await work();
  await day(0);
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

test("days go as a whole, their last calls stay and prove their age, and the chains hold", async (context) => {
  const left = await openFor(context, "dropped");
  const right = await openFor(context, "dropped");
  for (const ago of [101, 100, 2])
    await onDay("dropped", ago, async () => {
      for (const [side, store] of [
        ["l", left],
        ["r", right],
      ] as const) {
        const entries = [1, 2, 3].map((at) =>
          callEntry(`${side}${ago}-${at}`, { at: daysAgo(ago) }),
        );
        // A stream of a day that is over is not that of a plane that stands still.
        await store.append([...entries, eventEntry(`${side}${ago}`)]);
      }
    });
  await left.append([callEntry("l0", { at: young() })]);
  const held = (await left.holdings()).find(({ kind }) => kind === "calls");
  assert.equal(held?.count, 19);
  const before = `${daysAgo(90).slice(0, 10)}T00:00:00.000Z`;
  const removed: number[] = [];
  await makeRoot(left);
  do {
    removed.push(await left.forgetCalls(before));
    // Also where the plane ends here: removal goes on an hour later.
    const { broken, ...rest } = await right.verifyCalls({ keepDays: 90 });
    assert.deepEqual([broken, rest.ok, (await verifyRoots(right)).missing], [null, true, []]);
  } while (removed.at(-1) !== 0);
  const events = await left.forgetEvents(before);
  const parts = await server.run(
    "SELECT relname FROM pg_class WHERE relnamespace = 'dropped'::regnamespace AND relispartition AND relname ~ '^(calls|events)_[0-9]{8}$'",
  );
  const old = parts.filter(
    ({ relname }) => String(relname).slice(-8) < before.slice(0, 10).replaceAll("-", ""),
  );
  assert.deepEqual(
    [removed.reduce((sum, count) => sum + count), events > 0, old.length],
    [10, true, 1],
  );
  const left100 = (await right.calls()).map(({ id }) => id).filter((id) => /^.10/.test(id));
  assert.deepEqual(left100.toSorted(), ["l100-3", "r100-3"]);
  const { ok, calls, broken } = await right.verifyCalls({ keepDays: 90 });
  assert.deepEqual([ok, calls, broken], [true, 9, null]);
  assert.equal((await right.verifyCalls({ keepDays: 1_000 })).ok, false);
  assert.equal((await left.holdings()).find(({ kind }) => kind === "calls")?.count, 9);
});

test("a day is set apart at once; its space is given back later, also where a plane was killed in between", async (context) => {
  const store = await openFor(context, "apart");
  await onDay("apart", 3, () => store.append([callEntry("a"), callEntry("b"), eventEntry("a")]));
  await store.append([callEntry("c")]);
  const tables = async () =>
    (
      await server.run(
        "SELECT tablename FROM pg_tables WHERE schemaname = 'apart' AND tablename ~ '[0-9]{8}$'",
      )
    ).map(({ tablename }) => String(tablename).replace(/[0-9]{8}$/, ""));
  const all = (await tables()).length;
  const today = Math.floor(Date.now() / 86_400_000);
  // The statement of a plane that is killed then.
  await server.run(`SELECT apart.drop_day('calls', ${today})`);
  assert.deepEqual(
    (await tables()).filter((name) => name.startsWith("removed")),
    ["removed_calls_"],
  );
  assert.deepEqual(
    (await store.calls()).map(({ id }) => id),
    ["c", "b"],
  );
  const before = new Date(today * 86_400_000).toISOString();
  assert.equal(await store.forgetEvents(before), 1, "the day is gone, its table not yet");
  assert.deepEqual((await tables()).filter((name) => name.startsWith("removed")).toSorted(), [
    "removed_calls_",
    "removed_events_",
  ]);
  assert.equal(await store.forgetEvents(before), 0);
  assert.deepEqual(
    [(await tables()).filter((name) => name.startsWith("removed")), (await tables()).length],
    [[], all - 2],
  );
  assert.equal((await store.verifyCalls({ keepDays: 1 })).ok, true);
});

test("who lists the last calls asks the tables of the last days only, and reads on into the others", async (context) => {
  const store = await openFor(context, "last");
  for (const ago of [9, 3])
    await onDay("last", ago, () => store.append([callEntry(`${ago}a`), callEntry(`${ago}b`)]));
  await store.append([callEntry("c"), callEntry("d")]);
  const idsOf = async (filter: Parameters<Store["calls"]>[0]) =>
    (await store.calls(filter)).map(({ id }) => id);
  assert.deepEqual(await idsOf({ limit: 9 }), ["d", "c", "3b", "3a", "9b", "9a"]);
  assert.deepEqual(await idsOf({ limit: 3, user: "ada" }), ["d", "c", "3b"]);
  assert.deepEqual(await idsOf({ limit: 2, before: "3b" }), ["3a", "9b"]);
  assert.deepEqual(await idsOf({ limit: 2, before: "none" }), []);
  const day = daysAgo(9).slice(0, 10).replaceAll("-", "");
  const other = new pg.Client(server.address("last").replace(/\?.*/, ""));
  await other.connect();
  context.after(() => other.end());
  await other.query(`BEGIN; LOCK TABLE last.calls_${day} IN ACCESS EXCLUSIVE MODE`);
  assert.deepEqual(await idsOf({ limit: 2 }), ["d", "c"]);
  await other.query("COMMIT");
});

test("no one waits long where a reader keeps a day from being removed, which is done the next time", async (context) => {
  const store = await openFor(context, "read");
  await onDay("read", 3, () => store.append([callEntry("a"), callEntry("b")]));
  await store.append([callEntry("c")]);
  const before = `${young().slice(0, 10)}T00:00:00.000Z`;
  const reader = new pg.Client(server.address("read").replace(/\?.*/, ""));
  await reader.connect();
  context.after(() => reader.end());
  await reader.query("BEGIN; SELECT count(*) FROM read.calls");
  const forgetting = assert.rejects(store.forgetCalls(before), { code: "STORE_FAILED" });
  await store.append([callEntry("d")]);
  await forgetting;
  assert.deepEqual(
    (await store.calls()).map(({ id }) => id),
    ["d", "c", "b", "a"],
  );
  await reader.query("COMMIT");
  assert.equal(await store.forgetCalls(before), 1);
});

test("a plane of 0.2 may add many calls at once, takes one lock for them, and is stream 0", async (context) => {
  const store = await openFor(context, "older");
  await store.append([callEntry("new")]);
  const rows = Array.from({ length: 2_000 }, (_, at) => ({
    sequence: at + 1,
    ...{
      id: `old-${at}`,
      at: young(),
      tool: "github_search_issues",
      status: "succeeded",
      hash: "",
      events: 2,
    },
    ...{ server: "github", user_name: "ada", run: null, conversation: null },
  })).map((row) => ({ ...row, record: JSON.stringify({ ...callRecord(row.id), at: row.at }) }));
  const names = Object.keys(rows[0] ?? {}).join(", ");
  const json = JSON.stringify(rows).replaceAll("'", "''");
  const found = await server.run(
    `SET search_path = older; BEGIN;
     INSERT INTO calls (${names}) OVERRIDING SYSTEM VALUE SELECT ${names} FROM json_populate_recordset(NULL::calls, '${json}');
     CREATE TABLE held AS SELECT count(*) AS locks FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();
     COMMIT`,
  );
  assert.deepEqual(found, []);
  assert.deepEqual(await server.run("SELECT locks::int FROM older.held"), [{ locks: 1 }]);
  const { ok, calls, streams } = await store.verifyCalls();
  assert.deepEqual([ok, calls, streams], [true, 2_001, 2]);
});
