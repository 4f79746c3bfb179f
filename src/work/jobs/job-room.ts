import { noWork } from "../../catalogue/no-work.ts";
import { jobsFor, visibleWork } from "../../catalogue/visible-work.ts";
import { uniqueId } from "../../lib/stamps.ts";
import { jobSubject } from "../../model/catalogue/health.ts";
import { workNotFound } from "../../catalogue/catalogue.ts";

import { PlaneError, reportError, toPlaneError } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import { isObject, type Json, type JsonObject } from "../../model/json.ts";
import { mayDo, type Principal, requireScope } from "../../model/principal.ts";
import type { JobVerbs, SkillVerbs } from "../../model/verbs.ts";
import type { JobManifest } from "../../model/work/job.ts";
import type { KeptJobRun, KeptStep } from "../../model/work/job-run.ts";
import type { SkillManifest } from "../../model/work/skill.ts";
import type { RunSkillOptions, SkillRun, StepRun } from "../../model/work/skill-run.ts";

import { planOf } from "../skills/plan.ts";
import { notReady, type PreflightParts, preflight } from "../skills/preflight.ts";
import { runSkill } from "../skills/run-skill.ts";
import { createSkillCalls } from "../skills/skill-calls.ts";
import { createStepMemory, type SkillParts } from "../skills/step-memory.ts";
import { createEngine, type Engine } from "./engine.ts";
import { escalationOf } from "./escalation.ts";
import type { PlaneJobParts } from "./job-parts.ts";
import { createJobVerbs } from "./job-verbs.ts";
import { createJobWork } from "./job-work.ts";

const dayMs = 24 * 3_600_000;
/** How often whoever waits for a run of another plane looks; seldom where that plane tells. */
const askMs = 500;
const toldMs = 5_000;

/** Skills and jobs, wired to manifests, tools, models and the store. */
export function createJobRoom(parts: PlaneJobParts): {
  verbs: JobVerbs & SkillVerbs;
  engine: Engine;
  stopSkills(): Promise<void>;
} {
  const { config, memory, defaultPrincipal, manifests, plane } = parts;
  const { store, emit } = memory;
  const stopping = new AbortController();
  const calls = createSkillCalls(parts);
  const work = createJobWork(parts, calls, actAs);

  async function onEnded(job: JobManifest, run: KeptJobRun): Promise<void> {
    const facts = { runId: run.id, user: run.user, job: run.job };
    const durationMs = Date.parse(run.endedAt ?? "") - Date.parse(run.startedAt ?? "");
    if (run.state === "succeeded") emit({ type: "job.succeeded", ...facts, durationMs });
    else if (run.state === "cancelled") emit({ type: "job.cancelled", ...facts });
    else emit({ type: "job.failed", ...facts, durationMs, code: run.error?.code ?? "INTERNAL" });
    const told = run.state === "failed" ? escalationOf(job, run, await tasksOf(run)) : null;
    if (told !== null) emit(told);
    await plane()
      .conversations.end(`job-${run.id}`, { principal: run.principal })
      .catch(() => undefined);
    // Somebody's decision says nothing about how well the job does.
    if (run.state === "cancelled") return;
    const ok = run.state === "succeeded";
    const sample = { subject: jobSubject(job), at: run.endedAt ?? "", ok, latencyMs: durationMs };
    await (await store()).append([{ kind: "sample", sample }]);
    parts.healthChanged();
  }

  /** As the persona that does the run has them. */
  async function tasksOf({ persona }: KeptJobRun) {
    return visibleWork((await manifests()).tasks, { persona, personas: [] });
  }

  const engine = createEngine({
    store,
    jobs: async () => (await manifests()).jobs,
    emit,
    execute: { emit, check: work.check, work: work.of, onEnded },
    principalFor: (job) => (mayActAs(job, defaultPrincipal) ? actAs(job, defaultPrincipal) : null),
    most: () => config().jobs.concurrency,
    keepMs: () => config().jobs.keepDays * dayMs || Number.MAX_SAFE_INTEGER / 4,
    loop: parts.loop,
    askMs: () => (memory.tells && parts.loop.isRunning() ? toldMs : askMs),
  });
  memory.onNews((news) => news.what === "jobRun" && engine.heard(news.id));

  function refuse(kind: "skill" | "job", name: string, seen: readonly { name: string }[], principal: Principal): never {
    throw workNotFound(kind, name, { seen, problems: config().problems, principal });
  }

  async function findJob(name: string, principal: Principal): Promise<JobManifest> {
    const viewer = { persona: principal.persona, personas: [] };
    const seen = jobsFor(visibleWork((await manifests()).jobs, viewer), viewer);
    return seen.find((job) => job.name === name) ?? refuse("job", name, seen, principal);
  }

  const skills = createSkillVerbs({
    defaultPrincipal,
    emit,
    async find(name, principal) {
      const viewer = { persona: principal.persona, personas: [] };
      const seen = visibleWork((await manifests()).skills, viewer);
      return seen.find((skill) => skill.name === name) ?? refuse("skill", name, seen, principal);
    },
    preflight: calls.preflight,
    calling: calls.inForeground,
    stopping: stopping.signal,
  });
  const jobs = createJobVerbs({
    ...{ store, engine, defaultPrincipal, emit, find: findJob, actAs },
    async entry({ name, persona = null }, principal) {
      const { jobs: named } = await plane().jobs.page({ name }, { principal });
      return named.find((one) => one.persona === persona) ?? refuse("job", name, named, principal);
    },
  });
  return {
    verbs: { ...skills, ...jobs },
    engine,
    async stopSkills() {
      stopping.abort(new Error("the plane is stopping"));
    },
  };
}

/** A persona does its own jobs; whoever manages the plane and is no persona does them as the first that they are for. */
function actAs(job: JobManifest, principal: Principal): Principal {
  const { name, persona: owner, personas } = job;
  if (mayActAs(job, principal))
    return principal.persona === null ? { ...principal, persona: owner ?? personas[0] ?? null } : principal;
  throw new PlaneError(
    "FORBIDDEN",
    `Job '${name}' is for ${personas.join(", ")}. Ask as one of them, with '--persona' on the command line.`,
    { data: { job: name, personas } },
  );
}

function mayActAs({ personas }: JobManifest, principal: Principal): boolean {
  const { persona } = principal;
  if (persona === null) return mayDo(principal, "admin");
  return personas.some((one) => one.toLowerCase() === persona.toLowerCase());
}

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

/** A skill in the foreground: whoever asks waits for it, and what it did is told and not kept. */
function createSkillVerbs(parts: SkillVerbParts): SkillVerbs {
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
