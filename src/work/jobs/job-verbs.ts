import { stableJson } from "../../lib/json/stable-json.ts";
import type { JobEntry } from "../../model/catalogue/registry-summary.ts";
import { PlaneError, toPlaneError } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import { noCursor } from "../../model/page.ts";
import type { JobRunQuery, JobStatus, RunJobOptions } from "../../model/plane-work.ts";
import { mayDo, type Principal, requireScope } from "../../model/principal.ts";
import type { JobManifest } from "../../model/work/job.ts";
import type { JobStore } from "../../model/work/job-run.ts";
import {
  type JobRun,
  type JobRunState,
  type JobSchedule,
  jobRunStates,
  type KeptJobRun,
  showJobRun,
} from "../../model/work/job-run.ts";
import type { JobVerbs } from "../verbs.ts";

import type { Engine } from "./engine.ts";
import { leaseUntil } from "./hold-run.ts";
import { isScheduled, nextTime, type ScheduledJob, scheduleOf, showSchedule, upcomingTimes } from "./schedule.ts";
import { isOver, moveRun, newRun, type RunRequest } from "./states.ts";

const defaultPage = 20;
const maxPage = 100;
const fit = /^[\x21-\x7e]{1,255}$/;

type HistoryQuery = { state?: JobRunState; limit: number; before?: string };

function checkHistoryQuery({ state, limit = defaultPage, cursor }: JobRunQuery): HistoryQuery {
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > maxPage)
    throw usage("limit", `'limit' cannot be '${limit}': give a whole number from 1 to ${maxPage}.`);
  if (state !== undefined && !jobRunStates.includes(state))
    throw usage("state", `'state' cannot be '${state}': give one of ${jobRunStates.join(", ")}.`);
  return {
    limit,
    ...(state === undefined ? {} : { state }),
    ...(cursor === undefined ? {} : { before: cursor }),
  };
}

function checkRunOptions({ input, idempotencyKey }: RunJobOptions): {
  input: { input?: JsonObject };
  key: { key?: string };
} {
  if (input !== undefined && !isObject(input))
    throw usage("input", 'The input of a job is an object like {"city": "Rome"}.');
  if (idempotencyKey !== undefined && !(typeof idempotencyKey === "string" && fit.test(idempotencyKey)))
    throw usage("idempotencyKey", "'idempotencyKey' must be 1 to 255 visible ASCII characters without spaces.");
  return {
    input: input === undefined ? {} : { input },
    key: idempotencyKey === undefined ? {} : { key: idempotencyKey },
  };
}

/** Without the scope `admin` only jobs that accept external requests can be run. */
function requireRight({ name, accepts_external_requests }: JobManifest, principal: Principal): void {
  requireScope(principal, "call", "run a job");
  if (accepts_external_requests || mayDo(principal, "admin")) return;
  const who = principal.user ?? "An anonymous caller";
  throw new PlaneError(
    "FORBIDDEN",
    `${who} may not run job '${name}': it takes the scope 'admin', or 'accepts_external_requests' in its manifest.`,
    { data: { job: name, scope: "admin" } },
  );
}

function usage(parameter: string, message: string): PlaneError {
  return new PlaneError("USAGE", message, { data: { parameter } });
}

type JobVerbParts = {
  store(): Promise<JobStore>;
  engine: Engine;
  defaultPrincipal: Principal;
  emit(event: PlaneEvent): void;
  /** Throws where there is none for this caller. */
  find(name: string, principal: Principal): Promise<JobManifest>;
  entry(job: JobManifest, principal: Principal): Promise<JobEntry>;
  /** As whom the caller does the job; throws where the job is not for them. */
  actAs(job: JobManifest, principal: Principal): Principal;
};

/** What people do with jobs: look, begin, pause, cancel. */
export function createJobVerbs(parts: JobVerbParts): JobVerbs {
  return { ...scheduleVerbs(parts), ...startVerbs(parts), ...runVerbs(parts) };
}

function scheduleVerbs(parts: JobVerbParts): Pick<JobVerbs, "job" | "pauseJob" | "resumeJob"> {
  const { defaultPrincipal, emit, find } = parts;
  return {
    async job(name, { principal = defaultPrincipal } = {}) {
      requireScope(principal, "read", "look at jobs");
      return statusOf(parts, await find(name, principal), principal);
    },
    async pauseJob(name, { principal = defaultPrincipal } = {}) {
      const job = await findScheduled(parts, name, principal, "pause");
      const paused = { at: new Date().toISOString(), by: principal.user };
      await changeSchedule(parts, job, (known) => (known.paused === null ? { ...known, paused } : null));
      emit({ type: "job.paused", job: name });
      return statusOf(parts, job, principal);
    },
    async resumeJob(name, { principal = defaultPrincipal } = {}) {
      const job = await findScheduled(parts, name, principal, "resume");
      await changeSchedule(parts, job, (known) => {
        if (known.paused === null) return null;
        const next = nextTime(job.recurrence, Date.parse(known.anchor), Date.now());
        return { ...known, paused: null, nextAt: next === null ? null : new Date(next).toISOString() };
      });
      emit({ type: "job.resumed", job: name });
      return statusOf(parts, job, principal);
    },
  };
}

function startVerbs(parts: JobVerbParts): Pick<JobVerbs, "runJob" | "rerunJob"> {
  const { defaultPrincipal, find } = parts;
  const ask = createBeginRun(parts);
  return {
    async runJob(name, options = {}) {
      const { principal = defaultPrincipal } = options;
      const { input, key } = checkRunOptions(options);
      const job = await find(name, principal);
      requireRight(job, principal);
      const { persona } = parts.actAs(job, principal);
      return ask(job, { principal, persona, origin: "request", ...input, ...key }, options);
    },
    async rerunJob(id, options = {}) {
      const { principal = defaultPrincipal } = options;
      const { key } = checkRunOptions(options);
      const run = await findRun(parts, id, principal);
      const job = await find(run.job, principal);
      requireRight(job, principal);
      const { persona } = parts.actAs(job, principal);
      if (!isOver(run.state))
        throw new PlaneError("CONFLICT", `Run '${id}' is ${run.state}. Wait until it is over, or cancel it first.`);
      return ask(job, { principal, persona, origin: "rerun", rerunOf: id, input: run.input, ...key }, options);
    },
  };
}

function runVerbs(parts: JobVerbParts): Pick<JobVerbs, "cancelJobRun" | "jobRun" | "jobRuns"> {
  const { store, engine, defaultPrincipal, emit } = parts;
  return {
    async cancelJobRun(id, { principal = defaultPrincipal } = {}) {
      requireScope(principal, "call", "cancel a run of a job");
      for (;;) {
        const run = await findRun(parts, id, principal);
        if (run.user !== principal.user) requireScope(principal, "admin", "cancel a run that is not theirs");
        const cancelled = moveRun(run, "cancelled", Date.now());
        if (engine.cancelHere(id))
          return showJobRun((await engine.ended(id, { waitMs: Number.POSITIVE_INFINITY })) ?? run);
        if (!(await (await store()).replaceJobRun(cancelled))) continue;
        emit({ type: "job.cancelled", ...factsOf(run) });
        return showJobRun(cancelled);
      }
    },
    jobRun: async (id, { principal = defaultPrincipal } = {}) => showJobRun(await findRun(parts, id, principal)),
    async jobRuns(name, query = {}, { principal = defaultPrincipal } = {}) {
      requireScope(principal, "read", "look at runs of jobs");
      const { limit, ...filter } = checkHistoryQuery(query);
      const whose = await ownerOf(parts, name, principal);
      if (filter.before !== undefined && (await (await store()).jobRun(filter.before))?.job !== name)
        throw noCursor(filter.before);
      const asked = { ...filter, ...seenBy(principal), job: name, ...whose, limit: limit + 1 };
      const found = await (await store()).jobRuns(asked);
      const runs = found.slice(0, limit).map(showJobRun);
      return { runs, nextCursor: found.length > limit ? (runs.at(-1)?.id ?? null) : null };
    },
  };
}

/** Reads again when another writer was faster. */
async function changeSchedule(
  parts: JobVerbParts,
  job: ScheduledJob,
  change: (schedule: JobSchedule) => JobSchedule | null,
): Promise<void> {
  const jobs = await parts.store();
  for (;;) {
    const known = await jobs.jobSchedule(job.name, job.persona ?? null);
    const next = change(known ?? scheduleOf(job, null, Date.now()));
    if (next === null) return;
    if ((await jobs.putJobSchedules([next]))[0]) return parts.engine.wake();
  }
}

async function statusOf(parts: JobVerbParts, job: JobManifest, principal: Principal): Promise<JobStatus> {
  const jobs = await parts.store();
  const { name, persona: owner = null } = job;
  const schedule = await jobs.jobSchedule(name, owner);
  const [last] = await jobs.jobRuns({ job: name, owner, ...seenBy(principal), limit: 1 });
  return {
    ...(await parts.entry(job, principal)),
    schedule: showSchedule(job, schedule),
    upcoming: upcomingTimes(job, schedule),
    active: await jobs.activeJobRuns(name, owner),
    lastRun: last ? showJobRun(last) : null,
  };
}

async function findRun(parts: JobVerbParts, id: string, principal: Principal): Promise<KeptJobRun> {
  requireScope(principal, "read", "look at runs of jobs");
  const run = await (await parts.store()).jobRun(id);
  const unknown = new PlaneError("NOT_FOUND", `No run '${id}' of a job is yours. 'jobs history' lists those that are.`);
  if (run === null) throw unknown;
  if (mayDo(principal, "admin") || (run.origin !== "schedule" && run.user === principal.user)) return run;
  const job = run.origin === "schedule" ? await parts.find(run.job, principal).catch(() => null) : null;
  if (job !== null && (job.persona ?? null) === run.owner) return run;
  throw unknown;
}

/** Admins still see the runs of a job whose manifest is gone. */
async function ownerOf(parts: JobVerbParts, name: string, principal: Principal): Promise<{ owner?: string | null }> {
  try {
    return { owner: (await parts.find(name, principal)).persona ?? null };
  } catch (thrown) {
    const isKept =
      mayDo(principal, "admin") && (await (await parts.store()).jobRuns({ job: name, limit: 1 })).length > 0;
    if (isKept && toPlaneError(thrown).code === "NOT_FOUND") return {};
    throw thrown;
  }
}

async function findScheduled(
  parts: JobVerbParts,
  name: string,
  principal: Principal,
  verb: string,
): Promise<ScheduledJob> {
  requireScope(principal, "admin", `${verb} a job`);
  const job = await parts.find(name, principal);
  if (isScheduled(job)) return job;
  throw new PlaneError("CONFLICT", `Job '${name}' has no recurrence: it runs only on request.`);
}

function seenBy(principal: Principal): { seenBy?: string | null } {
  return mayDo(principal, "admin") ? {} : { seenBy: principal.user };
}

type BeginParts = {
  store(): Promise<JobStore>;
  engine: Engine;
  emit(event: PlaneEvent): void;
};

/** A requested run: made once for each idempotency key, and begun by the engine or here. */
function createBeginRun({ store, engine, emit }: BeginParts) {
  async function beginHere(run: KeptJobRun, signal: AbortSignal | undefined): Promise<void> {
    signal?.addEventListener("abort", () => engine.cancelHere(run.id), { once: true });
    if (await engine.beginHere(run)) return;
    const jobs = await store();
    await jobs.replaceJobRun(moveRun(run, "cancelled", Date.now()));
    const { job, owner, most } = run;
    const [other] = await jobs.jobRuns({ job, owner, state: "running", limit: 1 });
    const way = other === undefined ? "" : `, or end it: 'toolplane jobs cancel ${other.id}'`;
    throw new PlaneError(
      "CONFLICT",
      `As many runs of '${job}' are under way as may be (${most}). Wait until one is over${way}.`,
      { data: { job, ...(other === undefined ? {} : { run: other.id }) } },
    );
  }

  /** Waits in a plane without schedules, because no other would go on with the run. */
  return async (job: JobManifest, request: RunRequest, options: RunJobOptions): Promise<JobRun> => {
    const now = Date.now();
    const asked = newRun(job, request, now);
    // Leased, so that no other plane begins it first.
    const made = engine.isRunning() ? asked : { ...asked, dueAt: leaseUntil(now) };
    const run = await (await store()).addJobRun(made);
    const isNew = run.id === made.id;
    if (!isNew) requireSame(run, made, request);
    if (isNew) emit({ type: "job.scheduled", ...factsOf(run), origin: run.origin });
    const { wait = false, signal } = options;
    if (engine.isRunning()) engine.wake();
    // An existing run belongs to the plane that began it.
    else if (isNew) await beginHere(run, signal);
    const waitMs = wait === true || !engine.isRunning() ? Number.POSITIVE_INFINITY : wait === false ? 0 : wait;
    return showJobRun((await engine.ended(run.id, { waitMs, signal })) ?? run);
  };
}

function factsOf({ id, user, job }: KeptJobRun) {
  return { runId: id, user, job };
}

/** The same idempotency key with another input is a conflict. */
function requireSame(first: KeptJobRun, asked: KeptJobRun, { key }: RunRequest): void {
  const meant = ({ input, rerunOf }: KeptJobRun) => stableJson({ input, rerunOf });
  if (meant(first) === meant(asked)) return;
  throw new PlaneError(
    "CONFLICT",
    `The key '${key}' belongs to run '${first.id}' of '${first.job}', which was asked for with another input. Give this one a key of its own.`,
    { data: { run: first.id, job: first.job, parameter: "idempotencyKey" } },
  );
}
