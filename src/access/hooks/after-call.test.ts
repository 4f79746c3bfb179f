import assert from "node:assert/strict";
import { test } from "node:test";
import { routedCall } from "../../../test/samples/calls.ts";
import { sayingHook } from "../../../test/samples/hooks.ts";
import type { HookAnswer } from "../../model/access/hook.ts";
import type { ToolResult } from "../../model/calls/result.ts";
import { type RunHooks, runInTurn } from "./ask-hooks.ts";
import { review } from "./hooks.ts";

const text = (said: string): ToolResult["content"] => [{ type: "text", text: said }];

async function reviewed(result: ToolResult, answer: HookAnswer | undefined) {
  const { hook, told } = sayingHook("PostToolUse", "looks", answer);
  const askHooks: RunHooks = (event, { payload, ...how }) =>
    runInTurn([hook], {
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
  const attempts = [{ provider: "mcp", ok: true, durationMs: 12, error: null }];
  const call = { ...routedCall(), executed: { result, provider: "mcp", attempts, warnings: [] } };
  const { executed } = await review(
    { ...call, injected: { values: { username: "ada" } } },
    askHooks,
  );
  return { executed, payload: told[0]?.payload };
}

test("a hook learns what was asked, the result and how long it took", async () => {
  const { payload } = await reviewed(
    { content: text("done"), structuredContent: { n: 1 } },
    undefined,
  );
  assert.deepEqual(payload, {
    tool_name: "notes.write",
    server: "notes",
    tool_call_id: "call-1",
    arguments: { text: "hi" },
    verdict: "allow",
    side_effects: "network",
    success: true,
    content: text("done"),
    structured_content: { n: 1 },
    is_error: false,
    duration_ms: 12,
  });
});

test("a result that no hook changes stays what it is, to the letter", async () => {
  const result = { content: text("done"), isError: false, extra: 1 };
  for (const answer of [undefined, { decision: "modify", payload: {} }] as const) {
    const { executed } = await reviewed(result, answer);
    assert.equal(executed.result, result);
    assert.equal(executed.replacedResult, undefined);
  }
});

test("new content takes the place of everything that says the same, and what the tool said is kept", async () => {
  const result = {
    content: text("a secret"),
    structuredContent: { secret: 1 },
    _meta: { secret: 1 },
  };
  for (const content of ["a ******", text("a ******")]) {
    const { executed } = await reviewed(result, {
      decision: "modify",
      payload: { content } as never,
    });
    assert.deepEqual(executed.result, { content: text("a ******"), isError: false });
    assert.equal(executed.replacedResult, result);
    assert.deepEqual(executed.warnings, ["Hook 'looks' changed the result."]);
  }
});

test("structured content that is passed on unchanged beside new content is left out, too", async () => {
  const result = { content: text("a secret"), structuredContent: { secret: 1 } };
  const change = (structured_content: object): HookAnswer => ({
    decision: "modify",
    payload: { content: "a ******", structured_content } as never,
  });
  assert.equal(
    (await reviewed(result, change({ secret: 1 }))).executed.result.structuredContent,
    undefined,
  );
  const changed = await reviewed(result, change({ secret: 0 }));
  assert.deepEqual(changed.executed.result.structuredContent, { secret: 0 });
});

test("a success can be made a failure and the other way round, with the rest left as it is", async () => {
  const failed = await reviewed(
    { content: text("x"), structuredContent: 1 },
    modify({ success: false }),
  );
  assert.deepEqual(failed.executed.result, {
    content: text("x"),
    structuredContent: 1,
    isError: true,
  });
  const flagged = await reviewed({ content: text("x") }, modify({ success: true, is_error: true }));
  assert.equal(flagged.executed.result.isError, true);
  const well = await reviewed(
    { content: text("x"), isError: true },
    modify({ success: true, is_error: true }),
  );
  assert.equal(well.executed.result.isError, false);
});

test("a no holds the result back and says who and why", async () => {
  const { executed } = await reviewed(
    { content: text("a secret") },
    { decision: "deny", reason: "it leaks" },
  );
  assert.deepEqual(executed.result, {
    content: text(
      "'notes.write' ran, but its result was withheld: hook 'looks' (PostToolUse) says: it leaks.",
    ),
    isError: true,
  });
});

for (const payload of [{ content: 7 }, { content: [{ text: "no type" }] }, { success: "yes" }]) {
  test(`${JSON.stringify(payload)} is no result: the hook failed, and the result stays`, async () => {
    const { executed } = await reviewed({ content: text("done") }, modify(payload));
    assert.deepEqual(executed.result.content, text("done"));
  });
}

test("a result that was not looked at to the end is withheld", async () => {
  const attempts = [{ provider: "mcp", ok: true, durationMs: 1, error: null }];
  const executed = {
    result: { content: text("a secret") },
    provider: "mcp",
    attempts,
    warnings: [],
  };
  const gone = () => Promise.reject(new Error("the caller gave up"));
  const reviewedCall = await review({ ...routedCall(), executed }, gone);
  assert.doesNotMatch(JSON.stringify(reviewedCall.executed.result), /secret/);
});

function modify(payload: object): HookAnswer {
  return { decision: "modify", payload: payload as never };
}
