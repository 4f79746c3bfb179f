import { jobsFor, visibleWork, workNotFound } from "../../catalogue/catalogue.ts";
import { jobSubject } from "../../model/catalogue/health.ts";
import { PlaneError } from "../../model/errors.ts";
import { mayDo, type Principal } from "../../model/principal.ts";
import type { JobManifest } from "../../model/work/job.ts";
import type { KeptJobRun } from "../../model/work/job-run.ts";
import { createSkillCalls, type JobParts } from "../skills/skill-calls.ts";
import { createSkillVerbs } from "../skills/skills.ts";
import type { JobVerbs, SkillVerbs } from "../verbs.ts";
import { createEngine, type Engine } from "./engine.ts";
import { createJobVerbs } from "./job-verbs.ts";
import { createJobWork, escalationOf } from "./job-work.ts";

const dayMs = 24 * 3_600_000;
/** How often a caller polls a run of another plane; seldom where the store notifies. */
const askMs = 500;
const toldMs = 5_000;

/** Skills and jobs, wired to manifests, tools, models and the store. */
export function createJobs(parts: JobParts): {
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
    // A cancellation says nothing about the job's health.
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

/** A persona runs its own jobs; an admin without a persona acts as the first that the job is for. */
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
