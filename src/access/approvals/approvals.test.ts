import assert from "node:assert/strict";
import { test } from "node:test";
import { ann, ask, bob, openApprovals } from "../../../test/samples/approvals.ts";
import { injectedCall, sampleTool } from "../../../test/samples/calls.ts";
import { moveClocks } from "../../../test/samples/mocked-time.ts";
import type { Verdict } from "../../model/calls/call-schema.ts";
import type { ApprovalAnswer } from "../../model/calls/held-call.ts";
import type { ApprovalsAsked } from "../../model/plane-access.ts";

import { principalOf } from "../../model/principal.ts";
import { approvalLeaseMs, graceMs } from "./held-call.ts";

test("a call is stored before anybody hears of it, so that the quickest answer finds it", async (context) => {
  const { verbs, store, hold } = await openApprovals(context);
  const seen: unknown[] = [];
  const { addHeldCall } = store;
  store.addHeldCall = async (held) => {
    await addHeldCall(held);
    seen.push("stored");
  };
  const id = await hold();
  assert.deepEqual(seen, ["stored"]);
  assert.equal((await verbs.approvals.get(id)).status, "pending");
});

test("what was approved runs once, with what was shown, in the name of its caller", async (context) => {
  const { verbs, ran, hold, events } = await openApprovals(context);
  const id = await hold();
  const { approval, outcome } = await verbs.approvals.answer(id, { decision: "approve" });
  assert.deepEqual([approval.status, outcome?.ok, ran.length], ["done", true, 1]);
  assert.deepEqual(ran[0]?.asked.arguments, injectedCall().input.arguments);
  assert.deepEqual(ran[0]?.principal, ann);
  await assert.rejects(verbs.approvals.answer(id, { decision: "approve" }), { code: "CONFLICT" });
  assert.equal(ran.length, 1);
  assert.deepEqual(
    events.flatMap((event) => (event.type === "approval.changed" ? event.status : [])),
    ["approved", "running", "done"],
  );
});

test("of two answers the first counts, whichever process gives it", async (context) => {
  const first = await openApprovals(context);
  const second = await openApprovals(context, {}, first.store);
  const id = await first.hold();
  const answers = await Promise.allSettled([
    first.verbs.approvals.answer(id, { decision: "approve" }),
    second.verbs.approvals.answer(id, { decision: "reject", reason: "no" }),
  ]);
  assert.equal(answers.filter(({ status }) => status === "fulfilled").length, 1);
  const { status } = await first.verbs.approvals.get(id);
  assert.deepEqual(
    [status, first.ran.length + second.ran.length],
    status === "done" ? ["done", 1] : ["rejected", 0],
  );
});

test("only the caller answers it, and another attempt is reported", async (context) => {
  const { verbs, hold, events } = await openApprovals(context);
  const id = await hold();
  for (const principal of [bob, principalOf({})])
    await assert.rejects(verbs.approvals.answer(id, { decision: "approve" }, { principal }), {
      code: "FORBIDDEN",
    });
  assert.equal(events.filter(({ type }) => type === "approval.forbidden").length, 2);
  assert.equal((await verbs.approvals.get(id)).status, "pending");
  await assert.rejects(verbs.approvals.get(id, { principal: bob }), { code: "NOT_FOUND" });
  assert.deepEqual(await verbs.approvals.list({ principal: bob }), []);
});

test("a list begins with the oldest, with the newest, or with what waits", async (context) => {
  moveClocks(context);
  const { verbs, hold } = await openApprovals(context);
  const held: string[] = [];
  for (let at = 0; at < 4; at += 1) {
    context.mock.timers.tick(1);
    held.push(await hold());
  }
  const [first, second, third, fourth] = held as [string, string, string, string];
  await verbs.approvals.answer(second, { decision: "reject" });
  await verbs.approvals.answer(fourth, { decision: "reject" });
  const listed = async (order?: "oldest" | "newest" | "pending") =>
    (await verbs.approvals.list(order === undefined ? {} : { order })).map(({ id }) => id);
  assert.deepEqual(await listed(), held);
  assert.deepEqual(await listed("oldest"), held);
  assert.deepEqual(await listed("newest"), held.toReversed());
  assert.deepEqual(await listed("pending"), [third, first, fourth, second]);
});

test("members of the groups that answer for others may", async (context) => {
  const { verbs, hold } = await openApprovals(context, { approvers: ["ops"] });
  const id = await hold();
  const operator = principalOf({ user: "bob", groups: ["ops"] });
  assert.equal((await verbs.approvals.list({ principal: operator })).length, 1);
  const { approval } = await verbs.approvals.answer(
    id,
    { decision: "reject" },
    { principal: operator },
  );
  assert.deepEqual([approval.status, approval.answer?.by], ["rejected", "bob"]);
});

const edits: [title: string, args: ApprovalAnswer["arguments"], edited: unknown][] = [
  ["without arguments it is not edited", undefined, null],
  ["the same in another order is not edited", { text: "hi" }, null],
  ["other arguments are", { text: "other" }, { text: "other" }],
  ["and so is nothing at all", {}, {}],
];
for (const [title, args, edited] of edits) {
  test(`${title}`, async (context) => {
    const { verbs, hold, ran } = await openApprovals(context);
    const call = injectedCall();
    const id = await hold(ask, { input: { ...call.input, arguments: { text: "hi" } } });
    const { approval } = await verbs.approvals.answer(id, {
      decision: "approve",
      ...(args === undefined ? {} : { arguments: args }),
    });
    assert.deepEqual(approval.answer?.arguments, edited);
    assert.deepEqual(ran[0]?.asked.arguments, edited ?? { text: "hi" });
    assert.deepEqual(ran[0]?.approved?.arguments, edited === null ? { text: "hi" } : null);
  });
}

test("invalid arguments, or those that may not be changed, leave the question open", async (context) => {
  const { verbs, hold } = await openApprovals(context);
  const id = await hold();
  await assert.rejects(
    verbs.approvals.answer(id, { decision: "approve", arguments: { bad: true } }),
    {
      code: "INVALID_ARGUMENTS",
    },
  );
  assert.equal((await verbs.approvals.get(id)).status, "pending");
  const strict = await openApprovals(context, { allowEdit: false });
  const other = await strict.hold();
  await assert.rejects(
    strict.verbs.approvals.answer(other, { decision: "approve", arguments: { x: 1 } }),
    {
      code: "USAGE",
      message: /allowEdit/,
    },
  );
});

test("what the system sets is shown as a placeholder", async (context) => {
  const { verbs, hold } = await openApprovals(context);
  const id = await hold(ask, { injected: { values: { _mcp_data: { secret: 1 } } } });
  const approval = await verbs.approvals.get(id);
  assert.equal(approval.shown._mcp_data, "«set by the system»");
  assert.doesNotMatch(JSON.stringify(approval), /secret/);
});

test("a question without an answer expires", async (context) => {
  moveClocks(context);
  const { verbs, hold, events } = await openApprovals(context, { expireMs: 1_000 });
  const id = await hold();
  context.mock.timers.tick(1_000);
  assert.equal((await verbs.approvals.get(id)).status, "expired");
  await assert.rejects(
    verbs.approvals.answer(id, { decision: "approve" }),
    /no answer came in time/,
  );
  assert.deepEqual(await verbs.approvals.list({ status: "pending" }), []);
  assert.ok(
    events.some((event) => event.type === "approval.changed" && event.status === "expired"),
  );
});

test("a yes can be remembered for the tool, for arguments like these, and for a while", async (context) => {
  moveClocks(context);
  const { approvals, verbs, hold } = await openApprovals(context);
  const covers = (args: object, changes = {}) =>
    approvals.remembered(
      {
        ...injectedCall(),
        principal: ann,
        input: { arguments: args as never, repaired: false, dropped: [] },
        ...changes,
      },
      ask,
    );
  const remember = { for: "arguments", arguments: { text: "hi*" }, forMs: 60_000 } as const;
  await verbs.approvals.answer(await hold(), { decision: "approve", remember });
  assert.ok(await covers({ text: "hi there" }));
  assert.equal(await covers({ text: "bye" }), null);
  assert.equal(await covers({}), null);
  assert.equal(await covers({ text: "hi" }, { principal: bob }), null);
  assert.equal(
    await covers({ text: "hi" }, { tool: sampleTool({ description: "now it deletes" }) }),
    null,
  );
  context.mock.timers.tick(60_000);
  assert.equal(await covers({ text: "hi" }), null);
  assert.deepEqual(await verbs.approvals.remembered(), []);
});

test("what a rule of the operator asks about is asked every time", async (context) => {
  const { approvals, verbs, hold } = await openApprovals(context);
  const forced: Verdict = { ...ask, origin: "rule", rule: 3 };
  const id = await hold(forced);
  assert.equal((await verbs.approvals.get(id)).adminRequired, true);
  await verbs.approvals.answer(id, { decision: "approve", remember: { for: "tool" } });
  assert.deepEqual(await verbs.approvals.remembered(), []);
  await verbs.approvals.answer(await hold(), { decision: "approve", remember: { for: "tool" } });
  assert.equal(await approvals.remembered({ ...injectedCall(), principal: ann }, forced), null);
});

test("a yes to a server that works in the directory of its caller holds there and nowhere else", async (context) => {
  const { server } = sampleTool().id;
  const { approvals, verbs, hold } = await openApprovals(context, {}, undefined, {}, [
    server ?? "",
  ]);
  const at = (directory?: string) => ({
    principal: { ...ann, ...(directory !== undefined && { directory }) },
  });
  const covers = (directory?: string) =>
    approvals.remembered({ ...injectedCall(), ...at(directory) }, ask);
  for (const remember of [{ for: "tool" }, { for: "server" }] as const) {
    const id = await hold(ask, at("/a"));
    await verbs.approvals.answer(id, { decision: "approve", remember });
    const [entry] = await verbs.approvals.remembered();
    assert.equal(entry?.directory, "/a");
    assert.ok(await covers("/a"));
    assert.deepEqual([await covers("/b"), await covers()], [null, null]);
    await verbs.approvals.forget(String(entry?.id));
  }
  await verbs.approvals.answer(await hold(ask, at()), {
    decision: "approve",
    remember: { for: "tool" },
  });
  assert.equal(await covers("/a"), null);
  assert.ok(await covers());
  const shared = await openApprovals(context);
  await shared.verbs.approvals.answer(await shared.hold(ask, at("/a")), {
    decision: "approve",
    remember: { for: "tool" },
  });
  assert.ok(
    await shared.approvals.remembered({ ...injectedCall(), ...at("/b") }, ask),
    "others are one server",
  );
});

test("consent is asked for once in a conversation, and can be taken back", async (context) => {
  const { approvals, verbs, hold } = await openApprovals(context);
  const consent: Verdict = { ...ask, consent: true };
  const inTalk = (conversation: string) => ({ principal: ann, options: { conversation } });
  await verbs.approvals.answer(await hold(consent, inTalk("one")), { decision: "approve" });
  const covers = (talk: string) =>
    approvals.remembered({ ...injectedCall(), ...inTalk(talk) }, consent);
  assert.ok(await covers("one"));
  assert.equal(await covers("two"), null);
  const [entry] = await verbs.approvals.remembered();
  assert.equal(await verbs.approvals.forget(String(entry?.id), { principal: bob }), false);
  assert.equal(await verbs.approvals.forget(String(entry?.id)), true);
  assert.equal(await covers("one"), null);
});

test("what was approved and left behind is run by the next process that serves, once", async (context) => {
  const first = await openApprovals(context);
  const id = await first.hold();
  const held = await first.store.heldCall(id);
  assert.ok(held);
  const at = new Date(Date.now() - graceMs).toISOString();
  const answer = { decision: "approve", by: "ann", at, reason: null, arguments: null } as const;
  await first.store.replaceHeldCall({ ...held, status: "approved", answer });
  const second = await openApprovals(context, {}, first.store);
  const third = await openApprovals(context, {}, first.store);
  const ended = new Promise<void>((resolve) => {
    const { replaceHeldCall } = first.store;
    first.store.replaceHeldCall = async (next) => {
      const replaced = await replaceHeldCall(next);
      if (replaced && next.status === "done") resolve();
      return replaced;
    };
  });
  second.approvals.start();
  third.approvals.start();
  await ended;
  assert.equal(second.ran.length + third.ran.length, 1);
});

test("what was begun by a process that is gone is not begun again", async (context) => {
  moveClocks(context);
  const { store, verbs, hold, ran } = await openApprovals(context);
  const id = await hold();
  const held = await store.heldCall(id);
  assert.ok(held);
  const claim = { by: "gone", until: new Date(Date.now() + approvalLeaseMs).toISOString() };
  await store.replaceHeldCall({ ...held, status: "running", claim });
  context.mock.timers.tick(approvalLeaseMs);
  assert.equal((await verbs.approvals.get(id)).status, "interrupted");
  await assert.rejects(verbs.approvals.answer(id, { decision: "approve" }), /not run again/);
  assert.deepEqual(ran, []);
});

test("approvals come a page at a time, and each page tells how many there are", async (context) => {
  const { verbs, hold } = await openApprovals(context);
  const ids = [await hold(), await hold(), await hold()];
  await verbs.approvals.answer(String(ids[0]), { decision: "reject" });
  const read = async (asked: Partial<ApprovalsAsked>) => {
    const found: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await verbs.approvals.page({ limit: 1, cursor, ...asked });
      found.push(...page.approvals.map(({ id }) => id));
      if (page.nextCursor === null) return { found, total: page.total };
      cursor = page.nextCursor;
    }
  };
  assert.deepEqual(await read({}), { found: ids, total: 3 });
  assert.deepEqual(await read({ status: "pending" }), { found: ids.slice(1), total: 2 });
  assert.deepEqual(await read({ order: "newest" }), { found: ids.toReversed(), total: 3 });
  const waitingFirst = [ids[2], ids[1], ids[0]];
  assert.deepEqual(await read({ order: "pending" }), { found: waitingFirst, total: 3 });
  const ofBob = await verbs.approvals.page({ limit: 9 }, { principal: bob });
  assert.deepEqual(
    [ofBob.approvals, ofBob.total],
    [[], 0],
    "what is another's is not counted either",
  );
  for (const cursor of ["nonsense!", Buffer.from("no such").toString("base64url")])
    await assert.rejects(verbs.approvals.page({ limit: 1, cursor }), {
      code: "USAGE",
      message: /is not a valid cursor/,
    });
});

test("version 0.2 beside this one knows the tool of a remote server, and this one what 0.2 held", async (context) => {
  const tool = sampleTool();
  const at = (origin: string) =>
    openApprovals(context, {}, undefined, { notes: { url: `${origin}/mcp` } });
  const local = await openApprovals(context);
  // As version 0.2 keeps it: without an origin.
  const { fingerprint, origin: none } = await local.verbs.approvals.get(await local.hold());
  const here = await at("https://one.example");
  const id = await here.hold();
  const held = await here.verbs.approvals.get(id);
  assert.deepEqual(
    [none, held.origin, held.fingerprint],
    [undefined, "https://one.example", fingerprint],
  );
  assert.ok(here.approvals.isSameTool(tool, fingerprint));

  await here.verbs.approvals.answer(id, { decision: "approve" });
  const approved = here.ran[0]?.approved?.fingerprint ?? "";
  const moved = await at("https://two.example");
  const isSame = [here, moved].map(({ approvals }) => approvals.isSameTool(tool, approved));
  assert.deepEqual(isSame, [true, false]);
});
