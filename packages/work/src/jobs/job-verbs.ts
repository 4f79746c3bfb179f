import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { stableJson } from "@toolplane/core/lib/json/stable-json";
import type { JobEntry } from "@toolplane/core/model/catalogue/registry-summary";
import { PlaneError, toPlaneError } from "@toolplane/core/model/errors";
import type { PlaneEvent } from "@toolplane/core/model/events";
import { isObject } from "@toolplane/core/model/json";
import { collectPages, noCursor } from "@toolplane/core/model/page";
import type { JobRunQuery, JobStatus, RunJobOptions } from "@toolplane/core/model/plane-work";
import { isOwner, mayDo, type Principal, requireScope } from "@toolplane/core/model/principal";
import type { JobManifest } from "@toolplane/core/model/work/job";
import type { JobSchedule, JobStore, KeptJobRun } from "@toolplane/core/model/work/job-run";
import { jobRunStates } from "@toolplane/core/model/work/job-run";
import type { JobRun } from "@toolplane/core/model/work/run-schema";
import type { JobVerbs } from "@toolplane/core/work";
import type { Engine } from "./engine.ts";
import { leaseUntil } from "./hold-run.ts";
import { showRun } from "./run-for-caller.ts";
import {
  isScheduled,
  nextTime,
  type ScheduledJob,
  scheduleOf,
  showSchedule,
  upcomingTimes,
} from "./schedule.ts";
import {
  earlierSlotOf,
  factsOf,
  isRunOver,
  type JobRunRequest,
  moveRun,
  newRun,
} from "./states.ts";

const defaultPage = 20;
const maxPage = 100;
const keyShape = /^[\x21-\x7e]{1,255}$/;

function checkHistoryQuery({ state, limit = defaultPage, cursor }: JobRunQuery) {
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > maxPage)
    throw usage("limit", `'limit' cannot be '${limit}': give an integer from 1 to ${maxPage}.`);
  if (state !== undefined && !jobRunStates.includes(state))
    throw usage("state", `'state' cannot be '${state}': give one of ${jobRunStates.join(", ")}.`);
  return { limit, ...withoutUndefined({ state, before: cursor }) };
}

function checkRunOptions({
  input,
  idempotencyKey: key,
}: RunJobOptions): Pick<JobRunRequest, "input" | "key"> {
  if (input !== undefined && !isObject(input))
    throw usage("input", 'The input of a job is an object like {"city": "Rome"}.');
  if (key !== undefined && !(typeof key === "string" && keyShape.test(key)))
    throw usage(
      "idempotencyKey",
      "'idempotencyKey' must be 1 to 255 visible ASCII characters without spaces.",
    );
  return withoutUndefined({ input, key });
}

function usage(parameter: string, message: string): PlaneError {
  return new PlaneError("USAGE", message, { data: { parameter } });
}

/** Without the scope `admin` only jobs that accept external requests can be run. */
function requireRight(
  { name, accepts_external_requests }: JobManifest,
  principal: Principal,
): void {
  requireScope(principal, "call", "run a job");
  if (accepts_external_requests || mayDo(principal, "admin")) return;
  const who = principal.user ?? "An anonymous caller";
  const message = `${who} may not run job '${name}': it takes the scope 'admin', or 'accepts_external_requests' in its manifest.`;
  throw new PlaneError("FORBIDDEN", message, { data: { job: name, scope: "admin" } });
}

type JobVerbParts = {
  store(): Promise<JobStore>;
  engine: Engine;
  emit(event: PlaneEvent): void;
  /** Throws where there is none for this caller. */
  find(name: string, principal: Principal): Promise<JobManifest>;
  entry(job: JobManifest, principal: Principal): Promise<JobEntry>;
  /** Is there a tool of this name for the caller? */
  seesTool(name: string, principal: Principal): boolean;
  /** As whom the caller runs the job; throws where the job is not for them. */
  actAs(job: JobManifest, principal: Principal): Principal;
};

/** What people do with jobs: look, begin, pause, cancel. */
export function createJobVerbs(parts: JobVerbParts): JobVerbs {
  return { ...scheduleVerbs(parts), ...startVerbs(parts), ...runVerbs(parts) };
}

function scheduleVerbs(parts: JobVerbParts): Pick<JobVerbs, "get" | "pause" | "resume"> {
  const { emit, find } = parts;
  return {
    async get(name, { principal }) {
      requireScope(principal, "read", "look at jobs");
      return statusOf(parts, await find(name, principal), principal);
    },
    async pause(name, { principal }) {
      const job = await findScheduled(parts, name, principal, "pause");
      const paused = { at: new Date().toISOString(), by: principal.user };
      const isChanged = await changeSchedule(parts, job, (schedule) =>
        schedule.paused === null ? { ...schedule, paused } : "unchanged",
      );
      if (isChanged) emit({ type: "job.paused", job: name });
      return statusOf(parts, job, principal);
    },
    async resume(name, { principal }) {
      const job = await findScheduled(parts, name, principal, "resume");
      const isChanged = await changeSchedule(parts, job, (schedule) => {
        if (schedule.paused === null) return "unchanged";
        const nextMs = nextTime(job.recurrence, Date.parse(schedule.anchor), Date.now());
        return {
          ...schedule,
          paused: null,
          nextAt: nextMs === null ? null : new Date(nextMs).toISOString(),
        };
      });
      if (isChanged) emit({ type: "job.resumed", job: name });
      return statusOf(parts, job, principal);
    },
  };
}

function startVerbs(parts: JobVerbParts): Pick<JobVerbs, "run" | "rerun"> {
  const { find } = parts;
  const personaFor = (job: JobManifest, principal: Principal) => {
    requireRight(job, principal);
    return parts.actAs(job, principal).persona;
  };
  return {
    async run(name, options) {
      const { principal } = options;
      const runOptions = checkRunOptions(options);
      const job = await find(name, principal);
      const persona = personaFor(job, principal);
      return beginRun(
        parts,
        job,
        { ...runOptions, principal, persona, origin: "request" },
        options,
      );
    },
    async rerun(id, options) {
      const { principal } = options;
      const runOptions = checkRunOptions(options);
      const { job: name, state, input } = await findRun(parts, id, principal);
      const job = await find(name, principal);
      const persona = personaFor(job, principal);
      if (!isRunOver(state))
        throw new PlaneError(
          "CONFLICT",
          `Run '${id}' is ${state}. Wait until it is over, or cancel it first.`,
        );
      return beginRun(
        parts,
        job,
        { ...runOptions, principal, persona, origin: "rerun", rerunOf: id, input },
        options,
      );
    },
  };
}

function runVerbs(parts: JobVerbParts): Pick<JobVerbs, "cancel" | "status" | "history"> {
  const { store, engine, emit } = parts;
  return {
    async cancel(id, { principal }) {
      requireScope(principal, "call", "cancel a run of a job");
      for (;;) {
        const run = await findRun(parts, id, principal);
        if (!isOwner(principal, run.principal))
          requireScope(principal, "admin", "cancel a run that is not theirs");
        const cancelled = moveRun(run, "cancelled", Date.now());
        if (engine.cancelHere(id))
          return showRun(
            parts,
            (await engine.ended(id, { waitMs: Number.POSITIVE_INFINITY })) ?? run,
            principal,
          );
        if (!(await (await store()).replaceJobRun(cancelled))) continue;
        emit({ type: "job.cancelled", ...factsOf(run) });
        return showRun(parts, cancelled, principal);
      }
    },
    status: async (id, { principal }) =>
      showRun(parts, await findRun(parts, id, principal), principal),
    async history(name, query = {}, { principal }) {
      requireScope(principal, "read", "look at runs of jobs");
      const { limit, ...filter } = checkHistoryQuery(query);
      const visibility = { ...(await ownerOf(parts, name, principal)), ...seenBy(principal) };
      const jobs = await store();
      if (filter.before !== undefined && (await jobs.jobRun(filter.before))?.job !== name)
        throw noCursor(filter.before);
      const { before, ...otherFilters } = filter;
      const visibleRuns = await collectPages(
        (part) => jobs.jobRuns({ ...otherFilters, ...visibility, ...part, job: name }),
        (run) => isShown(run, principal),
        { ...withoutUndefined({ before }), limit: limit + 1 },
      );
      const runs = visibleRuns.slice(0, limit).map((run) => showRun(parts, run, principal));
      return { runs, nextCursor: visibleRuns.length > limit ? (runs.at(-1)?.id ?? null) : null };
    },
  };
}

/** Was the schedule changed? When another writer was faster, the change is made again to what they wrote. */
async function changeSchedule(
  parts: JobVerbParts,
  job: ScheduledJob,
  change: (schedule: JobSchedule) => JobSchedule | "unchanged",
): Promise<boolean> {
  const jobs = await parts.store();
  for (;;) {
    const stored = await jobs.jobSchedule(job.name, job.persona ?? null);
    const changed = change(stored ?? scheduleOf(job, null, Date.now()));
    if (changed === "unchanged") return false;
    const [isWritten] = await jobs.putJobSchedules([changed]);
    if (!isWritten) continue;
    parts.engine.wake();
    return true;
  }
}

async function statusOf(
  parts: JobVerbParts,
  job: JobManifest,
  principal: Principal,
): Promise<JobStatus> {
  const jobs = await parts.store();
  const { name, persona: owner = null } = job;
  const schedule = await jobs.jobSchedule(name, owner);
  const filter = { job: name, owner, ...seenBy(principal) };
  const isVisible = (run: KeptJobRun) => isShown(run, principal);
  const [lastRun] = await collectPages((part) => jobs.jobRuns({ ...filter, ...part }), isVisible, {
    limit: 1,
  });
  return {
    ...(await parts.entry(job, principal)),
    schedule: showSchedule(job, schedule),
    upcoming: upcomingTimes(job, schedule),
    active: await jobs.activeJobRuns(name, owner),
    lastRun: lastRun ? showRun(parts, lastRun, principal) : null,
  };
}

async function findRun(parts: JobVerbParts, id: string, principal: Principal): Promise<KeptJobRun> {
  requireScope(principal, "read", "look at runs of jobs");
  const run = await (await parts.store()).jobRun(id);
  if (run !== null && (await maySee(parts, run, principal))) return run;
  throw new PlaneError(
    "NOT_FOUND",
    `No job run '${id}' found. 'toolplane jobs history NAME' lists the runs of a job.`,
  );
}

async function maySee(
  parts: JobVerbParts,
  run: KeptJobRun,
  principal: Principal,
): Promise<boolean> {
  if (mayDo(principal, "admin")) return true;
  if (run.origin !== "schedule") return isOwner(principal, run.principal);
  const job = await parts.find(run.job, principal).catch(() => null);
  return job !== null && (job.persona ?? null) === run.owner;
}

/** Admins still see the runs of a job whose manifest is gone. */
async function ownerOf(
  parts: JobVerbParts,
  name: string,
  principal: Principal,
): Promise<{ owner?: string | null }> {
  try {
    return { owner: (await parts.find(name, principal)).persona ?? null };
  } catch (thrown) {
    if (!mayDo(principal, "admin") || toPlaneError(thrown).code !== "NOT_FOUND") throw thrown;
    const storedRuns = await (await parts.store()).jobRuns({ job: name, limit: 1 });
    if (storedRuns.length === 0) throw thrown;
    return {};
  }
}

async function findScheduled(
  { find }: JobVerbParts,
  name: string,
  principal: Principal,
  verb: string,
) {
  requireScope(principal, "admin", `${verb} a job`);
  const job = await find(name, principal);
  if (isScheduled(job)) return job;
  throw new PlaneError("CONFLICT", `Job '${name}' has no recurrence: it runs only on request.`);
}

function isShown(run: KeptJobRun, principal: Principal): boolean {
  return (
    run.origin === "schedule" || mayDo(principal, "admin") || isOwner(principal, run.principal)
  );
}

function seenBy(principal: Principal): { seenBy?: string | null } {
  if (mayDo(principal, "admin")) return {};
  return { seenBy: principal.user };
}

/** One run for each idempotency key. A plane without schedules waits: no other would continue the run. */
async function beginRun(
  parts: JobVerbParts,
  job: JobManifest,
  request: JobRunRequest,
  { wait = false, signal }: RunJobOptions,
): Promise<JobRun> {
  const { store, engine, emit } = parts;
  const now = Date.now();
  const requestedRun = newRun(job, request, now);
  // Leased, so that no other plane begins it first.
  const newJobRun = engine.isRunning() ? requestedRun : { ...requestedRun, dueAt: leaseUntil(now) };
  const run = await (await store()).addJobRun(newJobRun, earlierSlotOf(job, request));
  const isNew = run.id === newJobRun.id;
  if (isNew) emit({ type: "job.scheduled", ...factsOf(run), origin: run.origin });
  else requireSame(run, newJobRun, request);
  if (engine.isRunning()) engine.wake();
  // An existing run belongs to the plane that began it.
  else if (isNew) await beginHere(parts, run, signal);
  const waitMs = engine.isRunning() ? waitMsOf(wait) : Number.POSITIVE_INFINITY;
  return showRun(parts, (await engine.ended(run.id, { waitMs, signal })) ?? run, request.principal);
}

function waitMsOf(wait: boolean | number): number {
  if (typeof wait === "number") return wait;
  return wait ? Number.POSITIVE_INFINITY : 0;
}

async function beginHere(
  { engine, store }: JobVerbParts,
  run: KeptJobRun,
  signal?: AbortSignal,
): Promise<void> {
  signal?.addEventListener("abort", () => engine.cancelHere(run.id), { once: true });
  if (await engine.beginHere(run)) return;
  const jobs = await store();
  await jobs.replaceJobRun(moveRun(run, "cancelled", Date.now()));
  const { job, owner, most } = run;
  const [activeRun] = await jobs.jobRuns({ job, owner, state: "running", limit: 1 });
  const remedy =
    activeRun === undefined ? "" : `, or end it: 'toolplane jobs cancel ${activeRun.id}'`;
  const message = `Job '${job}' has reached its limit of runs under way (${most}). Wait until one is over${remedy}.`;
  throw new PlaneError("CONFLICT", message, {
    data: { job, ...withoutUndefined({ run: activeRun?.id }) },
  });
}

/** The same idempotency key with another input is a conflict, and so is that of a user's other credential. */
function requireSame(
  first: KeptJobRun,
  requestedRun: KeptJobRun,
  { key, principal }: JobRunRequest,
): void {
  const fingerprint = ({ input, rerunOf }: KeptJobRun) => stableJson({ input, rerunOf });
  const isOwnKey = first.slot === requestedRun.slot || isOwner(principal, first.principal);
  if (isOwnKey && fingerprint(first) === fingerprint(requestedRun)) return;
  const difference = isOwnKey ? "another input" : "another credential";
  throw new PlaneError(
    "CONFLICT",
    `The key '${key}' belongs to run '${first.id}' of '${first.job}', which was asked for with ${difference}. Give this one a key of its own.`,
    { data: { run: first.id, job: first.job, parameter: "idempotencyKey" } },
  );
}
