import { uniqueId } from "../../lib/stamps.ts";
import { PlaneError, reportError, toPlaneError } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import { isObject, type Json, type JsonObject } from "../../model/json.ts";
import { type Principal, requireScope } from "../../model/principal.ts";
import type { KeptStep } from "../../model/work/job-run.ts";
import type { SkillManifest } from "../../model/work/skill.ts";
import type { RunSkillOptions, SkillRun, StepRun } from "../../model/work/skill-run.ts";
import type { SkillVerbs } from "../verbs.ts";
import { planOf } from "./plan.ts";
import { notReady, type PreflightParts, preflight } from "./preflight.ts";
import { runSkill } from "./run-skill.ts";
import { createStepMemory, type SkillParts } from "./step-memory.ts";

type SkillVerbParts = {
  defaultPrincipal: Principal;
  emit(event: PlaneEvent): void;
  find(name: string, principal: Principal): Promise<SkillManifest>;
  preflight(principal: Principal, face: RunSkillOptions["face"], model?: string): PreflightParts;
  /** How its calls are made, all in one conversation. */
  calling(
    id: string,
    principal: Principal,
    options: RunSkillOptions,
  ): Omit<SkillParts, "run" | "memory" | "emit"> & {
    end(): Promise<void>;
  };
  stopping: AbortSignal;
};

/** A skill in the foreground: the caller waits, and its steps are returned and not stored. */
export function createSkillVerbs(parts: SkillVerbParts): SkillVerbs {
  const { defaultPrincipal, emit } = parts;
  return {
    async runSkill(name, input = {}, options = {}) {
      const { principal = defaultPrincipal, signal, dryRun = false } = options;
      requireScope(principal, "call", "run a skill");
      if (!isObject(input)) throw new PlaneError("USAGE", 'The input of a skill is an object like {"city": "Rome"}.');
      const skill = await parts.find(name, principal);
      const id = uniqueId();
      const facts = { id, skill: skill.name, persona: skill.persona ?? null, user: principal.user };
      const run: SkillRun = { ...facts, ...nothingYet(), steps: plannedSteps(skill) };
      await requireReady(skill, input, id, options);
      if (dryRun) return run;
      const begun = performance.now();
      const calling = parts.calling(id, principal, options);
      const { memory, steps } = createStepMemory(async () => undefined);
      const either = AbortSignal.any(signal ? [signal, parts.stopping] : [parts.stopping]);
      const end = (fields: Pick<SkillRun, "outcome" | "result" | "error">): SkillRun => ({
        ...{ ...run, ...fields, durationMs: Math.round(performance.now() - begun) },
        steps: skill.steps === undefined ? steps().map(shown) : run.steps.map((step) => shown(latest(step, steps()))),
      });
      try {
        const whole = { ...calling, run: { id, user: principal.user }, memory, emit };
        const result: Json = await runSkill(skill, input, whole, either);
        return end({ outcome: "completed", result, error: null });
      } catch (thrown) {
        const error = either.aborted
          ? new PlaneError("CANCELLED", `Skill '${name}' was cancelled.`)
          : toPlaneError(thrown);
        return end({
          outcome: either.aborted ? "cancelled" : "failed",
          result: null,
          error: reportError(error),
        });
      } finally {
        await calling.end();
      }
    },
  };

  async function requireReady(skill: SkillManifest, input: JsonObject, id: string, options: RunSkillOptions) {
    const { principal = defaultPrincipal, face, model } = options;
    const reasons = await preflight(skill, input, parts.preflight(principal, face, model));
    if (reasons.length === 0) return;
    emit({
      type: "skill.failed",
      runId: id,
      user: principal.user,
      skill: skill.name,
      durationMs: 0,
      code: "NOT_READY",
    });
    throw notReady(`Skill '${skill.name}'`, reasons);
  }
}

function nothingYet(): Pick<SkillRun, "at" | "durationMs" | "outcome" | "result" | "error"> {
  return { at: new Date().toISOString(), durationMs: 0, outcome: "planned", result: null, error: null };
}

function plannedSteps(skill: SkillManifest): StepRun[] {
  return planOf(skill).map(({ id, step }) => ({
    ...{ skill: skill.name, id, tool: step.tool, state: "planned", record: null, at: null },
    ...{ durationMs: null, error: null },
  }));
}

function latest(step: StepRun, known: readonly KeptStep[]): StepRun {
  return known.find(({ id }) => id === step.id) ?? step;
}

function shown(step: StepRun & Partial<KeptStep>): StepRun {
  const { repeatable: _repeatable, result: _result, ...rest } = step;
  return rest;
}
