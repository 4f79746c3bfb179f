import { jobsFor, visibleWork, workNotFound } from "@toolplane/core/catalogue";
import { jobSubject } from "@toolplane/core/model/catalogue/health";
import { mayBelongTo, spellings } from "@toolplane/core/model/catalogue/tool-name";
import { PlaneError, shuttingDown } from "@toolplane/core/model/errors";
import { mayDo, type Principal } from "@toolplane/core/model/principal";
import type { JobManifest } from "@toolplane/core/model/work/job";
import type { KeptJobRun } from "@toolplane/core/model/work/job-run";
import type { JobParts, Jobs } from "@toolplane/core/work";
import { createSkillCalls } from "../skills/skill-calls.ts";
import { createSkillVerbs } from "../skills/skills.ts";
import { createEngine } from "./engine.ts";
import { createJobVerbs } from "./job-verbs.ts";
import { createJobWork, escalationOf } from "./job-work.ts";
import { factsOf } from "./states.ts";

const dayMs = 24 * 3_600_000;
/** How often a caller polls a run of another plane; seldom where the store notifies. */
const askMs = 500;
const notifiedPollMs = 5_000;

/** Skills and jobs, wired to manifests, tools, models and the store. */
export function createJobs(parts: JobParts): Jobs {
  const { config, recorder, defaultPrincipal, manifests, plane } = parts;
  const { store, emit } = recorder;
  const stopping = new AbortController();
  const calls = createSkillCalls(parts);
  const work = createJobWork({ ...parts, calls, actAs });
  const engine = createEngine({
    store,
    jobs: async () => (await manifests()).jobs,
    isOurs: parts.isOurs,
    emit,
    execute: {
      emit,
      check: work.check,
      work: work.of,
      onEnded: (job, run) => onEnded(parts, job, run),
    },
    principalFor: (job) => (mayActAs(job, defaultPrincipal) ? actAs(job, defaultPrincipal) : null),
    maxRuns: () => config().jobs.concurrency,
    keepMs: () => config().jobs.keepDays * dayMs || Number.MAX_SAFE_INTEGER / 4,
    loop: parts.loop,
    askMs: () => (recorder.tells && parts.loop.isRunning() ? notifiedPollMs : askMs),
  });
  recorder.onNews((news) => news.what === "jobRun" && engine.heard(news.id));

  type Named = { name: string };
  const refuse = (
    kind: "skill" | "job",
    name: string,
    visibleEntries: readonly Named[],
    principal: Principal,
  ): never => {
    throw workNotFound(kind, name, {
      seen: visibleEntries,
      problems: config().problems,
      principal,
    });
  };
  const skills = createSkillVerbs({
    emit,
    async find(name, principal) {
      const visibleSkills = visibleWork((await manifests()).skills, {
        persona: principal.persona,
        personas: [],
      });
      return (
        visibleSkills.find((skill) => skill.name === name) ??
        refuse("skill", name, visibleSkills, principal)
      );
    },
    preflight: calls.preflight,
    calling: calls.inForeground,
    stopping: stopping.signal,
  });
  const jobs = createJobVerbs({
    store,
    engine,
    emit,
    actAs,
    async find(name, principal) {
      const viewer = { persona: principal.persona, personas: [] };
      const visibleJobs = jobsFor(visibleWork((await manifests()).jobs, viewer), viewer);
      return (
        visibleJobs.find((job) => job.name === name) ?? refuse("job", name, visibleJobs, principal)
      );
    },
    seesTool: (name, principal) => mayDo(principal, "admin") || seesTool(parts, name, principal),
    async entry({ name, persona = null }, principal) {
      const { jobs: namedJobs } = await plane().jobs.page({ name }, { principal });
      return (
        namedJobs.find((entry) => entry.persona === persona) ??
        refuse("job", name, namedJobs, principal)
      );
    },
  });
  return {
    verbs: jobs,
    skills,
    handler: engine.handler,
    synchronize: engine.synchronize,
    stop() {
      stopping.abort(shuttingDown());
      return engine.stop();
    },
  };
}

/** A step may use any spelling; the server of an unlisted tool decides. */
function seesTool(
  { tools, grants, serverNames }: JobParts,
  name: string,
  principal: Principal,
): boolean {
  const namedTools = tools().filter((tool) =>
    [tool.name, tool.modelName, ...spellings(tool.id)].includes(name),
  );
  if (namedTools.length > 0)
    return namedTools.some((tool) => !("refused" in grants.grantToSee(principal, tool)));
  return !serverNames().some(
    (server) => mayBelongTo(server, name) && !grants.maySeeServer(principal, server),
  );
}

async function onEnded(parts: JobParts, job: JobManifest, run: KeptJobRun): Promise<void> {
  const { recorder, manifests, plane } = parts;
  const { emit } = recorder;
  const durationMs = Date.parse(run.endedAt ?? "") - Date.parse(run.startedAt ?? "");
  if (run.state === "succeeded") emit({ type: "job.succeeded", ...factsOf(run), durationMs });
  else if (run.state === "cancelled") emit({ type: "job.cancelled", ...factsOf(run) });
  else {
    emit({ type: "job.failed", ...factsOf(run), durationMs, code: run.error?.code ?? "INTERNAL" });
    const tasks = visibleWork((await manifests()).tasks, { persona: run.persona, personas: [] });
    const escalation = escalationOf(job, run, tasks);
    if (escalation !== null) emit(escalation);
  }
  // A session that does not end well says nothing about the run.
  await plane()
    .conversations.end(`job-${run.id}`, { principal: run.principal })
    .catch(() => undefined);
  // A cancellation says nothing about the job's health.
  if (run.state === "cancelled") return;
  const ok = run.state === "succeeded";
  const sample = { subject: jobSubject(job), at: run.endedAt ?? "", ok, latencyMs: durationMs };
  await recorder.recordSamples([sample]);
}

/** A persona runs its own jobs; an admin without a persona acts as the first that the job is for. */
function actAs(job: JobManifest, principal: Principal): Principal {
  const { name, persona: owner, personas } = job;
  if (!mayActAs(job, principal))
    throw new PlaneError(
      "FORBIDDEN",
      `Job '${name}' is for ${personas.join(", ")}. Ask as one of them, with '--persona' on the command line.`,
      { data: { job: name, personas } },
    );
  if (principal.persona !== null) return principal;
  return { ...principal, persona: owner ?? personas[0] ?? null };
}

function mayActAs({ personas }: JobManifest, principal: Principal): boolean {
  const { persona } = principal;
  if (persona === null) return mayDo(principal, "admin");
  return personas.some((jobPersona) => jobPersona.toLowerCase() === persona.toLowerCase());
}
