import { fenceUntrusted } from "../../lib/text/plain-text.ts";
import { sentence } from "../../lib/text/wording.ts";
import { type ErrorReport, PlaneError, reportError, toPlaneError } from "../../model/errors.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { KeptStep } from "../../model/work/job-run.ts";
import type { Collaboration, Participant, SkillManifest, SkillStep } from "../../model/work/skill.ts";
import { fillStep, isMeant, lastResult, type PlannedStep, planOf, resultValue, runGraph } from "./plan.ts";
import { type AgentEnd, requireSafe, type SkillParts } from "./step-memory.ts";

/** The only step of a skill that has none of its own. */
const id = "agent";

/** A model follows the instructions, with the tools of the skill and no others. */
async function agentStep(
  skill: SkillManifest,
  input: JsonObject,
  parts: SkillParts,
  signal: AbortSignal,
): Promise<Json> {
  const { run, memory, isRepeatable, overBudget, emit } = parts;
  const { name, required_tools } = skill;
  const known = memory.known(name, id);
  if (known?.state === "succeeded" && known.result !== undefined) return known.result;
  requireSafe(known);
  const facts = { runId: run.id, user: run.user, skill: name };
  emit({ type: "skill.plan_generated", ...facts, steps: [] });
  emit({ type: "skill.plan_ready", ...facts });
  const lacking = await overBudget();
  if (lacking !== null) throw new PlaneError("BUDGET_EXCEEDED", `Skill '${name}' was not begun: ${lacking}.`);
  const each = await Promise.all(required_tools.map(isRepeatable));
  const began = Date.now();
  const begun: KeptStep = {
    ...{ skill: name, id, tool: null, state: "running", record: null, at: new Date(began).toISOString() },
    ...{ durationMs: null, error: null, repeatable: each.every(Boolean) },
  };
  const step = { ...facts, step: id, tool: null };
  await memory.keep(begun);
  emit({ type: "skill.step_started", ...step });
  try {
    const { collaboration } = skill;
    const { record, answer } = await (collaboration?.enabled
      ? collaborate({ ...skill, collaboration }, input, parts, signal)
      : parts.askAgent(skill, input, signal));
    const durationMs = Date.now() - began;
    await memory.keep({ ...begun, state: "succeeded", record, durationMs, result: answer });
    emit({ type: "skill.step_succeeded", ...step, record, durationMs });
    return answer;
  } catch (thrown) {
    const error = toPlaneError(thrown);
    const state = signal.aborted ? "cancelled" : "failed";
    await memory.keep({ ...begun, state, durationMs: Date.now() - began, error: reportError(error) });
    if (signal.aborted) emit({ type: "skill.step_cancelled", ...step });
    else emit({ type: "skill.step_failed", ...step, record: null, code: error.code });
    throw error;
  }
}

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
    work: (id, either) => runStep(skill.name, byId.get(id) as PlannedStep, { input, results, parts, signal: either }),
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
  // Without an attempt nothing can have happened.
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

function failureOf({ id, step }: PlannedStep, skill: string, { code, message, data }: ErrorReport): PlaneError {
  return new PlaneError(code, message, { data: { ...data, tool: step.tool, step: id, skill } });
}

function blank(skill: string, { id, step }: PlannedStep, state: KeptStep["state"]): KeptStep {
  return {
    ...{ skill, id, tool: step.tool, state, record: null, at: null, durationMs: null, error: null },
    repeatable: true,
  };
}

type Parts = Pick<SkillParts, "askAgent" | "ask">;
type Reply = { who: Participant; text: string | null; weight: number };

/** Several models come to one answer, as the skill says. Who does not answer in time has said nothing. */
export async function collaborate(
  skill: SkillManifest & { collaboration: Collaboration },
  input: JsonObject,
  parts: Parts,
  signal: AbortSignal,
): Promise<AgentEnd> {
  const { protocol, participants, quorum } = skill.collaboration;
  const askAll = (question: string) => replies(skill.collaboration, question, parts, signal);
  const require = (agreeing: readonly Reply[], all: readonly Reply[]) => {
    const share = weightOf(agreeing) / weightOf(all);
    if (!(share >= quorum)) throw disagreement(skill, all, share);
  };

  if (protocol === "contract_net") {
    const bids = await askAll(bidFor(skill, input));
    const valid = bids.filter(({ text }) => bidIn(text) !== null);
    require(valid, bids);
    const [best] = valid.toSorted((a, b) => worth(b) - worth(a));
    const { model, system_prompt: system } = best?.who ?? participants[0] ?? {};
    return parts.askAgent(skill, input, signal, { model, system });
  }
  const first = await parts.askAgent(skill, input, signal);
  if (protocol === "vote") {
    const votes = await askAll(voteOn(skill, input, first.answer));
    require(votes.filter(({ text }) => /^\W*yes\b/i.test(text ?? "")), votes);
    return first;
  }
  const remarks = await askAll(doubtAbout(skill, input, first.answer));
  const said = remarks.flatMap(({ text }) => text ?? []);
  require(remarks.filter(({ text }) => text !== null), remarks);
  const doubts = said.filter((text) => !/^\W*nothing\b/i.test(text));
  if (doubts.length === 0) return first;
  const question = revise(skill, input, first.answer, doubts);
  return { ...first, answer: await parts.ask({}, question, signal) };
}

async function replies(
  { participants, timeout }: Collaboration,
  question: string,
  { ask }: Parts,
  signal: AbortSignal,
): Promise<Reply[]> {
  const either = AbortSignal.any([signal, AbortSignal.timeout(timeout * 1_000)]);
  const all = await Promise.all(
    participants.map(async (who): Promise<Reply> => {
      const { model = who.provider, system_prompt: system, weight = 1 } = who;
      const text = await ask({ model, system }, question, either).catch(() => null);
      return { who, text: text?.trim() || null, weight };
    }),
  );
  signal.throwIfAborted();
  return all;
}

function weightOf(all: readonly Reply[]): number {
  return all.reduce((sum, { weight }) => sum + weight, 0);
}

function bidIn(text: string | null): number | null {
  const [found] = /\d+(?:\.\d+)?/.exec(text ?? "") ?? [];
  return found === undefined ? null : Math.min(100, Number(found));
}

function worth({ text, weight }: Reply): number {
  return (bidIn(text) ?? 0) * weight;
}

function disagreement({ name }: SkillManifest, all: readonly Reply[], share: number): PlaneError {
  const said = all.map(({ who, text }) => `${who.id}: ${text?.slice(0, 200) ?? "no answer"}`).join("; ");
  const part = Number.isNaN(share) ? 0 : Math.round(share * 100);
  return new PlaneError(
    "TOOL_ERROR",
    sentence(`The participants of skill '${name}' did not agree, ${part} % of them did (${said})`),
    { data: { skill: name, share: Number.isNaN(share) ? 0 : share } },
  );
}

type Skill = Pick<SkillManifest, "instruction_prompt" | "safety_notes">;

/** What participants of a skill are asked. What a model wrote is shown as text and not as an order. */
function voteOn(skill: Skill, input: JsonObject, answer: string): string {
  const question =
    "Does the answer do what the instructions ask for? Begin with YES or NO, then say why in a sentence.";
  return [task(skill, input), shown("answer", answer), question].join("\n\n");
}

function doubtAbout(skill: Skill, input: JsonObject, answer: string): string {
  const question = "What is wrong with the answer, or missing? Say NOTHING where nothing is.";
  return [task(skill, input), shown("answer", answer), question].join("\n\n");
}

function bidFor(skill: Skill, input: JsonObject): string {
  return [task(skill, input), "How well can you do this, from 0 to 100? Answer with the number alone."].join("\n\n");
}

function revise(skill: Skill, input: JsonObject, answer: string, remarks: readonly string[]): string {
  const all = remarks.map((one) => shown("remark", one));
  return [
    task(skill, input),
    shown("answer", answer),
    ...all,
    "Write the answer anew, with what the remarks are right about. Give nothing but the answer.",
  ].join("\n\n");
}

function task({ instruction_prompt, safety_notes }: Skill, input: JsonObject): string {
  const given = Object.keys(input).length === 0 ? "" : `Input:\n${JSON.stringify(input)}`;
  return [`Instructions:\n${instruction_prompt}`, safety_notes, given].filter(Boolean).join("\n\n");
}

function shown(what: string, text: string): string {
  return `The ${what}:\n${fenceUntrusted(text)}`;
}
