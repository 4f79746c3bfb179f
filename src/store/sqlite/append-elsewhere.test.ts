import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { callEntry, eventEntry, sampleEntry } from "../../../test/contracts/records.ts";
import type { JournalEntry } from "../../model/store.ts";
import { createIdempotentAppend } from "../idempotent-append.ts";
import { openSqliteStore } from "../sqlite.ts";
import { createAppendElsewhere } from "./append-elsewhere.ts";

async function opened(t: { after(end: () => Promise<void>): void }, idleMs?: number) {
  const directory = mkdtempSync(join(tmpdir(), "append-"));
  const file = join(directory, "store.db");
  const store = await openSqliteStore(file);
  const elsewhere = createAppendElsewhere(file, store.append, undefined, idleMs);
  const append = createIdempotentAppend({ ...store, append: elsewhere.append });
  t.after(async () => {
    await elsewhere.close();
    await store.close();
    await rm(directory, { recursive: true });
  });
  let made = 0;
  const calls = (count: number): JournalEntry[] =>
    Array.from({ length: count }, () => callEntry(`call-${++made}`));
  await append(calls(1_000));
  while (elsewhere.threadId() === null) await pause(5);
  return { store, append, elsewhere, calls };
}

test("a store that is closed while its thread begins leaves none behind", async () => {
  let stored = 0;
  const here = async (entries: readonly JournalEntry[]) => {
    stored += entries.length;
    return {};
  };
  const elsewhere = createAppendElsewhere("/nowhere/store.db", here);
  await elsewhere.append(Array.from({ length: 1_000 }, (_, at) => callEntry(`call-${at}`)));
  await elsewhere.close();
  await import("node:worker_threads");
  assert.deepEqual(
    [stored, process.getActiveResourcesInfo().includes("MessagePort")],
    [1_000, false],
  );
});

test("what a thread of its own stores is in one chain with what was stored before", async (t) => {
  const { store, append, calls } = await opened(t);
  await append(calls(20));
  await append(calls(1));
  const { broken, calls: counted } = await store.verifyCalls();
  assert.equal(broken, null);
  assert.equal(counted, 1_021);
});

test("a thread stores every kind of entry as it was given", async (t) => {
  const { store, append } = await opened(t);
  const call = {
    ...callEntry("packed"),
    text: JSON.stringify({ id: "packed", run: "r" }),
  } as JournalEntry;
  const event = eventEntry("packed");
  await append([call, event, sampleEntry("tool:packed", 2), sampleEntry("tool:packed", 3)]);
  assert.deepEqual(await store.call("packed"), { id: "packed", run: "r" });
  const [stored] = (await store.events()).slice(-1);
  assert.deepEqual({ kind: "event", at: stored?.at, event: stored?.event }, event);
  const samples = (await store.samples()).filter(({ subject }) => subject === "tool:packed");
  assert.deepEqual(
    samples.map(({ ok, latencyMs }) => [ok, latencyMs]),
    [
      [true, 2],
      [false, 3],
    ],
  );
});

test("a refusal of the store is reported in its own words, and the next batch is stored", async (t) => {
  const { store, append, calls } = await opened(t);
  const [twice] = calls(1) as [JournalEntry];
  await append([twice]);
  await assert.rejects(append([twice]), { code: "STORE_FAILED", message: /already holds this id/ });
  await append(calls(1));
  assert.equal((await store.verifyCalls()).calls, 1_002);
});

test("a batch is stored once, whatever its thread had done when it ended", async (t) => {
  const { store, append, elsewhere, calls } = await opened(t);
  const batch = calls(50);
  const appended = append(batch).catch((thrown) => {
    assert.equal(thrown.data.lost, true);
    return append(batch);
  });
  await elsewhere.close();
  await appended;
  assert.equal((await store.verifyCalls()).calls, 1_050);
});

test("batches that are given at once are all stored, one after the other", async (t) => {
  const { store, append, calls } = await opened(t);
  const [twice] = calls(1) as [JournalEntry];
  await append([twice]);
  const ends = await Promise.allSettled([
    append(calls(20)),
    append([twice]),
    append(calls(3)),
    append(calls(1)),
  ]);
  assert.deepEqual(
    ends.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled", "fulfilled"],
  );
  const { broken, calls: counted } = await store.verifyCalls();
  assert.deepEqual([broken, counted], [null, 1_025]);
});

test("a thread without work ends, and the next load gets another one", async (t) => {
  const { store, append, elsewhere, calls } = await opened(t, 1);
  const first = elsewhere.threadId();
  await append(calls(1));
  while (elsewhere.threadId() !== null) await pause(5);
  await append(calls(1));
  await append(calls(1_000));
  while (elsewhere.threadId() === null) await pause(5);
  assert.notEqual(elsewhere.threadId(), first);
  assert.equal((await store.verifyCalls()).calls, 2_002);
});
