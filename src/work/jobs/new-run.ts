import { uniqueId } from "../../lib/stamps.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Principal } from "../../model/principal.ts";
import type { JobManifest } from "../../model/work/job.ts";
import type { KeptJobRun, KeptTask } from "../../model/work/job-run.ts";
import { moveRun } from "./states.ts";

export type RunRequest = {
  principal: Principal;
  /** As whom it is done. */
  persona: string | null;
  origin: KeptJobRun["origin"];
  input?: JsonObject;
  scheduledFor?: string;
  rerunOf?: string;
  /** Asking twice with one is asking once. */
  key?: string;
};

/** A run that waits for its turn. */
export function newRun(job: JobManifest, request: RunRequest, now: number): KeptJobRun {
  const { principal, origin, scheduledFor = null, rerunOf = null, key, input = {} } = request;
  const { name, persona: owner = null, priority, concurrency } = job;
  const id = uniqueId();
  const at = new Date(now).toISOString();
  const slot = slotOf(name, owner, request, id);
  const run: KeptJobRun = {
    ...{ id, job: name, owner, user: principal.user, persona: request.persona },
    ...{ origin, scheduledFor, rerunOf, state: "draft", priority, starts: 0 },
    idempotencyKey: `job-${hashOf(key === undefined ? slot : [slot, key])}`,
    ...{ createdAt: at, startedAt: null, endedAt: null, error: null },
    tasks: job.task_graph.map(newTask),
    ...{ revision: 1, slot, principal, input: { ...job.input, ...input }, most: concurrency },
    dueAt: scheduledFor ?? at,
  };
  return moveRun(run, "scheduled", now);
}

function newTask({ task, depends_on, input }: JobManifest["task_graph"][number]): KeptTask {
  return {
    ...{ task, dependsOn: [...depends_on], state: "draft", attempts: 0, startedAt: null, endedAt: null },
    ...{ nextAttemptAt: null, error: null, steps: [] },
    ...(input === undefined ? {} : { input: input as JsonObject }),
  };
}

/** One time of a job is one slot, whoever notices that it has come. */
function slotOf(job: string, owner: string | null, request: RunRequest, id: string): string {
  const { scheduledFor, key, principal } = request;
  if (scheduledFor !== undefined) return JSON.stringify(["schedule", job, owner, scheduledFor]);
  return key === undefined ? id : JSON.stringify(["request", job, owner, principal.user, key]);
}

/** Fit for a header, and the same for the same things. */
export function hashOf(value: unknown): string {
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 32);
}
