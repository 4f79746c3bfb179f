import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createPlane } from "../../src/index.ts";
import type { ApprovalAnswer } from "../../src/model/calls/held-call.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { callsAt, fixture } from "./support.ts";

type Person = { user: string; groups?: string[]; scopes?: string[]; name?: string };

/** A plane whose server `hr` is for its people alone, and asks about every call; `callOf` makes one. */
async function world(approvals: object, more: object = {}) {
  const directory = await temporaryDirectory();
  const log = directory.file("log");
  const mcpServers = {
    hr: fixture("echo", ["--log", log], { groups: ["hr"] }),
    open: fixture("echo"),
  };
  const policy = {
    profile: "guarded" as const,
    rules: [{ tool: "hr.echo", verdict: "ask" as const }],
  };
  const plane = await createPlane({ config: { mcpServers, policy, approvals, ...more } });
  const as = async ({ user, name = user, ...rest }: Person) => {
    const { secret } = await plane.keys.create({ name, user, ...rest });
    return { principal: await plane.identity.identify(secret), face: "http" as const };
  };
  const ann = await as({ user: "ann", groups: ["hr"] });
  const ask = async (tool = "hr.echo", caller = ann) =>
    String((await plane.call(tool, { message: "hi" }, caller)).approval?.id);
  const yes = (id: string, who: typeof ann, more: Partial<ApprovalAnswer> = {}) =>
    plane.approvals.answer(id, { decision: "approve", ...more }, who);
  const ran = () => callsAt(log).map(({ arguments: args }) => args);
  const dispose = async () => {
    await plane.stop();
    await directory[Symbol.asyncDispose]();
  };
  return { plane, as, ann, ask, yes, ran, [Symbol.asyncDispose]: dispose };
}

const forbidden = { code: "FORBIDDEN" };

suite("a yes binds", () => {
  test("with four eyes a caller's own yes counts with none of their keys; another person's does", async () => {
    await using at = await world({ fourEyes: true });
    const id = await at.ask();
    const other = await at.as({ user: "ann", name: "ann-2", groups: ["hr"], scopes: ["admin"] });
    const boss = await at.as({ user: "boss", groups: ["hr"], scopes: ["admin"] });
    const clerk = await at.as({ user: "clerk", groups: ["hr"] });
    for (const who of [at.ann, other, clerk]) await assert.rejects(at.yes(id, who), forbidden);
    const { outcome } = await at.yes(id, boss);
    assert.equal(outcome?.ok, true, JSON.stringify(outcome?.error));
    assert.equal(at.ran().length, 1);
  });

  test("with four eyes consent that the caller gives along does not count either", async () => {
    await using at = await world({ fourEyes: true }, { policy: { profile: "guarded" } });
    const { error } = await at.plane.call(
      "hr.put_note",
      { key: "k", text: "t" },
      { ...at.ann, consent: true },
    );
    assert.equal(error?.code, "APPROVAL_REQUIRED");
  });

  test("a threshold takes that many different people, and none of them changes what the others approved", async () => {
    await using at = await world({ threshold: 2 });
    const id = await at.ask();
    const boss = await at.as({ user: "boss", groups: ["hr"], scopes: ["admin"] });
    const chief = await at.as({ user: "chief", groups: ["hr"], scopes: ["admin"] });
    const first = await at.yes(id, boss);
    assert.deepEqual([first.approval.status, first.outcome, at.ran()], ["pending", undefined, []]);
    await assert.rejects(at.yes(id, boss), { code: "CONFLICT" });
    await assert.rejects(at.yes(id, chief, { arguments: { message: "other" } }), { code: "USAGE" });
    await assert.rejects(at.yes(id, chief, { remember: { for: "tool" } }), { code: "USAGE" });
    const { approval } = await at.yes(id, chief);
    assert.deepEqual([approval.status, at.ran()], ["done", [{ message: "hi" }]]);
  });

  test("where approvers are named, only they answer, and a caller's own consent does not count", async () => {
    await using at = await world({ approvers: ["leads"] });
    const id = await at.ask();
    await assert.rejects(at.yes(id, at.ann), forbidden);
    const { error } = await at.plane.call(
      "hr.put_note",
      { key: "k", text: "t" },
      { ...at.ann, consent: true },
    );
    assert.equal(error?.code, "APPROVAL_REQUIRED");
    const lead = await at.as({ user: "lea", groups: ["leads"] });
    assert.equal((await at.yes(id, lead)).approval.status, "done");
  });

  test("an approver without access says yes or no, but edits nothing, remembers nothing and sees no result", async () => {
    await using at = await world({ approvers: ["leads"] });
    const id = await at.ask();
    const lead = await at.as({ user: "lea", groups: ["leads"] });
    await assert.rejects(at.yes(id, lead, { arguments: { message: "theirs" } }), forbidden);
    await assert.rejects(at.yes(id, lead, { remember: { for: "server" } }), forbidden);
    const { approval, outcome } = await at.yes(id, lead);
    assert.deepEqual([approval.status, outcome], ["done", undefined]);
    assert.deepEqual(at.ran(), [{ message: "hi" }]);
  });

  test("an approver's edit stays within what a rule lets that approver call", async () => {
    const rules = [
      { tool: "hr.echo", users: ["lea"], arguments: { message: "pay*" }, verdict: "deny" },
      { tool: "hr.echo", verdict: "ask" },
    ];
    await using at = await world(
      { approvers: ["leads"] },
      { policy: { profile: "guarded", rules } },
    );
    const id = await at.ask();
    const lead = await at.as({ user: "lea", groups: ["leads", "hr"] });
    await assert.rejects(at.yes(id, lead, { arguments: { message: "pay me" } }), forbidden);
    const { outcome } = await at.yes(id, lead, { arguments: { message: "fine" } });
    assert.equal(outcome?.ok, true, "with access of their own they see it");
    assert.deepEqual(at.ran(), [{ message: "fine" }]);
  });

  test("a weaker key of the same user neither approves nor edits the call of a stronger one", async () => {
    await using at = await world({});
    const id = await at.ask();
    const weak = await at.as({ user: "ann", name: "weak" });
    await assert.rejects(at.yes(id, weak), forbidden);
    await assert.rejects(at.yes(id, weak, { arguments: { message: "other" } }), forbidden);
    assert.equal((await at.yes(id, at.ann)).outcome?.ok, true);
  });

  test("what callers remembered for themselves before approvers were named does not count any more", async () => {
    await using directory = await temporaryDirectory();
    const mcpServers = { echo: fixture("echo") };
    const config = (approvals: object) => ({
      mcpServers,
      policy: { profile: "guarded" as const },
      approvals,
    });
    const note = { key: "k", text: "t" };
    const place = { dataDirectory: directory.file("data") };
    await using before = await createPlane({ config: config({}), ...place });
    const held = await before.call("echo.put_note", note);
    const remember = { for: "tool" as const };
    await before.approvals.answer(String(held.approval?.id), { decision: "approve", remember });
    assert.equal((await before.call("echo.put_note", note)).ok, true);
    await before.stop();
    await using after = await createPlane({ config: config({ fourEyes: true }), ...place });
    assert.equal((await after.call("echo.put_note", note)).error?.code, "APPROVAL_REQUIRED");
  });
});
