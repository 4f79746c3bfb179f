import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { temporaryDirectory } from "../../test/fixtures/start-server.ts";
import { loadConfig, requireSafe } from "./load-config.ts";

const load = (hooks: unknown) => loadConfig({ hooks } as never, {});
const hook = { name: "h", command: ["true"] };

test("a hook has a pattern for every tool and two seconds, unless it says otherwise", async () => {
  const { config } = await load({ PreToolUse: [hook] });
  assert.deepEqual(config.problems, []);
  assert.deepEqual(config.hooks.PreToolUse, [{ ...hook, matcher: "*", timeout_ms: 2_000 }]);
  assert.deepEqual(config.hooks.PostToolUse, []);
});

const wrong: [title: string, hooks: unknown, path: RegExp, message: RegExp][] = [
  [
    "a pattern",
    { PreToolUse: [{ ...hook, matcher: "(" }] },
    /^hooks\.PreToolUse\[0\]\.matcher/,
    /not a valid pattern/,
  ],
  [
    "look-ahead",
    { PostToolUse: [{ ...hook, matcher: "(?=a)" }] },
    /matcher/,
    /not a valid pattern/,
  ],
  ["an event", { PreTooluse: [hook] }, /^hooks/, /PreTooluse/],
  ["an event of another program", { PreCompact: [hook] }, /^hooks/, /PreCompact/],
  ["a key", { PreToolUse: [{ ...hook, timeoutMs: 1 }] }, /^hooks/, /timeoutMs/],
  ["a name", { PreToolUse: [{ command: ["true"] }] }, /name/, /./],
  ["a command line", { PreToolUse: [{ ...hook, command: "rm -rf" }] }, /command/, /./],
  ["an empty command", { PreToolUse: [{ ...hook, command: [] }] }, /command/, /./],
  ["a time limit", { PreToolUse: [{ ...hook, timeout_ms: 0 }] }, /timeout_ms/, /./],
  [
    "a variable",
    { PreToolUse: [{ ...hook, command: ["${NOT_SET_ANYWHERE}"] }] },
    /command/,
    /is not set/,
  ],
  ["a list", [hook], /^hooks/, /must be an object/],
];
for (const [title, hooks, path, message] of wrong) {
  test(`${title} that is none keeps the plane from starting`, async () => {
    const { config } = await load(hooks);
    const problem = config.problems.find(({ severity }) => severity === "error");
    assert.match(problem?.path ?? "", path);
    assert.match(problem?.message ?? "", message);
    assert.throws(() => requireSafe(config), { code: "CONFIG_INVALID" });
  });
}

test("hooks of several files add up, and each is still known by its file and line", async () => {
  await using directory = await temporaryDirectory();
  const first = directory.file("toolplane.json");
  const second = directory.file("hooks.json");
  await writeFile(first, JSON.stringify({ hooks: { PreToolUse: [hook] } }));
  const bad = { name: "bad", matcher: "(", command: ["true"] };
  await writeFile(
    second,
    JSON.stringify({ hooks: { PreToolUse: [{ ...hook, name: "i" }, bad] } }, null, 1),
  );
  const { config, merged } = await loadConfig([first, second], {});
  assert.deepEqual(
    config.hooks.PreToolUse.map(({ name }) => name),
    ["h", "i", "bad"],
  );
  const files = [0, 1, 2].map((at) => merged.originOf(["hooks", "PreToolUse", at])?.file);
  assert.deepEqual(files, [first, second, second]);
  const [problem] = config.problems;
  assert.deepEqual(
    [problem?.file, problem?.path, problem?.line],
    [second, "hooks.PreToolUse[1].matcher", 12],
  );
});
