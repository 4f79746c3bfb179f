import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Executed, Outcome, Requested } from "../model/calls/call.ts";
import type { ToolResult } from "../model/calls/result.ts";
import type { JsonObject } from "../model/json.ts";
import { principalOf, trusted } from "../model/principal.ts";
import { createActivity } from "./activity.ts";

const ada = principalOf({ user: "ada" });
const bob = principalOf({ user: "bob" });

type Told = {
  args?: unknown;
  values?: JsonObject;
  result?: ToolResult;
  text?: string;
  user?: string;
};

function note(activity: ReturnType<typeof createActivity>, id: string, told: Told = {}): void {
  const { args = {}, values = {}, user = "ada", text = "done" } = told;
  const result = told.result ?? { content: [{ type: "text", text }] };
  const call = {
    id,
    at: "2026-03-01T12:00:00.000Z",
    asked: { tool: "t", arguments: args },
    principal: principalOf({ user }),
    face: "cli",
    options: {},
    input: { arguments: args, repaired: false, dropped: [] },
    injected: { values },
  } as unknown as Requested & Partial<Executed>;
  const outcome = {
    ok: true,
    call: { id, tool: "s.t", status: "succeeded", durationMs: 4 },
    result,
  };
  activity.note(call, outcome as unknown as Outcome);
}

function summary(told: Told): [args: string | undefined, result: string | null | undefined] {
  const activity = createActivity();
  note(activity, "one", told);
  const [entry] = activity.entries(ada);
  return [entry?.arguments, entry?.result];
}

test("the last hundred calls are there, newest first", () => {
  const activity = createActivity();
  for (let number = 0; number < 130; number += 1) note(activity, String(number));
  const ids = activity.entries(ada).map(({ id }) => id);
  assert.deepEqual([ids.length, ids[0], ids.at(-1)], [100, "129", "30"]);
});

test("callers see their own calls, and administrators all of them", () => {
  const activity = createActivity();
  note(activity, "1", { user: "ada" });
  note(activity, "2", { user: "bob" });
  const seen = (principal: typeof ada) => activity.entries(principal).map(({ id }) => id);
  assert.deepEqual(
    [seen(ada), seen(bob), seen(trusted({ user: "eve" }))],
    [["1"], ["2"], ["2", "1"]],
  );
});

test("a summary has no invisible, direction-changing or control characters, and a secret does not hide behind them", () => {
  const text = "a\u202eb\u200bc\u001b[31md\u{e0041}e\u0007";
  assert.deepEqual(summary({ args: { text: "a\u202eb\u200bc" }, text }), [
    '{"text":"abc"}',
    "abcde",
  ]);
  const [, result] = summary({ text: "pass\u200bword: hunter2hunter2" });
  assert.match(result ?? "", /\[redacted\]/);
});

test("a summary has at most 256 characters and one line", () => {
  const [args, result] = summary({
    args: { text: "a b ".repeat(500) },
    text: "line\n".repeat(5_000),
  });
  assert.equal(args?.length, 256);
  assert.equal(result?.length, 256);
  assert.match(result ?? "", /^line line .*…$/);
});

const secrets: [title: string, told: Told][] = [
  ["under a telling key", { args: { password: "hun ter 2" } }],
  ["as a number under a telling key", { args: { config: { api_key: 123456 } } }],
  ["by its shape", { args: { note: "use sk-abcdefgh12345678 now" } }],
  ["in JSON inside of an argument", { args: { body: '{"token": "hunter2"}' } }],
  [
    "in an argument of a sign-in",
    { args: { authorization: "hunter2", cookie: "hunter2", pin: 123456 } },
  ],
  ["in JSON with a cookie", { args: { body: '{"cookie": "hunter2", "pin": "123456"}' } }],
  ["in JSON with a header", { text: '{"Authorization": "Basic hunter2"}' }],
  ["in the text of a result", { text: "API_KEY=hunter2hunter2 and AKIAIOSFODNN7EXAMPLE" }],
  ["in a structured result", { result: { content: [], structuredContent: { secret: "hunter2" } } }],
  ["cut by the limit", { text: `${"x".repeat(245)} sk-abcdefgh12345678` }],
];

for (const [title, told] of secrets) {
  test(`a secret is hidden ${title}`, () => {
    const shown = summary(told).join(" ");
    assert.doesNotMatch(shown, /hun ?ter|123456|abcdefgh|IOSFODNN/);
  });
}

test("what only the system sets is named and not shown, also where the tool repeats it", () => {
  const values = { username: "ada", _mcp_data: { available_servers: ["s"] } };
  const text = `hello ada of Canada, you have ${JSON.stringify(values._mcp_data)}`;
  const [args, result] = summary({ args: { q: 1 }, values, text });
  assert.equal(args, '{"q":1,"username":"«injected»","_mcp_data":"«injected»"}');
  assert.equal(result, "hello «injected» of Canada, you have «injected»");
});

test("arguments that are no object are shown as they came", () => {
  assert.equal(summary({ args: '{"cut off' })[0], '{"cut off');
});

test("a large result is not kept in memory for its summary", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const activity = createActivity();
  const noteLarge = () => {
    const result: ToolResult = { content: [{ type: "text", text: "word ".repeat(100_000) }] };
    note(activity, "large", { result });
    return new WeakRef(result);
  };
  const held = noteLarge();
  // What was looked at in this turn is held until its end.
  await nextTurn();
  collect();
  assert.equal(held.deref(), undefined);
  assert.match(activity.entries(ada)[0]?.result ?? "", /^word word/);
});
