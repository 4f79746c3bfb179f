import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import type { PlanRecord } from "@toolplane/core/model/calls/held-schema";
import { parseStoreAddress } from "@toolplane/core/model/config/settings";
import type { Store, StoreNews, StoreTrouble } from "@toolplane/core/model/store";
import type { KeptJobRun } from "@toolplane/core/model/work/job-run";
import { answeredCall, callEntry, heldCall } from "@toolplane/test/contracts/records";
import { apiKey } from "@toolplane/test/contracts/store-api-keys";
import { keptResult } from "@toolplane/test/contracts/store-results";
import { type RunningPostgres, startPostgres } from "@toolplane/test/fixtures/postgres";
import { until } from "@toolplane/test/fixtures/until";
import { sampleLetter } from "@toolplane/test/samples/dead-letters";
import { sampleRun } from "@toolplane/test/samples/jobs";
import pg from "pg";
import { openPostgresStore } from "./postgres.ts";

let server: RunningPostgres;
before(async () => {
  server = await startPostgres();
});
after(() => server[Symbol.asyncDispose]());

async function openFor(context: TestContext, url: string): Promise<Store> {
  const address = parseStoreAddress(url);
  assert.ok("kind" in address && address.kind === "postgres");
  const store = await openPostgresStore(address);
  context.after(() => store.close());
  return store;
}

/** Resolves with the first news that fits. */
function heard(store: Store, fits: (news: StoreNews) => boolean): Promise<StoreNews> {
  return new Promise((resolve) => {
    const leave = store.watch((news) => {
      if (!fits(news)) return;
      leave();
      resolve(news);
    });
  });
}

test("other planes are notified of a change at once, and none of its own", async (context) => {
  const url = server.address();
  const left = await openFor(context, url);
  const right = await openFor(context, url);
  const own: StoreNews[] = [];
  const ready = heard(right, ({ what }) => what === "deadLetters");
  left.watch((news) => own.push(news));
  await Promise.all([ready, heard(left, ({ what }) => what === "deadLetters")]);
  own.length = 0;
  const told = heard(right, ({ what }) => what === "heldCall");
  await left.addHeldCall(heldCall("asked"));
  assert.deepEqual(await told, { what: "heldCall", id: "asked" });
  const answered = heard(left, ({ what }) => what === "heldCall");
  await right.replaceHeldCall(answeredCall(heldCall("asked"), "approve"));
  await answered;
  assert.deepEqual(own, [{ what: "heldCall", id: "asked" }]);
});

test("other planes learn that there is an API key", async (context) => {
  const url = server.address();
  const left = await openFor(context, url);
  const right = await openFor(context, url);
  await heard(left, ({ what }) => what === "deadLetters");
  const told = heard(left, ({ what }) => what === "keys");
  await right.addApiKey(apiKey("first"), "hash");
  await told;
  assert.equal(await left.hasApiKeys(), true);
});

test("records are announced to no one; a plane whose records are followed finds them", async (context) => {
  const url = server.address("followed");
  const left = await openFor(context, url);
  const right = await openFor(context, url);
  const told: unknown[] = [];
  const anyone = new pg.Client(url);
  await anyone.connect();
  context.after(() => anyone.end());
  const keys = new Promise<void>((resolve) => {
    anyone.on("notification", ({ payload = "" }) => {
      told.push(JSON.parse(payload).what);
      if (told.at(-1) === "keys") resolve();
    });
  });
  await anyone.query("LISTEN toolplane_followed");
  await left.append([callEntry("one")]);
  await left.addApiKey(apiKey("after"), "hash");
  await keys;
  assert.deepEqual(told, ["keys"]);
  let wake: () => void = () => undefined;
  const next = () => new Promise<void>((resolve) => (wake = resolve));
  const first = next();
  const leave = right.watchRecords(() => wake());
  context.after(leave);
  await first;
  const second = next();
  await left.append([callEntry("two")]);
  await second;
  assert.equal((await right.call("two"))?.id, "two");
});

test("a task is done by one plane at a time", async (context) => {
  const url = server.address();
  const left = await openFor(context, url);
  const right = await openFor(context, url);
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const working = left.alone("tidy", () => {
    begun.resolve();
    return gate.promise;
  });
  await begun.promise;
  assert.equal(await right.alone("tidy", async () => assert.fail("two at once")), false);
  assert.equal(await right.alone("other", async () => undefined), true);
  gate.resolve();
  assert.deepEqual([await working, await right.alone("tidy", async () => undefined)], [true, true]);
});

test("a large result is stored while another plane stands still in the middle of storing one", async (context) => {
  const url = server.address("large");
  const store = await openFor(context, url);
  const past = "2026-03-01T11:59:59.000Z";
  for (const id of ["expired", "older"])
    await store.putResult(keptResult(id, { bytes: 40 }), 1_000);
  await server.run(`UPDATE large.results SET expires_at = '${past}' WHERE id = 'expired'`);
  // It has removed what is over and what is too much, and stored its own.
  const still = new pg.Client(url);
  await still.connect();
  context.after(() => still.end());
  await still.query(
    "BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('toolplane/large/results', 0))",
  );
  await still.query("DELETE FROM large.results");
  assert.equal(await store.putResult(keptResult("new", { bytes: 40 }), 50), true);
  await still.query("COMMIT");
  assert.deepEqual(
    (await store.results()).map(({ id }) => id),
    ["new"],
  );
});

/** A transaction of another plane that stands still in the middle. */
async function standStill(context: TestContext, url: string, sql: string): Promise<pg.Client> {
  const still = new pg.Client(url);
  await still.connect();
  context.after(() => still.end());
  await still.query(`BEGIN; ${sql}`);
  return still;
}

test("changes are queued, runs begin and dead letters are kept while another plane stands still in the middle of each", async (context) => {
  const url = server.address("queued");
  const store = await openFor(context, url);
  const plan = (id: string, user: string) => ({
    id,
    user,
    conversation: null,
    createdAt: "2026-03-01T12:00:00.000Z",
  });
  const run = (id: string, changes: object = {}) => ({ ...sampleRun(id), most: 1, ...changes });
  await store.addChange(heldCall("first"), plan("of ada", "ada") as PlanRecord);
  for (const id of ["one", "two"]) await store.addJobRun(run(id, { job: id }));
  await store.addDeadLetter(sampleLetter("a"), 2);
  const shared = ["plans", "jobs"].map(
    (name) =>
      `SELECT pg_advisory_xact_lock_shared(hashtextextended('toolplane/queued/${name}', 0))`,
  );
  const still = await standStill(
    context,
    url,
    `${shared.join("; ")}; SET search_path = queued;
     INSERT INTO plans (id, owner, is_open, record) VALUES ('of bob', '["bob",null]', true, '{}');
     UPDATE job_runs SET state = 'running' WHERE id = 'one';
     SELECT pg_advisory_xact_lock(hashtextextended('toolplane/queued/dead letters', 0));
     DELETE FROM dead_letters`,
  );
  assert.equal(
    await store.addChange(heldCall("second"), plan("another", "ada") as PlanRecord),
    "of ada",
  );
  const two = (await store.jobRun("two")) as KeptJobRun;
  assert.equal(
    await store.claimJobRun({ ...two, state: "running" }, "2026-03-01T12:00:00.000Z"),
    true,
  );
  for (const id of ["b", "c"]) await store.addDeadLetter(sampleLetter(id), 2);
  await still.query("COMMIT");
  await store.addDeadLetter(sampleLetter("d"), 2);
  assert.deepEqual(
    (await store.deadLetters({})).deadLetters.map(({ id }) => id),
    ["d", "c"],
  );
});

test("a plan is not closed before a change is in it that another plane adds", async (context) => {
  const url = server.address("closing");
  const store = await openFor(context, url);
  const still = await standStill(
    context,
    url,
    "SELECT pg_advisory_xact_lock_shared(hashtextextended('toolplane/closing/plans', 0))",
  );
  let isClosed = false;
  const closing = store.closePlan("any").then(() => {
    isClosed = true;
  });
  await until(
    "that it waits",
    async () => (await server.run("SELECT FROM pg_locks WHERE NOT granted")).length > 0,
  );
  assert.equal(isClosed, false);
  await still.query("COMMIT");
  await closing;
});

test("connections that break while the server stays are replaced, and no read fails", async (context) => {
  const store = await openFor(context, server.address());
  const troubles: (StoreTrouble | null)[] = [];
  store.onTrouble((trouble) => troubles.push(trouble));
  await store.append([callEntry("one")]);
  for (let round = 0; round < 5; round += 1) {
    const reads = Array.from({ length: 6 }, () => store.calls());
    const others = "application_name = 'toolplane' AND pid <> pg_backend_pid()";
    await server.run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${others}`);
    const all = await Promise.all([...reads, store.calls(), store.call("one")]);
    assert.equal(all.length, 8);
  }
  assert.deepEqual(troubles, []);
});

test("who looks or writes again and gets hold of another connection that breaks does not notice either", async (context) => {
  const address = server.address("breaking");
  const store = await openFor(context, address);
  await store.append([callEntry("one")]);
  const untilOneWaits = `DO $$ BEGIN FOR look IN 1..3000 LOOP
    EXIT WHEN EXISTS (SELECT FROM pg_locks WHERE NOT granted); PERFORM pg_sleep(0.01); END LOOP; END $$;`;
  const breakThem =
    "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted; SELECT pg_sleep(0.2);";
  const breaking = server.run(
    `BEGIN; LOCK TABLE breaking.calls; ${`${untilOneWaits} ${breakThem}`.repeat(4)} COMMIT`,
  );
  const locked = "SELECT FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted";
  await until("the lock", async () => (await server.run(locked)).length > 0);
  const seen = await Promise.all([store.call("one"), store.append([callEntry("two")]), breaking]);
  assert.equal(seen[0]?.id, "one");
  assert.equal((await store.calls()).length, 2);
});

test("a server that goes away is noticed, said without its address, and used again when it is back", async (context) => {
  const url = server.address();
  const store = await openFor(context, url);
  await heard(store, ({ what }) => what === "deadLetters");
  const turns: (StoreTrouble | null)[] = [];
  const changed = () => new Promise<void>((resolve) => store.onTrouble(() => resolve()));
  store.onTrouble((trouble) => turns.push(trouble));
  await store.append([callEntry("before")]);
  const lost = changed();
  await server.stop();
  await lost;
  await assert.rejects(
    store.append([callEntry("while")]),
    (error: Error & { code?: string; cause?: unknown }) => {
      assert.equal(error.code, "STORE_FAILED");
      assert.match(error.message, /cannot be reached right now/);
      assert.doesNotMatch(error.message + String(error.cause), /127\.0\.0\.1|keeper/);
      return true;
    },
  );
  const late = await openFor(context, url);
  assert.notEqual(late.trouble(), null);
  const back = [changed(), new Promise<void>((resolve) => late.onTrouble(() => resolve()))];
  const listening = heard(store, ({ what }) => what === "deadLetters");
  await server.start();
  await Promise.all(back);
  assert.deepEqual([turns.length, turns.at(-1), store.trouble()], [2, null, null]);
  await store.append([callEntry("after")]);
  await late.append([callEntry("late")]);
  assert.deepEqual(
    (await store.calls()).map(({ id }) => id),
    ["late", "after", "before"],
  );
  await listening;
});
