import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import { parseStoreAddress } from "../../../src/model/config/settings.ts";
import type { Store, StoreNews, StoreTrouble } from "../../../src/model/store.ts";
import { answeredCall, callEntry, heldCall } from "../../../test/contracts/records.ts";
import { apiKey } from "../../../test/contracts/store-api-keys.ts";
import { type RunningPostgres, startPostgres } from "../../../test/fixtures/postgres.ts";
import { until } from "../../../test/fixtures/until.ts";
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
  const breakThem = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted; SELECT pg_sleep(0.2);";
  const breaking = server.run(`BEGIN; LOCK TABLE breaking.calls; ${`${untilOneWaits} ${breakThem}`.repeat(4)} COMMIT`);
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
  await assert.rejects(store.append([callEntry("while")]), (error: Error & { code?: string; cause?: unknown }) => {
    assert.equal(error.code, "STORE_FAILED");
    assert.match(error.message, /cannot be reached right now/);
    assert.doesNotMatch(error.message + String(error.cause), /127\.0\.0\.1|keeper/);
    return true;
  });
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
