import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { brokenEntry, callEntry } from "../../test/contracts/records.ts";
import { until } from "../../test/fixtures/until.ts";
import { PlaneError } from "../model/errors.ts";
import { principalOf } from "../model/principal.ts";
import type { JournalEntry } from "../model/store.ts";
import { createJournal } from "./journal.ts";
import { noSpool } from "./spool.ts";
import { openSqliteStore } from "./sqlite.ts";

/** Remembers the ids of each append, and does what the test sets. */
function createAppend(work: (ids: string[]) => void | Promise<void> = () => {}) {
  const batches: string[] = [];
  const append = async (entries: readonly JournalEntry[]) => {
    const ids = entries.map((entry) => (entry.kind === "call" ? entry.call.id : "?"));
    batches.push(ids.join(" "));
    await work(ids);
  };
  return { append, batches };
}

test("writes of one turn are stored in one append, in their order", async () => {
  const { append, batches } = createAppend();
  const journal = createJournal(append);
  await Promise.all([
    journal.write([callEntry("a"), callEntry("b")]),
    Promise.resolve().then(() => journal.write([callEntry("c")])),
    journal.write([callEntry("d")]),
  ]);
  assert.deepEqual(batches, ["a b d c"]);
});

test("a write resolves only after its own batch is stored; later ones wait for the next", async () => {
  const gate = Promise.withResolvers<void>();
  const { append, batches } = createAppend(() => gate.promise);
  const journal = createJournal(append);
  const settled: string[] = [];
  const write = (id: string) => journal.write([callEntry(id)]).then(() => settled.push(id));
  const first = write("a");
  await nextTurn();
  await nextTurn();
  const later = [write("b"), write("c")];
  await nextTurn();
  assert.deepEqual([batches, settled], [["a"], []]);
  gate.resolve();
  await Promise.all([first, ...later]);
  assert.deepEqual(
    [batches, settled],
    [
      ["a", "b c"],
      ["a", "b", "c"],
    ],
  );
});

test("a flush waits for what was given before it, and not for what is given without end", async () => {
  let isOver = false;
  const gates: PromiseWithResolvers<void>[] = [];
  const { append, batches } = createAppend(() => {
    const gate = Promise.withResolvers<void>();
    gates.push(gate);
    return gate.promise;
  });
  const journal = createJournal(append);
  /** Something waits whenever a batch is stored. */
  const commit = async (at: number) => {
    await until(`batch ${at}`, () => gates.length > at);
    journal.note([callEntry(`load-${at}`)]);
    gates[at]?.resolve();
  };
  journal.note([callEntry("first")]);
  await until("the first batch", () => gates.length > 0);
  journal.note([callEntry("before")]);
  const flushed = journal.flush().then(() => {
    isOver = true;
  });
  await commit(0);
  await until("the second batch", () => gates.length > 1);
  assert.equal(isOver, false, "what was given before is not stored yet");
  await commit(1);
  await flushed;
  assert.deepEqual(batches.slice(0, 2), ["first", "before load-0"]);
  const closed = journal.close();
  await commit(2);
  await closed;
});

test("a flush is over at once where nothing waits, and does not hurry what comes next", async () => {
  const { append, batches } = createAppend();
  const journal = createJournal(append, { flushDelayMs: 60_000 });
  await journal.write([callEntry("a")]);
  await journal.flush();
  journal.note([callEntry("b")]);
  await nextTurn();
  await nextTurn();
  assert.deepEqual(batches, ["a"]);
  await journal.close();
  assert.deepEqual(batches, ["a", "b"]);
});

test("a caller that writes in a loop does not hold up the rest of the process", async () => {
  const journal = createJournal(async () => {});
  let turns = 0;
  const ticking = (async () => {
    for (; turns < 20; turns += 1) await nextTurn();
  })();
  for (let written = 0; written < 20; written += 1) await journal.write([callEntry("a")]);
  assert.ok(turns >= 10, `only ${turns} turns`);
  await ticking;
});

test("one bad write fails alone, its neighbours are stored", async (context) => {
  const store = await openSqliteStore(":memory:");
  context.after(() => store.close());
  const journal = createJournal(store.append);
  const results = await Promise.allSettled([
    journal.write([callEntry("a")]),
    journal.write([callEntry("half"), brokenEntry()]),
    journal.write([callEntry("b")]),
  ]);
  assert.deepEqual(
    results.map((result) => result.status),
    ["fulfilled", "rejected", "fulfilled"],
  );
  assert.deepEqual(
    (await store.calls()).map((call) => call.id),
    ["b", "a"],
  );
});

test("a store that fails once is asked again, and one that keeps failing fails every write", async () => {
  let failures = 1;
  const { append, batches } = createAppend(() => {
    if (failures-- > 0) throw new Error("disk");
  });
  const journal = createJournal(append);
  await Promise.all([journal.write([callEntry("a")]), journal.write([callEntry("b")])]);
  assert.deepEqual(batches, ["a b", "a", "b"]);
  failures = 3;
  const writes = [journal.write([callEntry("c")]), journal.write([callEntry("d")])];
  for (const result of await Promise.allSettled(writes)) assert.equal(result.status, "rejected");
  await journal.write([callEntry("e")]);
});

test("a locked store is not asked again for every write of the batch", async () => {
  const { append, batches } = createAppend(() => {
    throw new PlaneError("STORE_FAILED", "locked", { data: { locked: true } });
  });
  const journal = createJournal(append);
  const writes = [journal.write([callEntry("a")]), journal.write([callEntry("b")])];
  for (const result of await Promise.allSettled(writes)) assert.equal(result.status, "rejected");
  assert.deepEqual(batches, ["a b"]);
});

test("closing stores what is waiting, then refuses further writes", async () => {
  const { append, batches } = createAppend();
  const journal = createJournal(append);
  const last = journal.write([callEntry("a")]);
  await journal.close();
  assert.deepEqual(batches, ["a"]);
  await last;
  await assert.rejects(journal.write([callEntry("late")]), { code: "STORE_FAILED" });
  await journal.close();
});

/** A store that can be switched off. */
function createSwitch(why: "lost" | "busy" | "later" = "lost") {
  const { append, batches } = createAppend(() => {
    if (line.isAway)
      throw new PlaneError("STORE_FAILED", "away", { data: { [why]: true, locked: true } });
  });
  const line = { isAway: true, append, batches };
  return line;
}

for (const why of ["lost", "busy", "later"] as const)
  test(`what was done while the store is ${why === "later" ? "full" : why} is stored once it is there, however long that takes`, async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    const line = createSwitch(why);
    const journal = createJournal(line.append);
    await assert.rejects(journal.keep([callEntry("a")]) ?? Promise.resolve(), {
      code: "STORE_FAILED",
    });
    journal.note([callEntry("told")]);
    await journal.flush();
    for (let second = 0; second < 20; second += 1) {
      context.mock.timers.tick(1_000);
      await journal.flush();
    }
    line.isAway = false;
    line.batches.length = 0;
    context.mock.timers.tick(1_000);
    await journal.flush();
    assert.deepEqual(line.batches.join(" ").split(" ").toSorted(), ["a", "told"]);
  });

test("what a store refuses for long is warned of once, and still stored when the store takes it", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const warned = context.mock.method(process, "emitWarning", () => undefined);
  let isRefused = true;
  const { append, batches } = createAppend(() => {
    if (isRefused) throw new PlaneError("STORE_FAILED", "a disk that cannot be written");
  });
  const journal = createJournal(append, { spool: noSpool });
  await assert.rejects(journal.keep([callEntry("first")]) ?? Promise.resolve(), {
    code: "STORE_FAILED",
  });
  for (const id of ["a", "b"]) journal.keep([callEntry(id)]);
  for (let second = 0; second < 60; second += 1) {
    await journal.flush();
    context.mock.timers.tick(1_000);
  }
  await journal.flush();
  assert.equal(warned.mock.callCount(), 1);
  isRefused = false;
  batches.length = 0;
  context.mock.timers.tick(30_000);
  await journal.flush();
  assert.deepEqual(batches.join(" ").split(" ").toSorted(), ["a", "b"]);
});

test("closing tries once more what a store that was unreachable has not got", async () => {
  const line = createSwitch();
  const journal = createJournal(line.append);
  await assert.rejects(journal.keep([callEntry("a")]) ?? Promise.resolve(), {
    code: "STORE_FAILED",
  });
  line.isAway = false;
  line.batches.length = 0;
  await journal.close();
  assert.deepEqual(line.batches, ["a"]);
});

test("closing fails where records are lost with the process, and says how many", async () => {
  const journal = createJournal(createSwitch("later").append);
  for (const id of ["a", "b"])
    await assert.rejects(journal.keep([callEntry(id)]) ?? Promise.resolve(), {
      code: "STORE_FAILED",
    });
  await assert.rejects(journal.close(), {
    code: "STORE_FAILED",
    message: /^2 records could not be written: away/,
  });
});

test("a journal says when so much waits for a store that is unreachable that no more should be begun", async () => {
  const journal = createJournal(createSwitch().append);
  for (let round = 0; round < 10; round += 1) {
    assert.equal(journal.isFull(), false);
    const calls = Array.from({ length: 2_000 }, (_, at) =>
      journal.keep([callEntry(`${round}-${at}`)]),
    );
    await Promise.allSettled(calls);
  }
  assert.equal(journal.isFull(), true);
});

test("a user waits for what they did, in the batch that waits and in the one that is being stored, and for no other", async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let begun = 0;
  const journal = createJournal(() => gates[begun++]?.promise ?? Promise.resolve(), {
    spool: noSpool,
    flushDelayMs: 1e6,
  });
  const of = (user: string) => callEntry(user, { principal: principalOf({ user }) });
  const settled: string[] = [];
  const waitFor = (user: string) => journal.flushOf(user).then(() => settled.push(user));
  void journal.keep([of("ann")]);
  await until("the first batch", () => begun === 1);
  void journal.keep([of("bob")]);
  const waits = [waitFor("ann"), waitFor("bob")];
  await waitFor("eve");
  assert.deepEqual(settled, ["eve"]);
  gates[0]?.resolve();
  await waits[0];
  await until("the second batch, which no one waits longer for", () => begun === 2);
  assert.deepEqual(settled, ["eve", "ann"]);
  gates[1]?.resolve();
  await waits[1];
});
