import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import { parseStoreAddress } from "../../../src/model/config/settings.ts";
import type { Store } from "../../../src/model/store.ts";
import { makeRoot } from "../../../src/store/roots/make-root.ts";
import { proveCall } from "../../../src/store/roots/prove-call.ts";
import { verifyRoots } from "../../../src/store/roots/verify-roots.ts";
import { callEntry, callRecord, eventEntry } from "../../../test/contracts/records.ts";
import { type RunningPostgres, startPostgres } from "../../../test/fixtures/postgres.ts";
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
  (await server.run(`SELECT DISTINCT stream FROM ${schema}.calls ORDER BY 1`)).map(({ stream }) => Number(stream));

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
        await store.append([eventEntry(`${lane}-${at}`), { ...callEntry(`${lane} ${at}`), events: 2 } as never]);
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
    server.run(`SET session_replication_role = replica; SET search_path = gone; BEGIN; ${sql}; COMMIT`);
  const missing = async () => (await verifyRoots(left, { root: kept })).missing.map(({ chain }) => chain);

  await tamper("CREATE TABLE copy AS SELECT * FROM calls; DELETE FROM calls WHERE id = 'b'");
  assert.equal((await left.verifyCalls()).ok, true, "the chain alone does not tell");
  assert.deepEqual(await missing(), ["calls/1"]);
  await tamper("DELETE FROM calls; INSERT INTO calls SELECT * FROM copy WHERE stream = 1");
  assert.deepEqual(await missing(), ["calls/2"]);
  await tamper("DELETE FROM streams WHERE id = 2; DELETE FROM roots");
  assert.deepEqual(await missing(), ["calls/2"], "by what was kept, whatever the database says");
  await tamper("DELETE FROM calls; INSERT INTO calls SELECT * FROM copy; UPDATE calls SET tool = 'x' WHERE id = 'c'");
  assert.equal((await left.verifyCalls()).broken?.id, "c");
});

/** As if the days of the past had been written then. */
async function onDay(schema: string, ago: number, work: () => Promise<void>): Promise<void> {
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
        const entries = [1, 2, 3].map((at) => callEntry(`${side}${ago}-${at}`, { at: daysAgo(ago) }));
        // A stream of a day that is over is not that of a plane that stands still.
        await store.append([...entries, eventEntry(`${side}${ago}`)]);
      }
    });
  await left.append([callEntry("l0", { at: young() })]);
  const held = (await left.holdings()).find(({ kind }) => kind === "calls");
  assert.equal(held?.count, 19);
  const before = `${daysAgo(90).slice(0, 10)}T00:00:00.000Z`;
  const removed: number[] = [];
  do removed.push(await left.forgetCalls(before));
  while (removed.at(-1) !== 0);
  const events = await left.forgetEvents(before);
  const parts = await server.run(
    "SELECT relname FROM pg_class WHERE relnamespace = 'dropped'::regnamespace AND relispartition AND relname ~ '^(calls|events)_[0-9]{8}$'",
  );
  const old = parts.filter(({ relname }) => String(relname).slice(-8) < before.slice(0, 10).replaceAll("-", ""));
  assert.deepEqual([removed.reduce((sum, count) => sum + count), events > 0, old.length], [10, true, 1]);
  const left100 = (await right.calls()).map(({ id }) => id).filter((id) => /^.10/.test(id));
  assert.deepEqual(left100.toSorted(), ["l100-3", "r100-3"]);
  const { ok, calls, broken } = await right.verifyCalls({ keepDays: 90 });
  assert.deepEqual([ok, calls, broken], [true, 9, null]);
  assert.equal((await right.verifyCalls({ keepDays: 1_000 })).ok, false);
  assert.equal((await left.holdings()).find(({ kind }) => kind === "calls")?.count, 9);
});

test("a plane of 0.2 may add many calls at once, takes one lock for them, and is stream 0", async (context) => {
  const store = await openFor(context, "older");
  await store.append([callEntry("new")]);
  const rows = Array.from({ length: 2_000 }, (_, at) => ({
    sequence: at + 1,
    ...{ id: `old-${at}`, at: young(), tool: "github_search_issues", status: "succeeded", hash: "", events: 2 },
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
