import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import type { Outcome } from "@toolplane/core/model/calls/call";
import { PlaneError, reportError, toPlaneError } from "@toolplane/core/model/errors";
import type { PlaneEvent } from "@toolplane/core/model/events";
import type { Json, JsonObject } from "@toolplane/core/model/json";
import type { KeptStep } from "@toolplane/core/model/work/job-run";
import type { SkillManifest, SkillStep } from "@toolplane/core/model/work/skill";
import { collaborate, type ModelPorts } from "./collaborate.ts";
import {
  conditionHolds,
  fillStep,
  lastResult,
  resultValue,
  runGraph,
  skillGraph,
} from "./skill-graph.ts";

/** The known steps of a run; a job stores them. */
export type StepMemory = ReturnType<typeof createStepMemory>["memory"];

export type SkillParts = ModelPorts & {
  run: { id: string; user: string | null; key?: string; owner?: string };
  memory: StepMemory;
  /** Calls a tool, under the same idempotency key at each attempt. */
  call(
    step: { skill: string; id: string; tool: string },
    args: JsonObject,
    signal: AbortSignal,
  ): Promise<Outcome>;
  isRepeatable(tool: string): Promise<boolean>;
  /** The budget that is used up, or null. */
  overBudget(): Promise<string | null>;
  emit(event: PlaneEvent): void;
};

export function createStepMemory(
  onChange: (steps: KeptStep[]) => Promise<void>,
  earlier: readonly KeptStep[] = [],
) {
  const steps = [...earlier];
  const memory = {
    known: (skill: string, id: string) =>
      steps.find((step) => step.skill === skill && step.id === id),
    /** Resolves when it is stored. */
    keep(step: KeptStep): Promise<void> {
      const index = steps.findIndex(({ skill, id }) => skill === step.skill && id === step.id);
      if (index === -1) steps.push(step);
      else steps[index] = step;
      return onChange([...steps]);
    },
  };
  return { memory, steps: () => [...steps] };
}

/** The outcome of an interrupted step is unknown, so a step that is not repeatable is not run again. */
function requireSafe(earlierStep: KeptStep | undefined): void {
  if (
    earlierStep === undefined ||
    earlierStep.repeatable ||
    earlierStep.state === "skipped" ||
    earlierStep.at === null
  )
    return;
  throw new PlaneError(
    "OUTCOME_UNKNOWN",
    `Step '${earlierStep.id}' of '${earlierStep.skill}' was begun before and may have run; '${earlierStep.tool ?? "an agent"}' may not run twice. Check what it did, then rerun the job.`,
    {
      data: {
        step: earlierStep.id,
        skill: earlierStep.skill,
        ...withoutUndefined({ tool: earlierStep.tool ?? undefined }),
      },
    },
  );
}

/** Steps as soon as they can begin, or a model that follows the instructions. Throws its failure. */
export async function runSkill(
  skill: SkillManifest,
  input: JsonObject,
  parts: SkillParts,
  signal: AbortSignal,
): Promise<Json> {
  const facts = factsOf(parts, skill.name);
  const startedAt = Date.now();
  parts.emit({ type: "skill.started", ...facts });
  try {
    const run = skill.steps === undefined ? runAgentStep : runSteps;
    const result = await run(skill, input, parts, signal);
    parts.emit({ type: "skill.completed", ...facts, durationMs: Date.now() - startedAt });
    return result;
  } catch (thrown) {
    const code = signal.aborted ? "CANCELLED" : toPlaneError(thrown).code;
    parts.emit({ type: "skill.failed", ...facts, durationMs: Date.now() - startedAt, code });
    throw thrown;
  }
}

function factsOf({ run }: SkillParts, skill: string) {
  const { id: runId, ...caller } = run;
  return { runId, ...caller, skill };
}

function emitSteps(
  parts: SkillParts,
  skill: string,
  steps: { id: string; tool: string; dependsOn: string[] }[],
): void {
  parts.emit({ type: "skill.plan_generated", ...factsOf(parts, skill), steps });
  parts.emit({ type: "skill.plan_ready", ...factsOf(parts, skill) });
}

type StepEnd =
  | { record: string; durationMs: number; result: Json }
  | {
      record: string | null;
      durationMs: number;
      error: PlaneError;
      isCancelled: boolean;
      repeatable: boolean;
    };

/** Keeps what becomes of a step, and reports it. */
async function runBegun(
  parts: SkillParts,
  begunStep: KeptStep,
  work: () => Promise<StepEnd>,
): Promise<Json> {
  const { memory, emit } = parts;
  const facts = { ...factsOf(parts, begunStep.skill), step: begunStep.id, tool: begunStep.tool };
  await memory.keep(begunStep);
  emit({ type: "skill.step_started", ...facts });
  const end = await work();
  const { durationMs } = end;
  if ("result" in end) {
    const { record, result } = end;
    await memory.keep({ ...begunStep, state: "succeeded", record, durationMs, result });
    emit({ type: "skill.step_succeeded", ...facts, record, durationMs });
    return result;
  }
  const { record, error, isCancelled, repeatable } = end;
  const state = isCancelled ? "cancelled" : "failed";
  await memory.keep({
    ...begunStep,
    state,
    record,
    durationMs,
    repeatable,
    error: reportError(error),
  });
  if (isCancelled) emit({ type: "skill.step_cancelled", ...facts });
  else emit({ type: "skill.step_failed", ...facts, record, code: error.code });
  throw error;
}

/** The only step of a skill without steps: a model follows the instructions, with the tools of the skill alone. */
async function runAgentStep(
  skill: SkillManifest,
  input: JsonObject,
  parts: SkillParts,
  signal: AbortSignal,
): Promise<Json> {
  const { name, required_tools, collaboration } = skill;
  const earlierStep = parts.memory.known(name, "agent");
  if (earlierStep?.state === "succeeded" && earlierStep.result !== undefined)
    return earlierStep.result;
  requireSafe(earlierStep);
  emitSteps(parts, name, []);
  const lacking = await parts.overBudget();
  if (lacking !== null)
    throw new PlaneError("BUDGET_EXCEEDED", `Skill '${name}' was not started: ${lacking}.`);
  const repeatable = (await Promise.all(required_tools.map(parts.isRepeatable))).every(Boolean);
  const startedAt = Date.now();
  const startTime = new Date(startedAt).toISOString();
  return runBegun(
    parts,
    { ...unstartedStep(name, "agent", null, "running"), at: startTime, repeatable },
    async () => {
      try {
        const { record, answer } = await (collaboration?.enabled
          ? collaborate({ ...skill, collaboration }, input, parts, signal)
          : parts.askAgent(skill, input, signal));
        return { record, durationMs: Date.now() - startedAt, result: answer };
      } catch (thrown) {
        const failure = { error: toPlaneError(thrown), isCancelled: signal.aborted, repeatable };
        return { record: null, durationMs: Date.now() - startedAt, ...failure };
      }
    },
  );
}

async function runSteps(
  skill: SkillManifest,
  input: JsonObject,
  parts: SkillParts,
  signal: AbortSignal,
) {
  const { name } = skill;
  const graph = skillGraph(skill);
  const steps = graph.map(({ id, dependsOn, step }) => ({
    id,
    tool: step.tool,
    dependsOn: [...dependsOn],
  }));
  emitSteps(parts, name, steps);
  const results = new Map<string, Json>();
  const byId = new Map(graph.map(({ id, step }) => [id, step]));
  const stepOf = (id: string) => byId.get(id) as SkillStep;
  const end = await runGraph(graph, {
    signal,
    work: (id, stepSignal) =>
      runStep(name, stepOf(id), { input, results, parts, signal: stepSignal }),
    leaveOut: async (id) => parts.memory.keep(unstartedStep(name, id, stepOf(id).tool, "skipped")),
  });
  for (const id of end.neverBegun) {
    const { tool } = stepOf(id);
    if (!signal.aborted) await parts.memory.keep(unstartedStep(name, id, tool, "cancelled"));
    parts.emit({ type: "skill.step_cancelled", ...factsOf(parts, name), step: id, tool });
  }
  if (end.error !== null) throw end.error;
  signal.throwIfAborted();
  return lastResult(graph, results);
}

type StepContext = {
  input: JsonObject;
  results: Map<string, Json>;
  parts: SkillParts;
  signal: AbortSignal;
};

/** False when its `when` leaves it out. */
async function runStep(skill: string, step: SkillStep, context: StepContext): Promise<boolean> {
  const { input, results, parts, signal } = context;
  const { id, tool } = step;
  const earlierStep = parts.memory.known(skill, id);
  if (earlierStep?.state === "succeeded" && earlierStep.result !== undefined) {
    results.set(id, earlierStep.result);
    return true;
  }
  if (!conditionHolds(step, input, results)) {
    await parts.memory.keep(unstartedStep(skill, id, tool, "skipped"));
    return false;
  }
  requireSafe(earlierStep);
  const { args, repeatable } = await prepareStep(skill, step, context).catch(async (thrown) => {
    const error = toPlaneError(thrown);
    await parts.memory.keep({
      ...unstartedStep(skill, id, tool, "failed"),
      error: reportError(error),
    });
    parts.emit({
      type: "skill.step_failed",
      ...factsOf(parts, skill),
      step: id,
      tool,
      record: null,
      code: error.code,
    });
    throw error;
  });
  signal.throwIfAborted();
  const begun = {
    ...unstartedStep(skill, id, tool, "running"),
    at: new Date().toISOString(),
    repeatable,
  };
  const result = await runBegun(parts, begun, async () => {
    const outcome = await parts.call({ skill, id, tool }, args, signal);
    const { call } = outcome;
    const { id: record, durationMs } = call;
    if (outcome.ok) return { record, durationMs, result: resultValue(outcome.result) };
    const { code, message, data } = outcome.error;
    const error = new PlaneError(code, message, { data: { ...data, tool, step: id, skill } });
    // Without an attempt nothing can have happened.
    const isHarmless = repeatable || data.sent === false || call.attempts === 0;
    const isCancelled = signal.aborted && call.status === "cancelled";
    return { record, durationMs, error, isCancelled, repeatable: isHarmless };
  });
  results.set(id, result);
  return true;
}

/** Everything that can keep a step from beginning. */
async function prepareStep(skill: string, step: SkillStep, { input, results, parts }: StepContext) {
  const lacking = await parts.overBudget();
  if (lacking !== null)
    throw new PlaneError(
      "BUDGET_EXCEEDED",
      `Step '${step.id}' of '${skill}' was not started: ${lacking}.`,
    );
  const args = fillStep(step, input, results);
  return { args, repeatable: await parts.isRepeatable(step.tool) };
}

function unstartedStep(
  skill: string,
  id: string,
  tool: string | null,
  state: KeptStep["state"],
): KeptStep {
  return {
    skill,
    id,
    tool,
    state,
    record: null,
    at: null,
    durationMs: null,
    error: null,
    repeatable: true,
  };
}
