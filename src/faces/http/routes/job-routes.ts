import { z } from "zod";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import type { Plane } from "../../../model/plane.ts";
import type { JobStatus, RunJobOptions } from "../../../model/plane-work.ts";
import { jobRunStates, type JobRun as Run } from "../../../model/work/job-run.ts";
import { JobRun } from "../../../operations/schemas/job-run.ts";
import { parseFields } from "../body.ts";
import { countUpTo } from "../count-up-to.ts";
import { Cursor, NextCursor } from "../paging.ts";
import { readWait } from "../prefer.ts";
import { shownJobRun } from "../render.ts";
import { type App, addRoute, type HttpContext } from "../route.ts";

const Filters = z.object({
  state: z.enum(jobRunStates, `give one of ${jobRunStates.join(", ")}`).optional(),
  limit: countUpTo(100, { default: 20, description: "At most so many." }),
  cursor: Cursor,
});
const JobBody = z.object({
  input: z.record(z.string(), z.unknown()).optional(),
  idempotencyKey: z.string().optional(),
});
const RerunBody = z.object({ idempotencyKey: z.string().optional() });
const Job = z.looseObject({
  name: z.string(),
  schedule: z.object({ state: z.string(), nextAt: z.string().nullable() }).loose(),
  upcoming: z.array(z.string()).meta({ description: "The times that come next, five at most." }),
  active: z.number().int(),
  lastRun: z.union([JobRun, z.null()]),
});
const Begun = z.object({ run: JobRun });
const params = { name: "The job's name." };
const wait = { Prefer: "`wait=N`: stay so many seconds until it is over." };
const like = '{"input": {"city": "Rome"}}';
const switches = {
  pause: "Do not begin it by the clock any more",
  resume: "Begin it by the clock again; times that passed are not made up for",
} as const;

/** Work that is begun, watched and held back. */
export function addJobRoutes(app: App, plane: Plane): void {
  addRoute(
    app,
    {
      ...{ method: "get", path: "/jobs/{name}", tag: "Jobs", scope: "read", params },
      summary: "One job: its tasks, when it is due and how it does",
      answers: { 200: { description: "The job.", schema: Job } },
    },
    async ({ c, caller, param }) => c.json(shownJob(await plane.jobs.get(param("name"), caller))),
  );
  addRoute(
    app,
    {
      ...{ method: "post", path: "/jobs/{name}/run", tag: "Jobs", scope: "call", params, headers: wait },
      summary: "Begin a run now",
      description:
        "Takes the scope `admin`, unless the job says `accepts_external_requests`. The run goes on when the client goes away.",
      body: {
        ...{ schema: JobBody, description: "What the run gets.", required: false },
        example: { input: { city: "Rome" }, idempotencyKey: "order-17" },
      },
      answers: {
        200: { description: "It is over; `state` says how it went.", schema: Begun },
        202: { description: "It is under way, or waits for its turn.", schema: Begun },
      },
    },
    async ({ c, caller, param }) => {
      const body = parseFields(await c.req.text(), JobBody, like);
      const options = { ...withoutUndefined(body), ...caller, ...waiting(c) } as RunJobOptions;
      return answer(c, await plane.jobs.run(param("name"), options));
    },
  );
  for (const verb of ["pause", "resume"] as const)
    addRoute(
      app,
      {
        ...{ method: "post", path: `/jobs/{name}/${verb}`, tag: "Jobs", scope: "admin", params },
        summary: switches[verb],
        answers: { 200: { description: "The job now.", schema: Job } },
      },
      async ({ c, caller, param }) =>
        c.json(shownJob(await (verb === "pause" ? plane.jobs.pause : plane.jobs.resume)(param("name"), caller))),
    );
  addRunRoutes(app, plane);
}

function addRunRoutes(app: App, plane: Plane): void {
  const run = { id: "The run's id." };
  addRoute(
    app,
    {
      ...{ method: "get", path: "/jobs/{name}/runs", tag: "Jobs", scope: "read", params, query: Filters },
      summary: "Its runs, newest first",
      description: "Your own and those by the clock; everybody's with the scope `admin`.",
      answers: {
        200: {
          description: "One page.",
          schema: z.object({ runs: z.array(JobRun), nextCursor: NextCursor }),
        },
      },
    },
    async ({ c, caller, param, query }) => {
      const page = await plane.jobs.history(param("name"), withoutUndefined(query), caller);
      return c.json({ ...page, runs: page.runs.map(shownJobRun) });
    },
  );
  addRoute(
    app,
    {
      ...{ method: "get", path: "/job-runs/{id}", tag: "Jobs", scope: "read", params: run },
      summary: "One run: its tasks, their steps and how they went",
      answers: { 200: { description: "The run.", schema: JobRun } },
    },
    async ({ c, caller, param }) => c.json(shownJobRun(await plane.jobs.status(param("id"), caller))),
  );
  addRoute(
    app,
    {
      ...{ method: "post", path: "/job-runs/{id}/cancel", tag: "Jobs", scope: "call", params: run },
      summary: "End a run, or keep it from beginning",
      answers: { 200: { description: "The run now.", schema: JobRun } },
    },
    async ({ c, caller, param }) => c.json(shownJobRun(await plane.jobs.cancel(param("id"), caller))),
  );
  addRoute(
    app,
    {
      ...{
        method: "post",
        path: "/job-runs/{id}/rerun",
        tag: "Jobs",
        scope: "call",
        params: run,
        headers: wait,
      },
      summary: "Begin another run with the input of one that is over",
      body: {
        ...{
          schema: RerunBody,
          description: "A key, where asking twice is to be asking once.",
          required: false,
        },
        example: { idempotencyKey: "order-17-again" },
      },
      answers: {
        200: { description: "It is over; `state` says how it went.", schema: Begun },
        202: { description: "It is under way, or waits for its turn.", schema: Begun },
      },
    },
    async ({ c, caller, param }) => {
      const body = parseFields(await c.req.text(), RerunBody, '{"idempotencyKey": "order-17-again"}');
      return answer(c, await plane.jobs.rerun(param("id"), { ...withoutUndefined(body), ...caller, ...waiting(c) }));
    },
  );
}

/** A run is not the client's alone: when it goes away, the run goes on. */
function waiting(c: HttpContext): Pick<RunJobOptions, "wait"> {
  const seconds = readWait(c.req.header("prefer"));
  return seconds === null ? {} : { wait: seconds * 1_000 };
}

function answer(c: HttpContext, run: Run): Response {
  return c.json({ run: shownJobRun(run) }, run.endedAt === null ? 202 : 200);
}

function shownJob(job: JobStatus): JobStatus {
  return job.lastRun === null ? job : { ...job, lastRun: shownJobRun(job.lastRun) };
}
