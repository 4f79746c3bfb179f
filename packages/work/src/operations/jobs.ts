import { AnyObject } from "@toolplane/core/model/json-schema";
import type { JobStatus as Status } from "@toolplane/core/model/plane-work";
import { jobRunStates } from "@toolplane/core/model/work/job-run";
import type { JobRun as Run } from "@toolplane/core/model/work/run-schema";
import { JobRun } from "@toolplane/core/model/work/run-schema";
import { Cursor, count, NextCursor, oneOf, text } from "@toolplane/core/operations/fields";
import { type Audit, operation, pick } from "@toolplane/core/operations/operation";
import { shownJobRun } from "@toolplane/core/operations/public-errors";
import { z } from "zod";
import { Job } from "./job-schemas.ts";

const tag = "Jobs";
const name = text("The job's name.");
const run = text("The run's id.");
const idempotencyKey = z
  .string()
  .optional()
  .meta({ description: "Asking twice with one key is asking once." });
const wait = z.union([z.boolean(), z.number()]).optional();
const JobStatus = Job.extend({
  upcoming: z.array(z.string()).meta({ description: "The times that come next, five at most." }),
  active: z.number().int(),
  lastRun: z.union([JobRun, z.null()]),
}).meta({ id: "JobStatus" });
const Begun = z.object({ run: JobRun });

const begins = {
  wait: { input: "wait", means: "wait this many seconds until it ends." },
  answers: {
    200: "It is over; `state` says how it went.",
    202: "It is under way, or waits for its turn.",
  },
  status: ({ endedAt }: Run) => (endedAt === null ? 202 : 200),
  show: (run: Run) => ({ run }),
  hide: (begun: { run: Run }) => ({ run: shownJobRun(begun.run) }),
} as const;
const shownJob = (job: Status) =>
  job.lastRun === null ? job : { ...job, lastRun: shownJobRun(job.lastRun) };

const startedRunAudit: Audit = { after: (answer) => pick(answer, "id", "job", "state") };

/** Work that is started, watched and paused. */
export const jobOperations = [
  operation({
    name: "jobs.get",
    args: ["name"],
    summary: "One job: its tasks, schedule and health",
    scope: "read",
    input: z.object({ name }),
    output: JobStatus,
    http: {
      method: "get",
      path: "/jobs/{name}",
      tag,
      answers: { 200: "The job." },
      hide: shownJob,
    },
    cli: {
      command: "jobs show",
      about: "one job: its tasks, schedule and health",
      arguments: { "<name>": "its name" },
      examples: ["jobs show digest"],
    },
  }),
  operation({
    name: "jobs.run",
    args: ["name"],
    summary: "Start a run now",
    description:
      "Takes the scope `admin`, unless the job says `accepts_external_requests`. The run goes on when the client goes away.",
    scope: "call",
    input: z.object({ name, input: AnyObject.optional(), idempotencyKey, wait }),
    output: Begun,
    http: {
      method: "post",
      path: "/jobs/{name}/run",
      tag,
      body: {
        description: "What the run gets.",
        example: { input: { city: "Rome" }, idempotencyKey: "order-17" },
        optional: true,
      },
      ...begins,
    },
    audit: startedRunAudit,
    cli: {
      command: "jobs run",
      about: "start it now and wait until it ends",
      arguments: { "<name>": "its name", "[input...]": "key=text or key:=json" },
      options: {
        "--detach": { about: "do not wait until it ends; needs a serving plane", input: "wait" },
        "--key <text>": { about: "idempotency key", input: "idempotencyKey" },
        "--args <json>": {
          about: "the input as JSON, @file or - for standard input",
          input: "input",
        },
      },
      examples: ["jobs run digest", "jobs run digest city=Rome --detach"],
    },
  }),
  ...(["pause", "resume"] as const).map((verb) =>
    operation({
      name: `jobs.${verb}`,
      args: ["name"],
      summary:
        verb === "pause"
          ? "Stop starting it on its schedule"
          : "Start it on its schedule again; missed times are not made up for",
      scope: "admin",
      input: z.object({ name }),
      output: JobStatus,
      http: {
        method: "post",
        path: `/jobs/{name}/${verb}`,
        tag,
        answers: { 200: "The job now." },
        hide: shownJob,
      },
      audit: {
        snapshot: async (plane, input, caller) =>
          pick(await plane.jobs.get(input.name, caller), "paused", "nextRunAt"),
      },
      cli: {
        command: `jobs ${verb}`,
        about:
          verb === "pause"
            ? "stop starting it on its schedule"
            : "start it on its schedule again; missed times are not made up for",
        arguments: { "<name>": "its name" },
        examples: [`jobs ${verb} digest`],
      },
    }),
  ),
  operation({
    name: "jobs.history",
    args: ["name", "..."],
    summary: "Its runs, newest first",
    description: "Your own and those by the clock; those of all callers with the scope `admin`.",
    scope: "read",
    input: z.object({
      name,
      state: oneOf(jobRunStates).optional(),
      limit: count(100, { default: 20, description: "Maximum number of runs." }),
      cursor: Cursor,
    }),
    output: z.object({ runs: z.array(JobRun), nextCursor: NextCursor }),
    http: {
      method: "get",
      path: "/jobs/{name}/runs",
      tag,
      answers: { 200: "One page." },
      hide: (page: { runs: Run[] }) => ({ ...page, runs: page.runs.map(shownJobRun) }),
    },
    cli: {
      command: "jobs history",
      about: "its runs, newest first",
      arguments: { "<name>": "its name" },
      options: {
        "--state <state>": "only this state: scheduled, running, succeeded, failed or cancelled",
        "--limit <number>": "maximum number of runs, up to 100; 20 when left out",
        "--cursor <text>": "continue where an earlier page ended",
      },
      examples: ["jobs history digest", "jobs history digest --state failed --json"],
    },
  }),
  operation({
    name: "jobs.status",
    args: ["id"],
    summary: "One run: its tasks, their steps and outcomes",
    scope: "read",
    input: z.object({ id: run }),
    output: JobRun,
    http: {
      method: "get",
      path: "/job-runs/{id}",
      tag,
      answers: { 200: "The run." },
      hide: shownJobRun,
    },
    cli: {
      command: "jobs status",
      about: "one run: its tasks, their steps and outcomes",
      arguments: { "<run>": "the id of the run" },
      examples: ["jobs status 0mwhyf64f-3lz9cvxd00w24d5n"],
    },
  }),
  operation({
    name: "jobs.cancel",
    args: ["id"],
    summary: "Cancel a run, started or not",
    scope: "call",
    input: z.object({ id: run }),
    output: JobRun,
    http: {
      method: "post",
      path: "/job-runs/{id}/cancel",
      tag,
      answers: { 200: "The run now." },
      hide: shownJobRun,
    },
    audit: startedRunAudit,
    cli: {
      command: "jobs cancel",
      about: "cancel a run, started or not",
      arguments: { "<run>": "the id of the run" },
      examples: ["jobs cancel 0mwhyf64f-3lz9cvxd00w24d5n"],
    },
  }),
  operation({
    name: "jobs.rerun",
    args: ["id"],
    summary: "Start another run with the input of one that ended",
    scope: "call",
    input: z.object({ id: run, idempotencyKey, wait }),
    output: Begun,
    http: {
      method: "post",
      path: "/job-runs/{id}/rerun",
      tag,
      body: {
        description: "A key, where asking twice is to be asking once.",
        example: { idempotencyKey: "order-17-again" },
        optional: true,
      },
      ...begins,
    },
    audit: startedRunAudit,
    cli: {
      command: "jobs rerun",
      about: "start another run with the input of one that ended",
      arguments: { "<run>": "the id of the run" },
      options: {
        "--detach": { about: "do not wait until it ends; needs a serving plane", input: "wait" },
        "--key <text>": { about: "idempotency key", input: "idempotencyKey" },
      },
      examples: ["jobs rerun 0mwhyf64f-3lz9cvxd00w24d5n"],
    },
  }),
];
