import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ann, ask, bob, openApprovals } from "../../../test/samples/approvals.ts";
import { injectedCall } from "../../../test/samples/calls.ts";
import { moveClocks } from "../../../test/samples/mocked-time.ts";
import type { Injected } from "../../model/calls/call.ts";
import type { Delivery } from "../../model/calls/held-call.ts";
import type { PlaneError } from "../../model/errors.ts";
import { isOutcomeOf } from "./equal-calls.ts";

const minuteMs = 60_000;
const atOnce = { holdMs: 0, expireMs: 24 * 60 * minuteMs };
const client = { client: { capabilities: {}, info: { name: "editor" } } };

const callOf = (id: string, changes: Partial<Injected> = {}): Injected => ({
  ...injectedCall(),
  id,
  principal: ann,
  ...changes,
});

/** What a held call is answered with while no person has decided. */
async function hold(world: Awaited<ReturnType<typeof openApprovals>>, call: Injected) {
  const asking = { heldOpen: {}, relay: client };
  const thrown = await world.approvals.hold(call, ask, asking).then(
    () => assert.fail("it went on"),
    (reason) => reason as PlaneError,
  );
  assert.equal(thrown.code, "APPROVAL_REQUIRED");
  return String(thrown.data.approvalId);
}

const join = (world: Awaited<ReturnType<typeof openApprovals>>, call: Injected) =>
  world.approvals.join(call, ask, {}, { relay: client });

/** The time that passes until it is answered, by a clock that the test moves. */
async function timeUntil(context: TestContext, answered: Promise<unknown>): Promise<number> {
  let isAnswered = false;
  void answered
    .catch(() => undefined)
    .finally(() => {
      isAnswered = true;
    });
  let passedMs = 0;
  while (!isAnswered) {
    for (let turns = 0; turns < 5; turns += 1) await nextTurn();
    context.mock.timers.tick(500);
    passedMs += 500;
  }
  return passedMs;
}

test("what was approved 50 minutes later is collected for an hour after its end, once", async (context) => {
  moveClocks(context);
  const world = await openApprovals(context, atOnce);
  world.answers(({ id }) => {
    const result = { content: [{ type: "text", text: `paid ${id}` }] };
    return { ok: true, result } as object;
  });
  const first = await hold(world, callOf("call-1"));
  context.mock.timers.tick(50 * minuteMs);
  await world.verbs.approvals.answer(first, { decision: "approve" });
  context.mock.timers.tick(59 * minuteMs);
  const collected = await join(world, callOf("call-2"));
  assert.deepEqual(collected?.result?.content, [{ type: "text", text: "paid call-1" }]);
  assert.equal(collected?.of.call, "call-1");
  assert.equal(world.ran.length, 1);
  assert.equal(await join(world, callOf("call-3")), null, "the next is a new call");
  const second = await hold(world, callOf("call-3"));
  await world.verbs.approvals.answer(second, { decision: "approve" });
  context.mock.timers.tick(61 * minuteMs);
  assert.equal(await join(world, callOf("call-4")), null, "it is too late");
  assert.equal(world.ran.length, 2);
});

test("what could not be written is there again, and what was read from a broken stream is not", async (context) => {
  const world = await openApprovals(context, atOnce);
  const id = await hold(world, callOf("call-1"));
  await world.verbs.approvals.answer(id, { decision: "reject", reason: "no" });
  const collected = await join(world, callOf("call-2"));
  assert.match(String(collected?.error?.message), /rejected it: no/);
  const takeBack = await collected?.putBack({} as never);
  const again = await join(world, callOf("call-3"));
  assert.match(String(again?.error?.message), /rejected it: no/);
  assert.equal(await takeBack?.(), false, "another call has it by now");
  const takeBackAgain = await again?.putBack({} as never);
  assert.equal(await takeBackAgain?.(), true);
  assert.equal(await join(world, callOf("call-4")), null);
});

test("equal are the caller, the tool, and the arguments as they were sent", async (context) => {
  const world = await openApprovals(context, atOnce);
  const sent = callOf("call-1");
  const id = await hold(world, sent);
  await world.verbs.approvals.answer(id, { decision: "approve", arguments: { text: "edited" } });
  const others: Partial<Injected>[] = [
    { principal: bob },
    { asked: { ...sent.asked, arguments: { text: "another" } } },
    { options: { conversation: "another" } },
  ];
  for (const [place, change] of others.entries()) {
    const isOfClient = change.options !== undefined;
    if (!isOfClient) assert.equal(await join(world, callOf(`other-${place}`, change)), null);
  }
  // The outcome belongs to no conversation, so it is the client's in any of them.
  const collected = await join(world, callOf("call-2", { options: { conversation: "another" } }));
  assert.equal(collected?.of.call, "call-1");
});

test("a caller without progress is answered before clients give up, one with progress is held longer", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout", "Date"], now: 0 });
  context.mock.method(performance, "now", () => Date.now() - performance.timeOrigin);
  const world = await openApprovals(context, { holdMs: 300_000, expireMs: 600_000 });
  const silent = world.approvals.hold(callOf("call-1"), ask, { heldOpen: {}, relay: client });
  const silentMs = await timeUntil(context, silent);
  assert.ok(silentMs > 40_000 && silentMs < 55_000, `${silentMs} ms`);
  const told: string[] = [];
  const relay = {
    ...client,
    onProgress: ({ message }: { message: string | null }) => void told.push(String(message)),
  };
  const heard = world.approvals.hold(callOf("call-2", {}), ask, { heldOpen: {}, relay });
  const heardMs = await timeUntil(context, heard);
  assert.ok(heardMs >= 300_000 && heardMs < 310_000, `${heardMs} ms`);
  assert.ok(told.length >= 29 && told.length <= 31, `${told.length} reports`);
});

const whose: [title: string, of: Partial<Delivery>, by: Partial<Delivery>, isTheirs: boolean][] = [
  ["the same conversation", { conversation: "a" }, { conversation: "a" }, true],
  ["another conversation of the same client", { conversation: "a" }, { conversation: "b" }, false],
  [
    "a conversation that has ended",
    { conversation: "a", isOver: true },
    { conversation: "b" },
    true,
  ],
  [
    "a session that is gone",
    { conversation: "gone", isSession: true },
    { conversation: "b" },
    true,
  ],
  ["a session that lives", { conversation: "a", isSession: true }, { conversation: "b" }, false],
  ["the same client without conversations", {}, {}, true],
  ["another client", {}, { client: "another" }, false],
  [
    "another client after the end of a conversation",
    { conversation: "a", isOver: true },
    { client: "another" },
    false,
  ],
];

for (const [title, of, by, isTheirs] of whose) {
  test(`an outcome of ${title} is ${isTheirs ? "" : "not "}collected`, async () => {
    const plain = {
      equal: "",
      conversation: null,
      client: "editor",
      state: "uncollected",
    } as const;
    const collector = { conversation: null, client: "editor", ...by };
    const isOver = async (session: string) => session === "gone";
    assert.equal(await isOutcomeOf({ ...plain, ...of }, collector, isOver), isTheirs);
  });
}
