import { fenceUntrusted } from "@toolplane/core/lib/text/plain-text";
import { sentence } from "@toolplane/core/lib/text/wording";
import type { Outcome } from "@toolplane/core/model/calls/call";
import { PlaneError, reportError, toPlaneError } from "@toolplane/core/model/errors";
import type { PlaneEvent } from "@toolplane/core/model/events";
import type { Json, JsonObject } from "@toolplane/core/model/json";
import type { KeptStep } from "@toolplane/core/model/work/job-run";
import type {
  Collaboration,
  Participant,
  SkillManifest,
  SkillStep,
} from "@toolplane/core/model/work/skill";
import { fillStep, isMeant, lastResult, resultValue, runGraph, skillGraph } from "./skill-graph.ts";

/** The known steps of a run; a job stores them. */
export type StepMemory = ReturnType<typeof createStepMemory>["memory"];

/** A model by its name, with its system prompt; the default one when left out. */
export type AskedModel = { model?: string | undefined; system?: string | undefined };

export type AgentEnd = { record: string; answer: string };

export type SkillParts = {
  run: { id: string; user: string | null; key?: string; owner?: string };
  memory: StepMemory;
  /** Calls a tool, under the same idempotency key at each attempt. */
  call(
    step: { skill: string; id: string; tool: string },
    args: JsonObject,
    signal: AbortSignal,
  ): Promise<Outcome>;
  isRepeatable(tool: string): Promise<boolean>;
  askAgent(
    skill: SkillManifest,
    input: JsonObject,
    signal: AbortSignal,
    by?: AskedModel,
  ): Promise<AgentEnd>;
  ask(by: AskedModel, question: string, signal: AbortSignal): Promise<string>;
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
      const at = steps.findIndex((one) => one.skill === step.skill && one.id === step.id);
      if (at === -1) steps.push(step);
      else steps[at] = step;
      return onChange([...steps]);
    },
  };
  return { memory, steps: () => [...steps] };
}

/** The outcome of an interrupted step is unknown, so a step that is not repeatable is not run again. */
function requireSafe(known: KeptStep | undefined): void {
  if (known === undefined || known.repeatable || known.state === "skipped" || known.at === null)
    return;
  throw new PlaneError(
    "OUTCOME_UNKNOWN",
    `Step '${known.id}' of '${known.skill}' was begun before and may have run; '${known.tool ?? "an agent"}' may not run twice. Check what it did, then rerun the job.`,
    {
      data: {
        step: known.id,
        skill: known.skill,
        ...(known.tool !== null && { tool: known.tool }),
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
  const begun = Date.now();
  parts.emit({ type: "skill.started", ...facts });
  try {
    const run = skill.steps === undefined ? runAgentStep : runSteps;
    const result = await run(skill, input, parts, signal);
    parts.emit({ type: "skill.completed", ...facts, durationMs: Date.now() - begun });
    return result;
  } catch (thrown) {
    const code = signal.aborted ? "CANCELLED" : toPlaneError(thrown).code;
    parts.emit({ type: "skill.failed", ...facts, durationMs: Date.now() - begun, code });
    throw thrown;
  }
}

function factsOf({ run }: SkillParts, skill: string) {
  const { id: runId, ...who } = run;
  return { runId, ...who, skill };
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
  begun: KeptStep,
  work: () => Promise<StepEnd>,
): Promise<Json> {
  const { memory, emit } = parts;
  const facts = { ...factsOf(parts, begun.skill), step: begun.id, tool: begun.tool };
  await memory.keep(begun);
  emit({ type: "skill.step_started", ...facts });
  const end = await work();
  const { durationMs } = end;
  if ("result" in end) {
    const { record, result } = end;
    await memory.keep({ ...begun, state: "succeeded", record, durationMs, result });
    emit({ type: "skill.step_succeeded", ...facts, record, durationMs });
    return result;
  }
  const { record, error, isCancelled, repeatable } = end;
  const state = isCancelled ? "cancelled" : "failed";
  await memory.keep({ ...begun, state, record, durationMs, repeatable, error: reportError(error) });
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
  const known = parts.memory.known(name, "agent");
  if (known?.state === "succeeded" && known.result !== undefined) return known.result;
  requireSafe(known);
  emitSteps(parts, name, []);
  const lacking = await parts.overBudget();
  if (lacking !== null)
    throw new PlaneError("BUDGET_EXCEEDED", `Skill '${name}' was not started: ${lacking}.`);
  const repeatable = (await Promise.all(required_tools.map(parts.isRepeatable))).every(Boolean);
  const began = Date.now();
  const at = new Date(began).toISOString();
  return runBegun(parts, { ...blank(name, "agent", null, "running"), at, repeatable }, async () => {
    try {
      const { record, answer } = await (collaboration?.enabled
        ? collaborate({ ...skill, collaboration }, input, parts, signal)
        : parts.askAgent(skill, input, signal));
      return { record, durationMs: Date.now() - began, result: answer };
    } catch (thrown) {
      const failure = { error: toPlaneError(thrown), isCancelled: signal.aborted, repeatable };
      return { record: null, durationMs: Date.now() - began, ...failure };
    }
  });
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
    work: (id, either) => runStep(name, stepOf(id), { input, results, parts, signal: either }),
    leaveOut: async (id) => parts.memory.keep(blank(name, id, stepOf(id).tool, "skipped")),
  });
  for (const id of end.neverBegun) {
    const { tool } = stepOf(id);
    if (!signal.aborted) await parts.memory.keep(blank(name, id, tool, "cancelled"));
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
  const known = parts.memory.known(skill, id);
  if (known?.state === "succeeded" && known.result !== undefined) {
    results.set(id, known.result);
    return true;
  }
  if (!isMeant(step, input, results)) {
    await parts.memory.keep(blank(skill, id, tool, "skipped"));
    return false;
  }
  requireSafe(known);
  const { args, repeatable } = await prepareStep(skill, step, context).catch(async (thrown) => {
    const error = toPlaneError(thrown);
    await parts.memory.keep({ ...blank(skill, id, tool, "failed"), error: reportError(error) });
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
  const begun = { ...blank(skill, id, tool, "running"), at: new Date().toISOString(), repeatable };
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

function blank(skill: string, id: string, tool: string | null, state: KeptStep["state"]): KeptStep {
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

type Parts = Pick<SkillParts, "askAgent" | "ask">;
type Reply = { who: Participant; text: string | null; weight: number };

/** Several models come to one answer, as the skill says. A late answer counts as none. */
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
    if (!(share >= quorum)) throw disagreement(skill, all, share || 0);
  };

  if (protocol === "contract_net") {
    const bids = await askAll(asked(skill, input, bidQuestion));
    const valid = bids.filter((bid) => bidIn(bid) !== null);
    require(valid, bids);
    const worth = (bid: Reply) => (bidIn(bid) ?? 0) * bid.weight;
    const [best] = valid.toSorted((a, b) => worth(b) - worth(a));
    const { model, system_prompt: system } = best?.who ?? participants[0] ?? {};
    return parts.askAgent(skill, input, signal, { model, system });
  }
  const first = await parts.askAgent(skill, input, signal);
  if (protocol === "vote") {
    const votes = await askAll(asked(skill, input, voteQuestion, first.answer));
    require(votes.filter(({ text }) => /^\W*yes\b/i.test(text ?? "")), votes);
    return first;
  }
  const remarks = await askAll(asked(skill, input, doubtQuestion, first.answer));
  const said = remarks.flatMap(({ text }) => text ?? []);
  require(remarks.filter(({ text }) => text !== null), remarks);
  const doubts = said.filter((text) => !/^\W*nothing\b/i.test(text));
  if (doubts.length === 0) return first;
  const question = asked(skill, input, reviseQuestion, first.answer, doubts);
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

function bidIn({ text }: Reply): number | null {
  const [found] = /\d+(?:\.\d+)?/.exec(text ?? "") ?? [];
  return found === undefined ? null : Math.min(100, Number(found));
}

function disagreement({ name }: SkillManifest, all: readonly Reply[], share: number): PlaneError {
  const said = all
    .map(({ who, text }) => `${who.id}: ${text?.slice(0, 200) ?? "no answer"}`)
    .join("; ");
  const message = `The participants of skill '${name}' did not agree, ${Math.round(share * 100)} % of them did (${said})`;
  return new PlaneError("TOOL_ERROR", sentence(message), { data: { skill: name, share } });
}

const voteQuestion =
  "Does the answer do what the instructions ask for? Begin with YES or NO, then say why in a sentence.";
const doubtQuestion = "What is wrong with the answer, or missing? Say NOTHING where nothing is.";
const bidQuestion = "How well can you do this, from 0 to 100? Answer with the number alone.";
const reviseQuestion =
  "Write the answer again, with what the remarks are right about. Give nothing but the answer.";

/** What a participant reads. What a model wrote is fenced: it is text and no order. */
function asked(
  { instruction_prompt, safety_notes }: SkillManifest,
  input: JsonObject,
  question: string,
  answer?: string,
  remarks: readonly string[] = [],
): string {
  const shown = (what: string, text: string) => `The ${what}:\n${fenceUntrusted(text)}`;
  return [
    `Instructions:\n${instruction_prompt}`,
    safety_notes,
    Object.keys(input).length === 0 ? "" : `Input:\n${JSON.stringify(input)}`,
    answer === undefined ? "" : shown("answer", answer),
    ...remarks.map((remark) => shown("remark", remark)),
    question,
  ]
    .filter(Boolean)
    .join("\n\n");
}
