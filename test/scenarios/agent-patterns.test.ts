import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { ScriptedResponse } from "../fixtures/llm-script.ts";
import { agentWorld, sentTo } from "./agent-world.ts";
import { fixture } from "./support.ts";

const says = (text: string): ScriptedResponse => ({ kind: "text", text });
const echoes = (message: string): ScriptedResponse => ({
  kind: "tools",
  calls: [{ name: "fx__echo", arguments: { message } }],
});
const servers = () => ({ fx: fixture("echo") });
const question = "What are one and two?";
const plan =
  '[{"goal": "find one", "tool_hint": "fx__echo"}, {"goal": "find two", "depends_on": [0]}]';

function lastOf(world: Parameters<typeof sentTo>[0], at: number): string {
  return String(sentTo(world, at).messages.at(-1)?.content);
}

suite("patterns of an agent", { concurrency: 2 }, () => {
  test("plan-then-execute makes a plan, works on each step with what is known, and answers with the results", async () => {
    const script = [
      says(`\`\`\`json\n${plan}\n\`\`\``),
      echoes("1"),
      says("It is 1."),
      says("It is 2."),
      says("1 and 2."),
    ];
    await using world = await agentWorld(script, servers());
    const run = await world.plane.agent.run(question, { style: "plan-then-execute" });
    assert.deepEqual(
      [run.answer, run.style, run.outcome],
      ["1 and 2.", "plan-then-execute", "completed"],
    );
    assert.deepEqual(
      [run.steps.length, run.counters.totalToolCalls],
      [5, 1],
      "steps count into one run",
    );
    assert.equal(sentTo(world.model, 0).tools, undefined, "a plan is made without calls");
    assert.match(
      lastOf(world.model, 0),
      /Make a plan[\s\S]*What are one and two\?[\s\S]*- fx__echo: /,
    );
    assert.match(lastOf(world.model, 1), /Your part: find one[\s\S]*'fx__echo' may help/);
    assert.match(
      lastOf(world.model, 3),
      /known so far:\n\n1\. find one\nIt is 1\.[\s\S]*Your part: find two/,
    );
    assert.match(
      lastOf(world.model, 4),
      /1\. find one\nIt is 1\.\n\n2\. find two\nIt is 2\.[\s\S]*What are one and two\?$/,
    );
  });

  test("supervisor gives the parts to agents that work at the same time, and puts their results together", async () => {
    await using world = await agentWorld((body) => {
      const last = String((body.messages as { content: string }[]).at(-1)?.content);
      const [, part] = /Your part: (.*)/.exec(last) ?? [];
      if (part !== undefined) return { ...says(`done: ${part}`), delay: 100 };
      return says(last.startsWith("Split") ? plan : "Both.");
    }, servers());
    const run = await world.plane.agent.run(question, { style: "supervisor" });
    assert.equal(run.answer, "Both.");
    assert.match(
      lastOf(world.model, 3),
      /1\. find one\ndone: find one\n\n2\. find two\ndone: find two/,
    );
    assert.doesNotMatch(lastOf(world.model, 2), /known so far/);
  });

  test("auto lets the model choose, and answers at once where it chooses nothing that is known", async () => {
    const chosen = [
      says('{"task_type": "x", "pattern": "plan-then-execute"}'),
      says('[{"goal": "all"}]'),
      says("a"),
      says("b"),
    ];
    await using world = await agentWorld(chosen, servers());
    assert.equal((await world.plane.agent.run(question, { style: "auto" })).answer, "b");
    for (const reply of ["I do not know", '{"pattern": "swarm"}', '{"pattern": "react"}']) {
      await using other = await agentWorld([says(reply), says("At once.")], servers());
      const run = await other.plane.agent.run(question, { style: "auto" });
      assert.deepEqual([run.answer, other.model.requests.length], ["At once.", 2], reply);
    }
  });

  test("a plan that is none is no reason not to answer, and the turns of all steps are one budget", async () => {
    await using world = await agentWorld([says("No plan."), says("Anyway.")], servers());
    assert.equal(
      (await world.plane.agent.run(question, { style: "plan-then-execute" })).answer,
      "Anyway.",
    );
    const script = [
      says(plan),
      echoes("1"),
      says("1"),
      echoes("2"),
      says("refused"),
      says("2"),
      says("End."),
    ];
    await using short = await agentWorld(script, servers());
    const run = await short.plane.agent.run(question, { style: "plan-then-execute", maxTurns: 1 });
    assert.deepEqual([run.turns, run.steps.filter(({ refused }) => refused).length], [1, 1]);
  });
});
