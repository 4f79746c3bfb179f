import assert from "node:assert/strict";
import { test } from "node:test";
import { injectedCall } from "../../test/samples/calls.ts";
import type { Verdict } from "../model/call.ts";
import { approve } from "./approve.ts";

const say = (verdict: Verdict["verdict"]): Verdict => ({ verdict, origin: "rule", reason: "it writes" });
const neverAsked = () => assert.fail("somebody was asked");

test("an allowed call goes on with the verdict", async () => {
  const call = injectedCall();
  assert.deepEqual(await approve(call, () => say("allow"), neverAsked), { ...call, approval: say("allow") });
});

for (const consent of [false, true]) {
  test(`a denied call ends, ${consent ? "even with" : "without"} the consent of the caller`, async () => {
    const call = { ...injectedCall(), options: { consent } };
    await assert.rejects(
      approve(call, () => say("deny"), neverAsked),
      {
        code: "APPROVAL_DENIED",
        message: /'notes\.write' was not run: it writes/,
        data: { tool: "notes.write", origin: "rule" },
      },
    );
  });
}

for (const verdict of ["ask", "queue"] as const) {
  test(`a call that needs a yes (${verdict}) is put to a person and ends with the question's id`, async () => {
    const call = injectedCall();
    const asked: unknown[] = [];
    const approval = approve(
      call,
      () => say(verdict),
      async (...question) => {
        asked.push(...question);
        return "approval-1";
      },
    );
    await assert.rejects(approval, {
      code: "APPROVAL_REQUIRED",
      data: { tool: "notes.write", origin: "rule", approvalId: "approval-1" },
    });
    assert.deepEqual(asked, [call, say(verdict)]);
  });
}

test("a person who has agreed before is not asked, and that is what the record says", async () => {
  const call = { ...injectedCall(), options: { consent: true } };
  const { approval } = await approve(call, () => say("ask"), neverAsked);
  assert.deepEqual(approval, { verdict: "allow", origin: "user", reason: "it writes" });
});

test("a question that could not be stored is not taken for a yes", async () => {
  const failure = new Error("disk full");
  await assert.rejects(
    approve(
      injectedCall(),
      () => say("ask"),
      () => Promise.reject(failure),
    ),
    failure,
  );
});
