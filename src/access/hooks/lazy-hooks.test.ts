import assert from "node:assert/strict";
import { subscribe } from "node:diagnostics_channel";
import { registerHooks } from "node:module";
import { test } from "node:test";
import { hookCommand } from "../../../test/samples/hooks.ts";
import { createPlane } from "../../index.ts";
import type { HookCall, LibraryHooks } from "../../model/access/hook.ts";

const loaded: string[] = [];
registerHooks({
  load(url, context, next) {
    loaded.push(url);
    return next(url, context);
  },
});
let started = 0;
subscribe("child_process", () => {
  started += 1;
});

const echo = {
  name: "say",
  description: "Says it again.",
  side_effects: "none",
  parameters: { type: "object" },
} as const;

async function planeWith(hooks?: LibraryHooks, config: object = {}) {
  const plane = await createPlane({
    config: { mcpServers: {}, ...config },
    ...(hooks ? { hooks } : {}),
  });
  plane.tools.register({
    manifest: echo,
    run: (args) => ({ content: [], structuredContent: args as never }),
  });
  return plane;
}

/** The first test: what is loaded once stays loaded. */
test("without a hook nothing of them is loaded, and no process is started", async () => {
  await using plane = await planeWith({}, { hooks: { PreToolUse: [] } });
  const { ok, call } = await plane.call("say", { text: "hi" });
  assert.equal(ok, true);
  await plane.conversations.end("c");
  assert.ok(loaded.length > 0, "nothing was noticed at all");
  assert.deepEqual(
    loaded.filter((url) => /\/access\/hooks\/(?!hook-verbs)/.test(url)),
    [],
  );
  assert.equal(started, 0);
  const record = await plane.calls.get(call.id);
  assert.equal("hooks" in record, false);
  assert.ok(record.stages.every(({ stage }) => stage !== "hooks"));
});

test("with one it is asked, and what it decides is recorded and told, without a payload", async () => {
  const PreToolUse = [{ name: "c", command: hookCommand("continue.sh") }];
  await using plane = await planeWith(undefined, { hooks: { PreToolUse } });
  const events: object[] = [];
  plane.on("hook.decided", (event) => void events.push(event));
  const { ok, call } = await plane.call("say", { text: "hi" });
  assert.equal(ok, true);
  assert.equal(started, 1);
  assert.ok(loaded.some((url) => /\/access\/hooks\/(?!hook-verbs)/.test(url)));
  const decided = { event: "PreToolUse", name: "c", decision: "continue" } as const;
  assert.deepEqual(events, [{ type: "hook.decided", callId: call.id, tool: "say", ...decided }]);
  const [{ ms, ...run } = { ms: 0 }] = (await plane.calls.get(call.id)).hooks ?? [];
  assert.deepEqual(run, { ...decided, reason: null });
  assert.ok(ms > 0);
});

test("functions keep the same contract, after the commands", async () => {
  const told: HookCall[] = [];
  await using plane = await planeWith(
    {
      PreToolUse: [
        function shouts(call) {
          told.push(call);
          const { text } = call.payload.arguments as { text: string };
          return { decision: "modify", payload: { arguments: { text: text.toUpperCase() } } };
        },
        { name: "others", matcher: "^other$", run: () => ({ decision: "deny" }) },
      ],
      PostToolUse: [async () => ({ decision: "deny", reason: "it is private" })],
    },
    {
      hooks: {
        PreToolUse: [
          { name: "sets", command: hookCommand("set-text.mjs", "+ there"), timeout_ms: 60_000 },
        ],
      },
    },
  );
  const outcome = await plane.call("say", { text: "hi" }, { conversation: "talk" });
  assert.deepEqual([outcome.ok, outcome.error?.code], [false, "TOOL_ERROR"]);
  assert.match(
    outcome.error?.message ?? "",
    /^'say' ran, but its result was withheld: .*it is private\.$/,
  );
  assert.deepEqual(
    [told[0]?.session_id, told[0]?.payload.arguments],
    ["talk", { text: "hi there" }],
  );
  assert.deepEqual(outcome.call.warnings, [
    "Hook 'PostToolUse[0]' changed the result.",
    "A hook changed the arguments.",
  ]);
  const record = await plane.calls.get(outcome.call.id);
  assert.deepEqual(
    record.hooks?.map(({ name, decision }) => [name, decision]),
    [
      ["sets", "modify"],
      ["shouts", "modify"],
      ["PostToolUse[0]", "deny"],
    ],
  );
  assert.ok(record.changedHash !== undefined && record.changedHash !== record.resultHash);
  const { health } = await plane.tools.get("say");
  assert.equal(health.success_rate, 1, "the tool did nothing wrong");
});

test("a conversation may be refused before its first call, and its end is reported", async () => {
  const ended: string[] = [];
  await using plane = await planeWith({
    SessionStart: [
      ({ session_id }) =>
        session_id === "bad" ? { decision: "deny", reason: "not this" } : undefined,
    ],
    SessionEnd: [({ session_id }) => void ended.push(session_id)],
  });
  const refused = await plane.call("say", {}, { conversation: "bad" });
  assert.deepEqual([refused.error?.code, refused.call.status], ["APPROVAL_DENIED", "refused"]);
  assert.equal((await plane.call("say", {}, { conversation: "good" })).ok, true);
  await plane.conversations.end("good");
  assert.deepEqual(ended, ["good"]);
});

test("a function that cannot be one keeps the plane from being made", async () => {
  const run = () => undefined;
  await assert.rejects(planeWith({ PreToolCall: [run] } as LibraryHooks), {
    code: "USAGE",
    message: /No hook event 'PreToolCall'\. There are PermissionRequest, PreToolUse/,
  });
  await assert.rejects(planeWith({ PreToolUse: [{ matcher: "(", run }] }), {
    code: "USAGE",
    message: /PreToolUse hook: matcher '\(' is not a valid pattern/,
  });
});
