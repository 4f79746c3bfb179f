import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome } from "@toolplane/core/model/calls/call";
import type { PlaneEvent } from "@toolplane/core/model/events";
import type { JsonObject } from "@toolplane/core/model/json";
import type { KeptStep } from "@toolplane/core/model/work/job-run";
import { SkillManifest } from "@toolplane/core/model/work/skill";
import { createStepMemory, runSkill, type SkillParts } from "./run-skill.ts";

const skill = SkillManifest.parse({
  name: "two",
  version: "1",
  instruction_prompt: "Do.",
  required_tools: [],
  required_capabilities: [],
  safety_notes: "",
  steps: [
    { id: "one", tool: "t", arguments: { n: 1 } },
    { id: "two", tool: "t", arguments: { n: "${steps.one.result}" } },
  ],
});

function answer(id: string, ...texts: string[]): Outcome {
  const call = {
    id,
    tool: "t",
    status: "succeeded",
    durationMs: 1,
    provider: "p",
    attempts: 1,
  } as const;
  const result = { content: texts.map((text) => ({ type: "text", text })) };
  return { ok: true, call: { ...call, repaired: false, dropped: [], warnings: [] }, result };
}

/** Runs the skill with what is known of it; tells what was called. */
async function run(earlier: KeptStep[], parts: Partial<SkillParts> = {}, what = skill) {
  const called: JsonObject[] = [];
  const events: PlaneEvent[] = [];
  const { memory, steps } = createStepMemory(async () => undefined, earlier);
  const whole: SkillParts = {
    run: { id: "r", user: "ada" },
    memory,
    emit: (event) => void events.push(event),
    call: async ({ id }, args) => {
      called.push(args);
      return answer(id, `said ${id}`);
    },
    isRepeatable: async () => false,
    overBudget: async () => null,
    askAgent: async () => ({ record: "a", answer: "done" }),
    ask: async () => "yes",
    ...parts,
  };
  const ended = await runSkill(what, {}, whole, new AbortController().signal).catch(
    (thrown) => thrown,
  );
  return { ended, called, events: events.map(({ type }) => type), steps: steps() };
}

const begun = (changes: Partial<KeptStep>): KeptStep => ({
  skill: "two",
  id: "one",
  tool: "t",
  state: "running",
  record: null,
  at: "2026-03-01T12:00:00.000Z",
  durationMs: null,
  error: null,
  repeatable: false,
  ...changes,
});

test("a step that is done is not done again, and what it said is still known", async () => {
  const { ended, called } = await run([begun({ state: "succeeded", result: "kept" })]);
  assert.deepEqual([ended, called], ["said two", [{ n: "kept" }]]);
});

test("a step that was under way is done again where that does no harm, and otherwise nothing is", async () => {
  assert.equal((await run([begun({ repeatable: true })])).called.length, 2);
  const { ended, called } = await run([begun({})]);
  assert.deepEqual([ended.code, called.length], ["OUTCOME_UNKNOWN", 0]);
});

test("no step is begun when the budget is used up", async () => {
  let asked = 0;
  const overBudget = async () => (asked++ === 0 ? null : "its tools have used up the 2 s");
  const { ended, called, events } = await run([], { overBudget });
  assert.deepEqual([ended.code, called.length], ["BUDGET_EXCEEDED", 1]);
  assert.match(ended.message, /Step 'two' of 'two' was not started: its tools have used up/);
  assert.equal(events.at(-1), "skill.failed");
});

test("a step that cannot be begun has failed, and those after it are cancelled", async () => {
  const call: SkillParts["call"] = async ({ id }) => answer(id);
  const missing = { ...skill.steps?.[1], arguments: { n: "${steps.one.result.gone}" } };
  const third = { id: "three", tool: "t", arguments: {}, depends_on: ["two"] };
  const changed = SkillManifest.parse({ ...skill, steps: [skill.steps?.[0], missing, third] });
  const { ended, events, steps } = await run([], { call }, changed);
  assert.equal(ended.code, "INVALID_ARGUMENTS");
  assert.deepEqual(
    steps.map(({ id, state, error }) => [id, state, error?.code]),
    [
      ["one", "succeeded", undefined],
      ["two", "failed", "INVALID_ARGUMENTS"],
      ["three", "cancelled", undefined],
    ],
  );
  assert.ok(events.includes("skill.step_failed"));
});

test("a step is kept as begun before its call is made", async () => {
  const order: string[] = [];
  const { memory } = createStepMemory(async (steps) => void order.push(steps.at(-1)?.state ?? ""));
  const call: SkillParts["call"] = async ({ id }) => {
    order.push("call");
    return answer(id, "x");
  };
  await run([], { memory, call });
  assert.deepEqual(order.slice(0, 3), ["running", "call", "succeeded"]);
});
