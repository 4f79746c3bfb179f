import assert from "node:assert/strict";
import { test } from "node:test";
import { injectedCall, requestedCall } from "../../test/samples/calls.ts";
import type { HeldYes } from "../model/calls/call.ts";
import type { Verdict } from "../model/calls/call-schema.ts";
import type { JsonObject } from "../model/json.ts";
import { type ApproveOptions, approve as approveAtOnce } from "./approve.ts";

/** Where it does not wait it answers at once, which is the same to a caller that waits. */
const approve = async (...given: Parameters<typeof approveAtOnce>) => approveAtOnce(...given);

const say = (verdict: Verdict["verdict"]): Verdict => ({
  verdict,
  origin: "rule",
  reason: "it writes",
});

function saying(
  verdict: Verdict["verdict"],
  changes: Partial<ApproveOptions> = {},
): ApproveOptions {
  return {
    ownCounts: () => true,
    decide: () => say(verdict),
    hasOpen: () => false,
    join: async () => null,
    remembered: async () => null,
    isSameTool: async (_tool, fingerprint) => fingerprint === "as it is",
    hold: () => assert.fail("a person was asked"),
    ...changes,
  };
}

const approvalOf = async (...given: Parameters<typeof approve>) => {
  const approved = await approve(...given);
  assert.ok("approval" in approved);
  return approved.approval;
};

test("an allowed call goes on with the verdict", async () => {
  const call = injectedCall();
  assert.deepEqual(await approve(call, saying("allow")), { ...call, approval: say("allow") });
});

const yes: HeldYes = { id: "h", fingerprint: "as it is", by: "ada", arguments: { text: "hi" } };
const consents = {
  nothing: {},
  consent: { options: { consent: true } },
  approval: { approved: yes },
};

for (const [name, changes] of Object.entries(consents)) {
  test(`a denied call ends despite an earlier yes: ${name}`, async () => {
    await assert.rejects(approve({ ...injectedCall(), ...changes }, saying("deny")), {
      code: "APPROVAL_DENIED",
      message: /'notes\.write' was not run: it writes/,
      data: { tool: "notes.write", origin: "rule" },
    });
  });
}

for (const verdict of ["ask", "queue"] as const) {
  test(`a call that needs a yes (${verdict}) is held, and goes on as it comes back`, async () => {
    const call = injectedCall();
    const back = requestedCall();
    const asked: unknown[] = [];
    const hold: ApproveOptions["hold"] = async (...question) => {
      asked.push(...question);
      return back;
    };
    assert.equal(await approve(call, saying(verdict, { hold })), back);
    assert.deepEqual(asked, [call, say(verdict), {}]);
  });

  test(`a dry run of it (${verdict}) asks no person`, async () => {
    const call = { ...injectedCall(), options: { dryRun: true } };
    assert.deepEqual(await approvalOf(call, saying(verdict)), say(verdict));
  });
}

test("a person who has agreed before is not asked, and that is what the record says", async () => {
  const call = { ...injectedCall(), options: { consent: true } };
  assert.deepEqual(await approvalOf(call, saying("ask")), {
    verdict: "allow",
    origin: "user",
    reason: "it writes",
  });
  const remembered = async () => "yesterday";
  assert.deepEqual(await approvalOf(injectedCall(), saying("ask", { remembered })), {
    verdict: "allow",
    origin: "user_auto",
    reason: "yesterday",
  });
});

test("no consent and nothing remembered leads around a plan", async () => {
  const back = requestedCall();
  const hold = async () => back;
  const remembered = async () => "yesterday";
  const call = { ...injectedCall(), options: { consent: true } };
  assert.equal(await approve(call, saying("queue", { hold, remembered })), back);
});

test("a yes to a held call is good for that call", async () => {
  const call = injectedCall();
  const approved = { ...yes, arguments: call.input.arguments };
  const { verdict, origin } = await approvalOf({ ...call, approved }, saying("ask"));
  assert.deepEqual([verdict, origin], ["allow", "approval"]);
});

const changed: Record<string, HeldYes> = {
  "a tool that has changed since": { ...yes, fingerprint: "as it was" },
  "arguments that became others": { ...yes, arguments: { text: "what was shown" } },
};
for (const [title, approved] of Object.entries(changed)) {
  test(`a yes is not good for ${title}`, async () => {
    await assert.rejects(approve({ ...injectedCall(), approved }, saying("ask")), {
      code: "APPROVAL_DENIED",
      message: /has changed since 'h' was approved\. Make the call again/,
    });
  });
}

test("a question that could not be stored is not taken for a yes", async () => {
  const failure = new Error("disk full");
  const hold = () => Promise.reject(failure);
  await assert.rejects(approve(injectedCall(), saying("ask", { hold })), failure);
});

const judged = (verdict: Verdict["verdict"], before: JsonObject | null = null) => ({
  judged: { verdict: say(verdict), before },
});

test("the decision of hooks counts, and is not made again", async () => {
  const decide = () => assert.fail("it was decided");
  const call = { ...injectedCall(), ...judged("allow") };
  assert.deepEqual(await approvalOf(call, saying("deny", { decide })), say("allow"));
  await assert.rejects(
    approve({ ...injectedCall(), ...judged("deny") }, saying("allow", { decide })),
    {
      code: "APPROVAL_DENIED",
    },
  );
});

test("earlier consent does not cover arguments that a hook wrote", async () => {
  const back = requestedCall();
  const call = {
    ...injectedCall(),
    ...judged("ask", { text: "mine" }),
    options: { consent: true },
  };
  assert.equal(await approve(call, saying("ask", { hold: async () => back })), back);
});

test("a yes to a held call is void when a hook writes something else, even where none is needed any more", async () => {
  const options = saying("allow");
  for (const verdict of ["allow", "ask"] as const) {
    const shown = { ...yes, arguments: { text: "what was shown" } };
    const other = { ...injectedCall(), ...judged(verdict, { text: "mine" }), approved: shown };
    await assert.rejects(approve(other, options), /has changed since 'h' was approved/);
    const edited = {
      ...injectedCall(),
      ...judged(verdict, { text: "theirs" }),
      approved: { ...yes, arguments: null },
    };
    await assert.rejects(approve(edited, options), /has changed since 'h' was approved/);
    const same = { ...injectedCall(), ...judged(verdict, { text: "mine" }), approved: yes };
    assert.equal((await approvalOf(same, options)).origin, "approval");
  }
});

test("what hooks decided before a person was asked stays with the call", async () => {
  const hooks = [
    { event: "PreToolUse", name: "h", decision: "require_approval", reason: null, ms: 1 },
  ] as const;
  const back = requestedCall();
  const call = { ...injectedCall(), ...judged("ask"), hooks: [...hooks] };
  assert.deepEqual(await approve(call, saying("ask", { hold: async () => back })), {
    ...back,
    hooks,
  });
});
