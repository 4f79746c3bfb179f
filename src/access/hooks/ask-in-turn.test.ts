import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { sayingHook } from "../../../test/samples/hooks.ts";
import { moveTime, useMockedTime } from "../../../test/samples/mocked-time.ts";
import type { HookAnswer } from "../../model/access/hook.ts";
import type { HookRun } from "../../model/calls/call-schema.ts";
import { type HookRequest, runInTurn } from "./ask-hooks.ts";
import { functionHook, type Hook } from "./hook.ts";

async function ask(hooks: Hook[], changes: Partial<HookRequest> = {}) {
  const runs: HookRun[] = [];
  const judged = await runInTurn(hooks, {
    call: {
      hook_event_name: "PreToolUse",
      session_id: "s",
      user_email: "ada",
      compliance_level: null,
      payload: { count: 0 },
    },
    showsDetail: false,
    change: (payload, given) => ({ payload: { ...payload, ...given } }),
    mayAsk: true,
    signal: undefined,
    onRun: (run) => runs.push(run),
    ...changes,
  });
  return { judged, runs };
}

const saying = (name: string, ...answers: (HookAnswer | undefined)[]) =>
  sayingHook("PreToolUse", name, ...answers);
const decided = (runs: HookRun[]) => runs.map(({ name, decision }) => `${name}: ${decision}`);

test("hooks are asked one after the other, and each sees what those before it changed", async () => {
  const first = saying("first", { decision: "modify", payload: { count: 1 } });
  const second = saying("second", { decision: "continue", payload: { count: 9 } });
  const third = saying("third", { decision: "modify", payload: { count: 3 } });
  const { judged, runs } = await ask([first.hook, second.hook, third.hook]);
  assert.deepEqual(
    [first, second, third].map(({ told }) => told[0]?.payload),
    [{ count: 0 }, { count: 1 }, { count: 1 }],
  );
  assert.deepEqual([judged.decision, judged.by, judged.payload], ["modify", "third", { count: 3 }]);
  assert.deepEqual(decided(runs), ["first: modify", "second: continue", "third: modify"]);
});

test("the first no ends it", async () => {
  const never = saying("never", undefined);
  const { judged, runs } = await ask([
    saying("asks", { decision: "require_approval" }).hook,
    saying("denies", { decision: "deny", reason: "not today." }).hook,
    never.hook,
  ]);
  assert.deepEqual([judged.decision, judged.by], ["deny", "denies"]);
  assert.equal(judged.reason, "hook 'denies' (PreToolUse) says: not today");
  assert.equal(never.told.length, 0);
  assert.deepEqual(decided(runs), ["asks: require_approval", "denies: deny"]);
});

test("a hook that asks for approval is not overruled by later ones", async () => {
  const { judged } = await ask([
    saying("asks", { decision: "require_approval", reason: "look" }).hook,
    saying("changes", { decision: "modify", payload: { count: 2, needs_approval: false } }).hook,
    saying("goes on", { decision: "continue" }).hook,
  ]);
  assert.deepEqual(
    [judged.decision, judged.by, judged.payload.count],
    ["require_approval", "asks", 2],
  );
});

test("a payload that says approval is needed is the same as asking for it", async () => {
  const { judged } = await ask([
    saying("h", { decision: "modify", payload: { needs_approval: true } }).hook,
  ]);
  assert.equal(judged.decision, "require_approval");
});

test("no person can be asked about a call that is over: that is a failure", async () => {
  const { judged, runs } = await ask([saying("h", { decision: "require_approval" }).hook], {
    mayAsk: false,
  });
  assert.deepEqual([judged.decision, runs[0]?.failed], ["deny", true]);
});

const broken = () => {
  throw new Error("cannot open /srv/rules");
};
for (const [event, decision] of [
  ["PermissionRequest", "deny"],
  ["PreToolUse", "deny"],
  ["PostToolUse", "continue"],
  ["SessionStart", "continue"],
  ["SessionEnd", "continue"],
] as const) {
  test(`a ${event} hook that fails counts for '${decision}' unless it says otherwise`, async () => {
    const { judged, runs } = await ask([functionHook(event, { name: "h", run: broken }, 0)]);
    assert.deepEqual([judged.decision, runs[0]?.failed], [decision, true]);
    const other = decision === "deny" ? "allow" : "deny";
    const opposite = await ask([
      functionHook(event, { name: "h", run: broken, on_error: other }, 0),
    ]);
    assert.notEqual(opposite.judged.decision, decision);
  });
}

test("what a broken hook wrote is shown to administrators alone", async () => {
  const hook = functionHook("PreToolUse", { name: "h", run: broken }, 0);
  const { judged } = await ask([hook]);
  const failed = "hook 'h' (PreToolUse) failed: it threw an error";
  assert.equal(judged.reason, `${failed}; correct it, or change its 'on_error'`);
  const shown = await ask([hook], { showsDetail: true });
  assert.match(shown.judged.reason ?? "", /threw an error: cannot open \/srv\/rules;/);
});

suite("time", () => {
  useMockedTime();

  test("a hook that takes too long has failed, and gets the signal to stop", async () => {
    let stopped: AbortSignal | undefined;
    const run = (_: unknown, signal: AbortSignal) => {
      stopped = signal;
      return new Promise<undefined>(() => undefined);
    };
    const asking = ask([functionHook("PreToolUse", { name: "h", run, timeout_ms: 3_000 }, 0)]);
    await moveTime(3_000);
    const { judged, runs } = await asking;
    assert.equal(judged.decision, "deny");
    assert.equal(runs[0]?.reason, "it took longer than 3 s, its 'timeout_ms'");
    assert.equal(stopped?.aborted, true);
  });
});

test("a caller that gave up is not answered", async () => {
  const controller = new AbortController();
  const run = () => {
    controller.abort(new Error("gone"));
    return new Promise<undefined>(() => undefined);
  };
  const hook = functionHook("PreToolUse", { run, on_error: "allow" }, 0);
  await assert.rejects(ask([hook], { signal: controller.signal }), { message: "gone" });
});

test("a reason is cut, has no secrets and no control characters", async () => {
  const reason = `token=abcdefgh12345678 \u001b[31m${"long ".repeat(1_000)}`;
  const { runs } = await ask([saying("h", { decision: "deny", reason }).hook]);
  const shown = runs[0]?.reason ?? "";
  assert.match(shown, /^token=\[redacted\] long/);
  assert.ok(shown.length <= 500, String(shown.length));
});

test("a change that cannot be made is a failure, and changes nothing", async () => {
  const hook = saying("h", { decision: "modify", payload: { count: 5 } }).hook;
  const change = () => ({ failed: "its 'payload.count' is odd" });
  const { judged } = await ask([{ ...hook, onError: "allow" }], { change });
  assert.deepEqual([judged.decision, judged.payload], ["continue", { count: 0 }]);
});

test("what a function does to its argument or its answer later changes nothing", async () => {
  const payload = { count: 1 };
  const run = (call: { payload: { count?: unknown } }) => {
    call.payload.count = 99;
    return { decision: "modify", payload } as const;
  };
  const { judged } = await ask([functionHook("PreToolUse", run, 0)]);
  payload.count = 2;
  assert.deepEqual(judged.payload, { count: 1 });
  assert.equal(judged.by, "PreToolUse[0]");
});
