import assert from "node:assert/strict";
import { test } from "node:test";
import { injectedCall } from "../../../test/samples/calls.ts";
import { sayingHook } from "../../../test/samples/hooks.ts";
import type { HookAnswer } from "../../model/access/hook.ts";
import type { Injected } from "../../model/calls/call.ts";
import type { Verdict } from "../../model/calls/call-schema.ts";
import { PlaneError } from "../../model/errors.ts";
import { type RunHooks, runInTurn } from "./ask-hooks.ts";
import { type HookContext, judge } from "./before-call.ts";

const allow: Verdict = {
  verdict: "allow",
  origin: "profile:personal",
  reason: "nothing holds it back",
};
const ask: Verdict = { verdict: "ask", origin: "profile:guarded", reason: "it may write" };
const byRule: Verdict = { verdict: "ask", origin: "rule", reason: "a rule", rule: 0 };
const byMode: Verdict = { verdict: "ask", origin: "mode:debug", reason: "debug mode" };
const queued: Verdict = { verdict: "queue", origin: "mode:plan", reason: "plan mode" };
const never: Verdict = { verdict: "deny", origin: "rule", reason: "no", rule: 0 };

type Said = { permission?: HookAnswer; use?: HookAnswer; path?: Partial<HookContext> };

async function judgedBy(verdict: Verdict, { permission, use, path = {} }: Said) {
  const hooks = {
    PermissionRequest: sayingHook("PermissionRequest", "permits", permission),
    PreToolUse: sayingHook("PreToolUse", "uses", use),
  };
  const askHooks: RunHooks = (event, { payload, ...how }) =>
    runInTurn([hooks[event as keyof typeof hooks].hook], {
      ...how,
      call: {
        hook_event_name: event,
        session_id: "s",
        user_email: null,
        compliance_level: null,
        payload,
      },
      showsDetail: false,
      signal: undefined,
      onRun: () => undefined,
    });
  const onTheWay: HookContext = {
    decide: () => verdict,
    async withArguments(call, args) {
      return {
        ...call,
        input: { ...call.input, arguments: args },
        injected: { values: { username: "ada" } },
      };
    },
    ...path,
  };
  const call = injectedCall(undefined, { username: "ada" });
  const judged = await judge(call, onTheWay, askHooks);
  return {
    call: judged,
    verdict: judged.judged?.verdict ?? assert.fail("nothing was judged"),
    told: { permission: hooks.PermissionRequest.told, use: hooks.PreToolUse.told },
  };
}

const approves: HookAnswer = {
  decision: "modify",
  reason: "known",
  payload: { needs_approval: false },
};
const asks: HookAnswer = { decision: "require_approval", reason: "look" };
const rewrites: HookAnswer = { decision: "modify", payload: { arguments: { text: "other" } } };

test("hooks learn the tool, the caller's arguments and the verdict, and nothing that the system sets", async () => {
  const { told } = await judgedBy(ask, {});
  const facts = {
    tool_name: "notes.write",
    server: "notes",
    tool_call_id: "call-1",
    arguments: { text: "hi" },
    verdict: "ask",
    side_effects: "network",
  };
  assert.deepEqual(told.permission[0]?.payload, { ...facts, needs_approval: true });
  assert.deepEqual(told.use[0]?.payload, facts);
});

test("a permission hook may answer the profile's question", async () => {
  const { verdict, told } = await judgedBy(ask, { permission: approves });
  assert.deepEqual([verdict.verdict, verdict.origin], ["allow", "hook:permits"]);
  assert.equal(told.use[0]?.payload.verdict, "allow");
});

for (const held of [byRule, byMode, queued]) {
  test(`a permission hook cannot answer what ${held.origin} holds back (${held.verdict})`, async () => {
    const { verdict } = await judgedBy(held, { permission: approves });
    assert.deepEqual(verdict, held);
  });
}

test("what the policy denies is no hook's business", async () => {
  const { verdict, told } = await judgedBy(never, { permission: approves });
  assert.deepEqual(verdict, never);
  assert.deepEqual([told.permission.length, told.use.length], [0, 0]);
});

for (const event of ["permission", "use"] as const) {
  test(`a hook (${event}) may have a person asked, but not in place of a plan`, async () => {
    const { verdict } = await judgedBy(allow, { [event]: asks });
    assert.deepEqual([verdict.verdict, verdict.origin.split(":")[0]], ["ask", "hook"]);
    assert.equal(
      verdict.rule,
      undefined,
      "it is no rule of the operator, so that a yes may be remembered",
    );
    assert.deepEqual((await judgedBy(queued, { [event]: asks })).verdict, queued);
  });

  test(`a hook (${event}) may say no`, async () => {
    const { verdict } = await judgedBy(allow, { [event]: { decision: "deny", reason: "never" } });
    assert.deepEqual([verdict.verdict, verdict.origin.split(":")[0]], ["deny", "hook"]);
    assert.match(verdict.reason, /^hook '\w+' \(\w+\) says: never$/);
  });
}

test("a hook before the use cannot approve", async () => {
  assert.deepEqual((await judgedBy(ask, { use: approves })).verdict, ask);
});

test("other arguments take back a hook's yes", async () => {
  const { verdict, call } = await judgedBy(ask, { permission: approves, use: rewrites });
  assert.deepEqual(verdict, ask);
  assert.deepEqual(
    [call.input.arguments, call.judged?.before],
    [{ text: "other" }, { text: "hi" }],
  );
});

test("other arguments are judged for themselves, and lead around no rule", async () => {
  const byText = (strict: string) => ({
    decide: ({ input }: Injected) => (input.arguments.text === strict ? byRule : allow),
  });
  const into = await judgedBy(allow, { use: rewrites, path: byText("other") });
  assert.deepEqual(into.verdict, byRule);
  const out = await judgedBy(allow, { use: rewrites, path: byText("hi") });
  assert.deepEqual(out.verdict, byRule);
});

test("who asks for a person and rewrites has the person asked about what was written", async () => {
  const { verdict, call } = await judgedBy(allow, {
    use: { ...rewrites, decision: "require_approval" },
  });
  assert.deepEqual([verdict.verdict, call.input.arguments], ["ask", { text: "other" }]);
});

test("arguments that come out the same are not rewritten, whatever was forged into them", async () => {
  const path: Said["path"] = { withArguments: async (call) => call };
  const forged = { text: "hi", username: "root" };
  const use: HookAnswer = {
    decision: "modify",
    payload: { arguments: forged, tool_name: "other" },
  };
  const { verdict, call } = await judgedBy(ask, { permission: approves, use, path });
  assert.deepEqual([verdict.verdict, call.judged?.before], ["allow", null]);
  assert.deepEqual([call.tool.name, call.injected.values], ["notes.write", { username: "ada" }]);
});

test("arguments that the tool does not take are the hook's fault, and nothing runs", async () => {
  const withArguments = () =>
    Promise.reject(new PlaneError("INVALID_ARGUMENTS", "'text' is missing."));
  const { verdict } = await judgedBy(allow, { use: rewrites, path: { withArguments } });
  assert.deepEqual([verdict.verdict, verdict.origin], ["deny", "hook:uses"]);
  assert.match(
    verdict.reason,
    /wrote arguments that it does not take; correct the hook\. 'text' is missing$/,
  );
});

for (const payload of [{ arguments: [] }, { arguments: "text" }]) {
  test(`${JSON.stringify(payload)} are no arguments`, async () => {
    const { verdict } = await judgedBy(allow, {
      use: { decision: "modify", payload } as HookAnswer,
    });
    assert.match(verdict.reason, /failed: its 'payload\.arguments' is not an object/);
  });
}
