import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { createPlane, resultText } from "../../src/index.ts";

const server = (name: string) => ({
  command: process.execPath,
  args: [fileURLToPath(new URL(`../../servers/${name}/main.ts`, import.meta.url))],
});
/** What a model might answer; the quotes and the command in it are there to show that they stay text. */
const answer = {
  steps: [
    { tool: "demo_greet", arguments: { name: "Ann O'Hara $(whoami)" }, why: "Say hello first." },
    {
      tool: "demo_add_note",
      arguments: { note: "greeted\nAnn" },
      why: "Remember it.",
      dependsOn: [1],
    },
  ],
};

await using plane = await createPlane({
  config: {
    mcpServers: {
      demo: server("demo"),
      planner: { ...server("planner"), inject_options: { exclude_self: true } },
    },
  },
  sampling: async () => ({
    role: "assistant",
    model: "scripted",
    content: { type: "text", text: JSON.stringify(answer) },
  }),
});

const made = await plane.call("planner.plan_with_tools", {
  task: "Greet Ann and take a note of it",
});
const { script } = (made.result?.structuredContent ?? {}) as { script: string };
console.log(script);
assert.match(
  script,
  /^toolplane call demo\.greet --args '\{"name":"Ann O'\\''Hara \$\(whoami\)"\}'/m,
);

const check = await plane.plans.check(script);
assert.deepEqual(check.problems, []);
console.log(`${check.steps.length} steps, nothing is wrong`);

const broken = await plane.plans.check(script.replace("demo.greet", "demo.great"));
for (const { line, message, hint } of broken.problems)
  console.log(`line ${line}: ${message} ${hint}`);
assert.match(broken.problems[0]?.hint ?? "", /demo\.greet/);

for (const { tool, arguments: args } of check.steps) {
  const { ok, result } = await plane.call(tool, args);
  assert.ok(ok && result);
  console.log(resultText(result));
}
const notes = await plane.call("demo.list_notes");
assert.equal(notes.result?.content[0]?.text, "greeted\nAnn");
