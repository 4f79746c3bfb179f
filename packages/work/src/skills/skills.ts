import { eitherSignal } from "@toolplane/core/lib/async/signals";
import { uniqueId } from "@toolplane/core/lib/ids-and-time";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { PlaneError, reportError, toPlaneError } from "@toolplane/core/model/errors";
import type { PlaneEvent } from "@toolplane/core/model/events";
import { isObject, type JsonObject } from "@toolplane/core/model/json";
import { ownerOf, type Principal, requireScope } from "@toolplane/core/model/principal";
import type { KeptStep } from "@toolplane/core/model/work/job-run";
import type { SkillRun, StepRun } from "@toolplane/core/model/work/run-schema";
import type { SkillManifest } from "@toolplane/core/model/work/skill";
import type { RunSkillOptions } from "@toolplane/core/model/work/skill-run";
import type { SkillVerbs } from "@toolplane/core/work";
import { notReady, preflight } from "./preflight.ts";
import { createStepMemory, runSkill } from "./run-skill.ts";
import type { SkillCalls } from "./skill-calls.ts";
import { skillGraph } from "./skill-graph.ts";

type SkillVerbParts = {
  emit(event: PlaneEvent): void;
  find(name: string, principal: Principal): Promise<SkillManifest>;
  preflight: SkillCalls["preflight"];
  /** How its calls are made, all in one conversation. */
  calling: SkillCalls["inForeground"];
  stopping: AbortSignal;
};

/** A skill in the foreground: the caller waits, and its steps are returned and not stored. */
export function createSkillVerbs(parts: SkillVerbParts): SkillVerbs {
  const { emit, stopping } = parts;
  return {
    async run(name, input = {}, options) {
      const { principal, signal, dryRun = false } = options;
      requireScope(principal, "call", "run a skill");
      if (!isObject(input))
        throw new PlaneError("USAGE", 'The input of a skill is an object like {"city": "Rome"}.');
      const skill = await parts.find(name, principal);
      const run = dryRunOf(skill, principal);
      await requireReady(parts, skill, input, run, { ...options, principal });
      if (dryRun) return run;
      const startedAt = performance.now();
      const { end, ...calling } = parts.calling(run.id, principal, options);
      const { memory, steps } = createStepMemory(async () => undefined);
      const runSignal = eitherSignal(signal, stopping);
      const endRun = (fields: Pick<SkillRun, "outcome" | "result" | "error">): SkillRun => {
        const endedSteps =
          skill.steps === undefined ? steps() : run.steps.map((step) => latestStep(step, steps()));
        return {
          ...run,
          ...fields,
          durationMs: Math.round(performance.now() - startedAt),
          steps: endedSteps.map(withoutMemory),
        };
      };
      try {
        const skillParts = {
          ...calling,
          run: { id: run.id, ...callerFacts(principal) },
          memory,
          emit,
        };
        return endRun({
          outcome: "completed",
          result: await runSkill(skill, input, skillParts, runSignal),
          error: null,
        });
      } catch (thrown) {
        if (!runSignal.aborted)
          return endRun({
            outcome: "failed",
            result: null,
            error: reportError(toPlaneError(thrown)),
          });
        const error = new PlaneError("CANCELLED", `Skill '${name}' was cancelled.`);
        return endRun({ outcome: "cancelled", result: null, error: reportError(error) });
      } finally {
        await end();
      }
    },
  };
}

async function requireReady(
  parts: SkillVerbParts,
  skill: SkillManifest,
  input: JsonObject,
  { id: runId }: SkillRun,
  { principal, face, model }: RunSkillOptions & { principal: Principal },
): Promise<void> {
  const reasons = await preflight(skill, input, parts.preflight(principal, face, model));
  if (reasons.length === 0) return;
  parts.emit({
    type: "skill.failed",
    runId,
    ...callerFacts(principal),
    skill: skill.name,
    durationMs: 0,
    code: "NOT_READY",
  });
  throw notReady(`Skill '${skill.name}'`, reasons);
}

function callerFacts(principal: Principal): { user: string | null; key?: string; owner: string } {
  const { user, key } = principal;
  return { user, ...withoutUndefined({ key }), owner: ownerOf(principal) };
}

function dryRunOf(skill: SkillManifest, { user }: Principal): SkillRun {
  const { name, persona = null } = skill;
  const notRun = { record: null, at: null, durationMs: null, error: null };
  const steps = skillGraph(skill).map(
    ({ id, step }): StepRun => ({ skill: name, id, tool: step.tool, state: "planned", ...notRun }),
  );
  const plannedFields = { durationMs: 0, outcome: "planned", result: null, error: null } as const;
  return {
    id: uniqueId(),
    skill: name,
    persona,
    user,
    at: new Date().toISOString(),
    ...plannedFields,
    steps,
  };
}

function latestStep(step: StepRun, keptSteps: readonly KeptStep[]): StepRun {
  return keptSteps.find(({ id }) => id === step.id) ?? step;
}

function withoutMemory({
  repeatable: _repeatable,
  result: _result,
  ...step
}: StepRun & Partial<KeptStep>): StepRun {
  return step;
}
