import { type ErrorReport, PlaneError, reportError, toPlaneError } from "../../model/errors.ts";
import type { KeptStep } from "../../model/job-run.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { SkillManifest, SkillStep } from "../../model/skill.ts";
import { runGraph } from "../jobs/run-graph.ts";
import { fillStep, isMeant, lastResult, type PlannedStep, planOf, resultValue } from "./plan.ts";
import { agentStep } from "./run-agent-step.ts";
import { requireSafe, type SkillParts } from "./step-memory.ts";

/** Steps as soon as they can, or a model that follows the instructions. Throws what it failed with. */
export async function runSkill(
  skill: SkillManifest,
  input: JsonObject,
  parts: SkillParts,
  signal: AbortSignal,
): Promise<Json> {
  const facts = { runId: parts.run.id, user: parts.run.user, skill: skill.name };
  const begun = Date.now();
  parts.emit({ type: "skill.started", ...facts });
  try {
    const result = await (skill.steps === undefined
      ? agentStep(skill, input, parts, signal)
      : runSteps(skill, input, parts, signal));
    parts.emit({ type: "skill.completed", ...facts, durationMs: Date.now() - begun });
    return result;
  } catch (thrown) {
    const code = signal.aborted ? "CANCELLED" : toPlaneError(thrown).code;
    parts.emit({ type: "skill.failed", ...facts, durationMs: Date.now() - begun, code });
    throw thrown;
  }
}

async function runSteps(skill: SkillManifest, input: JsonObject, parts: SkillParts, signal: AbortSignal) {
  const facts = { runId: parts.run.id, user: parts.run.user, skill: skill.name };
  const plan = planOf(skill);
  const steps = plan.map(({ id, dependsOn, step }) => ({ id, tool: step.tool, dependsOn: [...dependsOn] }));
  parts.emit({ type: "skill.plan_generated", ...facts, steps });
  parts.emit({ type: "skill.plan_ready", ...facts });
  const results = new Map<string, Json>();
  const byId = new Map(plan.map((planned) => [planned.id, planned]));
  const end = await runGraph(plan, {
    signal,
    work: (id, either) =>
      runStep(skill.name, byId.get(id) as PlannedStep, { input, results, parts, signal: either }),
    leaveOut: async (id) => parts.memory.keep(blank(skill.name, byId.get(id) as PlannedStep, "skipped")),
  });
  for (const id of end.neverBegun) {
    const planned = byId.get(id) as PlannedStep;
    if (!signal.aborted) await parts.memory.keep(blank(skill.name, planned, "cancelled"));
    parts.emit({ type: "skill.step_cancelled", ...facts, step: id, tool: planned.step.tool });
  }
  if (end.error !== null) throw end.error;
  signal.throwIfAborted();
  return lastResult(plan, results);
}

type StepContext = { input: JsonObject; results: Map<string, Json>; parts: SkillParts; signal: AbortSignal };

/** False when its `when` says that it is not meant. */
async function runStep(skill: string, planned: PlannedStep, context: StepContext): Promise<boolean> {
  const { input, results, parts, signal } = context;
  const { id, step } = planned;
  const known = parts.memory.known(skill, id);
  if (known?.state === "succeeded" && known.result !== undefined) {
    results.set(id, known.result);
    return true;
  }
  if (!isMeant(step, input, results)) {
    await parts.memory.keep(blank(skill, planned, "skipped"));
    return false;
  }
  requireSafe(known);
  const facts = { runId: parts.run.id, user: parts.run.user, skill, step: id, tool: step.tool };
  const { args, repeatable } = await prepareStep(skill, step, context).catch(async (thrown) => {
    const error = toPlaneError(thrown);
    await parts.memory.keep({ ...blank(skill, planned, "failed"), error: reportError(error) });
    parts.emit({ type: "skill.step_failed", ...facts, record: null, code: error.code });
    throw error;
  });
  const at = new Date().toISOString();
  const begun: KeptStep = { ...blank(skill, planned, "running"), at, repeatable };
  signal.throwIfAborted();
  await parts.memory.keep(begun);
  parts.emit({ type: "skill.step_started", ...facts });
  const outcome = await parts.call({ skill, id, tool: step.tool }, args, signal);
  const { id: record, durationMs } = outcome.call;
  if (outcome.ok) {
    const result = resultValue(outcome.result);
    results.set(id, result);
    await parts.memory.keep({ ...begun, state: "succeeded", record, durationMs, result });
    parts.emit({ type: "skill.step_succeeded", ...facts, record, durationMs });
    return true;
  }
  const error = failureOf(planned, skill, outcome.error);
  const isCancelled = signal.aborted && outcome.call.status === "cancelled";
  const state = isCancelled ? "cancelled" : "failed";
  // Nobody was asked, so nothing can have happened.
  const harmless = repeatable || error.data.sent === false || outcome.call.attempts === 0;
  await parts.memory.keep({
    ...begun,
    state,
    record,
    durationMs,
    repeatable: harmless,
    error: reportError(error),
  });
  if (isCancelled) parts.emit({ type: "skill.step_cancelled", ...facts });
  else parts.emit({ type: "skill.step_failed", ...facts, record, code: error.code });
  throw error;
}

/** Everything that can keep a step from being begun. */
async function prepareStep(skill: string, step: SkillStep, { input, results, parts }: StepContext) {
  const lacking = await parts.overBudget();
  if (lacking !== null)
    throw new PlaneError("BUDGET_EXCEEDED", `Step '${step.id}' of '${skill}' was not begun: ${lacking}.`);
  const args = fillStep(step, input, results);
  return { args, repeatable: await parts.isRepeatable(step.tool) };
}

function failureOf(
  { id, step }: PlannedStep,
  skill: string,
  { code, message, data }: ErrorReport,
): PlaneError {
  return new PlaneError(code, message, { data: { ...data, tool: step.tool, step: id, skill } });
}

function blank(skill: string, { id, step }: PlannedStep, state: KeptStep["state"]): KeptStep {
  return {
    ...{ skill, id, tool: step.tool, state, record: null, at: null, durationMs: null, error: null },
    repeatable: true,
  };
}
