import type { Outcome } from "../../model/calls/call.ts";
import { PlaneError } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import type { JsonObject } from "../../model/json.ts";
import type { KeptStep } from "../../model/work/job-run.ts";
import type { SkillManifest } from "../../model/work/skill.ts";

/** What is known of the steps of a run; a job stores it. */
export type StepMemory = {
  known(skill: string, id: string): KeptStep | undefined;
  /** Resolves when it is safe to go on. */
  keep(step: KeptStep): Promise<void>;
};

/** Which model, by its name, and what it is told beside the instructions; the usual one when left out. */
export type AskedModel = { model?: string | undefined; system?: string | undefined };

export type AgentEnd = { record: string; answer: string };

export type SkillParts = {
  run: { id: string; user: string | null };
  memory: StepMemory;
  /** One call along the path, under a key that stays the same however often it is tried. */
  call(step: { skill: string; id: string; tool: string }, args: JsonObject, signal: AbortSignal): Promise<Outcome>;
  isRepeatable(tool: string): Promise<boolean>;
  askAgent(skill: SkillManifest, input: JsonObject, signal: AbortSignal, by?: AskedModel): Promise<AgentEnd>;
  /** One question without tools. */
  ask(by: AskedModel, question: string, signal: AbortSignal): Promise<string>;
  /** What there is too little of to begin another step, or null. */
  overBudget(): Promise<string | null>;
  emit(event: PlaneEvent): void;
};

/** For a run that ends with the process. */
export function createStepMemory(onChange: (steps: KeptStep[]) => Promise<void>, earlier: readonly KeptStep[] = []) {
  const steps = [...earlier];
  const memory: StepMemory = {
    known: (skill, id) => steps.find((step) => step.skill === skill && step.id === id),
    keep(step) {
      const at = steps.findIndex((one) => one.skill === step.skill && one.id === step.id);
      if (at === -1) steps.push(step);
      else steps[at] = step;
      return onChange([...steps]);
    },
  };
  return { memory, steps: () => [...steps] };
}

/** The outcome of an interrupted step is unknown, so a step that is not repeatable is not run again. */
export function requireSafe(known: KeptStep | undefined): void {
  if (known === undefined || known.repeatable || known.state === "skipped") return;
  if (known.at === null) return;
  throw new PlaneError(
    "OUTCOME_UNKNOWN",
    `Step '${known.id}' of '${known.skill}' was begun before and may have run; '${known.tool ?? "an agent"}' may not run twice. Check what it did, then rerun the job.`,
    { data: { step: known.id, skill: known.skill, ...(known.tool === null ? {} : { tool: known.tool }) } },
  );
}
