import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, suite, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Outcome, Requested } from "@toolplane/core/model/calls/call";
import type { ErrorCode } from "@toolplane/core/model/errors";
import type { PlaneEvent } from "@toolplane/core/model/events";
import { principalOf, trusted } from "@toolplane/core/model/principal";
import { callRecord } from "@toolplane/test/contracts/records";
import { requestedCall, resolvedCall, sampleTool } from "@toolplane/test/samples/calls";
import { bindCaller, createDueLoop, openSqliteStore } from "@toolplane/test/samples/core";
import { sampleError, sampleLetter, startedAt } from "@toolplane/test/samples/dead-letters";
import { createDeadLetters } from "./dead-letters.ts";

const ada = { principal: principalOf({ user: "ada" }) };
const bob = { principal: principalOf({ user: "bob" }) };
const dayMs = 24 * 3_600_000;

async function move(ms: number): Promise<void> {
  mock.timers.tick(ms);
  for (let turn = 0; turn < 30; turn++) await nextTurn();
}

/** What a call comes to: it succeeds, fails with a code, or hangs until it is cancelled. */
type End = "ok" | "hang" | ErrorCode;

function outcomeOf({ id }: Requested, end: End): Outcome {
  const facts = {
    durationMs: 1,
    provider: null,
    attempts: 1,
    repaired: false,
    dropped: [],
    warnings: [],
  };
  if (end === "ok") {
    const call = { id, tool: "notes.write", status: "succeeded" as const, ...facts };
    return { ok: true, call, result: { content: [] } };
  }
  const code = end === "hang" ? "CANCELLED" : end;
  const status = code === "CANCELLED" ? "cancelled" : "failed";
  return {
    ok: false,
    call: { id, tool: "notes.write", status, ...facts },
    error: sampleError(code),
  };
}

async function sampleLetters(ends: End[], given?: Awaited<ReturnType<typeof openSqliteStore>>) {
  const store = given ?? (await openSqliteStore(":memory:"));
  const events: PlaneEvent[] = [];
  const ran: Requested[] = [];
  const world = { knows: true };
  const letters = createDeadLetters({
    store: async () => store,
    emit: (event) => events.push(event),
    knows: () => world.knows,
    onDue: () => loop.wake(),
    async run(call, signal) {
      ran.push(call);
      const end = ends[ran.length - 1] ?? "ok";
      if (end === "hang") await new Promise((resolve) => signal.addEventListener("abort", resolve));
      const outcome = outcomeOf(call, end);
      if (outcome.error) await failed(call, outcome.error.code, outcome.call.status);
      return outcome;
    },
  });
  const loop = createDueLoop({
    open: store.dueWork,
    handlers: [letters.handler],
    onTrouble: (thrown) => assert.fail(String(thrown)),
  });
  const stop = async () => {
    await loop.halt();
    await letters.stop();
    await loop.stop();
  };
  const tool = sampleTool({ trusted: true, annotations: { idempotentHint: true } });
  const failed = (
    call: Requested,
    code: ErrorCode,
    status: Outcome["call"]["status"] = "failed",
  ) => {
    const attempts = [{ provider: "mcp", ok: false, durationMs: 1, error: code }];
    const facts = { tool: tool.name, server: "notes", status, attempts, error: sampleError(code) };
    return letters.keep({ ...resolvedCall(tool), ...call }, callRecord(call.id, facts));
  };
  const { deadLetters: verbs } = bindCaller(
    { deadLetters: letters.verbs },
    { principal: trusted() },
  );
  const one = async () => (await verbs.page()).deadLetters[0] ?? assert.fail("no entry");
  return { loop, stop, letters, verbs, store, events, ran, world, failed, one };
}

suite("dead letters", () => {
  beforeEach(() =>
    mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"], now: startedAt }),
  );
  afterEach(() => mock.timers.reset());

  test("a failed call is retried when its time comes, as its caller, until it succeeds", async () => {
    const { loop, stop, ran, events, failed, one } = await sampleLetters(["TIMEOUT", "ok"]);
    loop.start();
    await failed(requestedCall({ text: "hi" }, { conversation: "c", timeoutMs: 7 }), "TIMEOUT");
    await move(53_000);
    assert.equal(ran.length, 0);
    await move(13_000);
    assert.equal(ran.length, 1);
    assert.deepEqual([(await one()).status, (await one()).attempts], ["pending", 2]);
    await move(330_000);
    assert.equal(ran.length, 2);
    const { status, resolvedCallId } = await one();
    assert.deepEqual([status, resolvedCallId], ["resolved", ran[1]?.id]);
    const { asked, principal, face, options } = ran[0] ?? assert.fail();
    assert.deepEqual(asked, {
      tool: { server: "notes", tool: "write" },
      arguments: { text: "hi" },
    });
    assert.deepEqual([principal, face], [requestedCall().principal, "library"]);
    assert.deepEqual(options, { conversation: "c", timeoutMs: 7, idempotencyKey: "call-1" });
    assert.deepEqual(
      events.map(({ type }) => type.replace("dead_letter.", "")),
      ["added", "retrying", "retrying", "resolved"],
    );
    assert.doesNotMatch(JSON.stringify(events), /"hi"/);
    await stop();
  });

  test("three failed tries end it, and it is one entry all the time", async () => {
    const { loop, stop, ran, events, failed, verbs } = await sampleLetters([
      "TIMEOUT",
      "TIMEOUT",
      "TIMEOUT",
    ]);
    loop.start();
    await failed(requestedCall(), "TIMEOUT");
    await move(dayMs);
    await move(dayMs);
    await move(dayMs);
    const { total, byStatus } = await verbs.page();
    assert.deepEqual([ran.length, total, byStatus.abandoned], [2, 1, 1]);
    assert.equal(events.at(-1)?.type, "dead_letter.abandoned");
    await stop();
  });

  test("what has no next try is never tried by itself, however long it lies there", async () => {
    const { loop, stop, verbs, ran, failed, one } = await sampleLetters([]);
    loop.start();
    await failed(requestedCall(), "PROVIDER_FAILED");
    for (let day = 0; day < 10; day++) await move(dayMs);
    assert.deepEqual([ran.length, (await one()).status], [0, "pending"]);
    assert.equal((await verbs.retry((await one()).id)).ok, true);
    assert.equal((await one()).status, "resolved");
    await stop();
  });

  test("a write that an earlier version was about to run again is left to its caller", async () => {
    const { loop, stop, store, ran, one } = await sampleLetters([]);
    const { accepted: _, sent: _1, ...stored } = sampleLetter("a");
    await store.addDeadLetter(stored, 10);
    loop.start();
    for (let day = 0; day < 3; day++) await move(dayMs);
    assert.equal(ran.length, 0);
    const { hold, waitsFor, sent } = await one();
    assert.deepEqual([hold, waitsFor, sent], ["refused", "caller", "not_sent"]);
    assert.equal((await store.deadLetter("a"))?.nextRetryAt, null);
    await stop();
  });

  test("a plane that does not serve, or does not know the tool, leaves it to others", async () => {
    const { loop, stop, ran, failed, world } = await sampleLetters([]);
    await failed(requestedCall(), "TIMEOUT");
    await move(dayMs);
    assert.equal(ran.length, 0, "not started");
    world.knows = false;
    loop.start();
    await move(dayMs);
    assert.equal(ran.length, 0, "unknown");
    world.knows = true;
    loop.changed();
    await move(0);
    assert.equal(ran.length, 1);
    await stop();
  });

  test("of two planes on one store only one tries an entry, and so does only one person", async () => {
    const left = await sampleLetters(["hang"]);
    const right = await sampleLetters(["hang"], left.store);
    await left.failed(requestedCall(), "TIMEOUT");
    left.loop.start();
    right.loop.start();
    await move(0);
    await move(70_000);
    assert.equal(left.ran.length + right.ran.length, 1);
    const { id } = await left.one();
    await assert.rejects(right.verbs.retry(id), { code: "CONFLICT" });
    await assert.rejects(right.verbs.delete(id), { code: "CONFLICT", message: /being retried/ });
    for (let step = 0; step < 40; step++) await move(15_000);
    assert.equal(left.ran.length + right.ran.length, 1, "it is renewed for as long as it takes");
    await Promise.all([left.stop(), right.stop()]);
    const free = await left.one();
    assert.deepEqual([free.status, free.attempts], ["pending", 1], "stopping is no failed try");
  });

  test("what a killed plane was retrying comes back when its lease is over", async () => {
    const { loop, stop, ran, store, one } = await sampleLetters([]);
    const lease = {
      until: new Date(startedAt + 60_000).toISOString(),
      was: { status: "pending", nextRetryAt: null },
    } as const;
    await store.addDeadLetter(
      sampleLetter("a", { status: "retrying", lease, repeatable: true }),
      10,
    );
    loop.start();
    await move(59_000);
    assert.equal((await one()).status, "retrying");
    await move(1_000);
    const back = await one();
    assert.deepEqual([back.status, back.attempts, ran.length], ["pending", 2, 0]);
    await move(330_000);
    assert.deepEqual([ran.length, (await one()).status], [1, "resolved"]);
    await stop();
  });

  test("a listing frees it as well, without any plane that serves", async () => {
    const { store, verbs } = await sampleLetters([]);
    const lease = {
      until: new Date(startedAt - 1).toISOString(),
      was: { status: "pending", nextRetryAt: null },
    } as const;
    await store.addDeadLetter(sampleLetter("a", { status: "retrying", lease }), 10);
    await store.addDeadLetter(sampleLetter("b", { status: "retrying", lease }), 10);
    assert.equal((await verbs.get("a")).hold, "may_have_run");
    assert.equal((await verbs.page()).byStatus.pending, 2);
  });

  test("what is over goes after seven days, what waits stays", async () => {
    const { loop, stop, store, verbs } = await sampleLetters([]);
    const ago = (days: number) => new Date(startedAt - days * dayMs).toISOString();
    for (const [id, status, days] of [
      ["old", "resolved", 8],
      ["older", "abandoned", 9],
      ["new", "resolved", 6.5],
      ["waits", "pending", 30],
    ] as const)
      await store.addDeadLetter(
        sampleLetter(id, { status, updatedAt: ago(days), nextRetryAt: null, hold: "permanent" }),
        10,
      );
    loop.start();
    await move(0);
    const ids = async () => (await verbs.page()).deadLetters.map(({ id }) => id);
    assert.deepEqual(await ids(), ["waits", "new"]);
    await move(dayMs);
    assert.deepEqual(await ids(), ["waits"]);
    await stop();
  });

  test("callers see and change their own entries; admins, all", async () => {
    const { verbs, store } = await sampleLetters([]);
    await store.addDeadLetter(sampleLetter("a"), 10);
    await store.addDeadLetter(sampleLetter("n", { principal: principalOf({ user: null }) }), 10);
    assert.equal((await verbs.page({}, ada)).total, 1);
    assert.equal((await verbs.page({}, bob)).total, 0);
    assert.equal((await verbs.page({}, { principal: principalOf({ user: null }) })).total, 0);
    assert.equal((await verbs.page()).total, 2);
    const unknown = { code: "NOT_FOUND", message: /There is no dead letter 'a'/ };
    await assert.rejects(verbs.get("a", bob), unknown);
    await assert.rejects(verbs.retry("a", bob), unknown);
    await assert.rejects(verbs.resolve("a", {}, bob), unknown);
    await assert.rejects(verbs.abandon("a", {}, bob), unknown);
    assert.equal(await verbs.delete("a", bob), false);
    assert.equal((await verbs.abandon("a", { note: "no" }, ada)).history.at(-1)?.note, "no");
    assert.equal((await verbs.resolve("a", {}, ada)).status, "resolved");
    assert.equal(await verbs.delete("a", ada), true);
    assert.equal(await verbs.delete("a", ada), false);
  });

  test("a deletion is undone by who may see the entry, which is as it was", async () => {
    const { verbs, store, events } = await sampleLetters([]);
    await store.addDeadLetter(sampleLetter("a"), 10);
    const before = await verbs.get("a", ada);
    await verbs.delete("a", ada);
    await assert.rejects(verbs.restore("a", bob), { code: "NOT_FOUND" });
    assert.deepEqual(await verbs.restore("a", ada), before);
    assert.deepEqual(await verbs.restore("a", ada), before, "twice does no harm");
    assert.equal((await verbs.abandon("a", {}, ada)).status, "abandoned");
    assert.equal(events.filter(({ type }) => type === "dead_letter.restored").length, 1);
  });

  test("nothing that only the plane needs is shown", async () => {
    const { verbs, store } = await sampleLetters([]);
    await store.addDeadLetter(sampleLetter("a"), 10);
    const {
      lease: _,
      revision: _1,
      asked: _2,
      options: _3,
      repeatable: _4,
      ...kept
    } = sampleLetter("a");
    const shown = { ...kept, waitsFor: "retry" };
    assert.deepEqual(await verbs.get("a"), shown);
    assert.deepEqual((await verbs.page()).deadLetters, [shown]);
  });

  test("what cannot be meant is refused by name", async () => {
    const { verbs, store } = await sampleLetters([]);
    await store.addDeadLetter(sampleLetter("a"), 10);
    for (const [query, message] of [
      [{ status: "gone" }, /'status' cannot be 'gone': give one of pending, retrying/],
      [{ limit: 0 }, /'limit' cannot be '0': give an integer from 1 to 1000/],
      [{ limit: 1.5 }, /'limit'/],
      [{ cursor: "x" }, /'cursor' cannot be 'x': give the 'nextCursor'/],
      [{ tool: "" }, /'tool' cannot be ''/],
    ] as const)
      await assert.rejects(verbs.page(query as object), { code: "USAGE", message });
    await assert.rejects(verbs.resolve("a", { note: "x".repeat(2_001) }), {
      code: "USAGE",
      message: /2001 characters\. Give at most 2000/,
    });
    assert.equal((await verbs.get("a")).status, "pending");
  });
});
