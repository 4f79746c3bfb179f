import { stableJson } from "../../lib/stable-json.ts";
import { PlaneError } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import type { JobManifest } from "../../model/job.ts";
import { type JobRun, type KeptJobRun, showJobRun } from "../../model/job-run.ts";
import type { JobStore } from "../../model/job-store.ts";
import type { RunJobOptions } from "../../model/job-verbs.ts";
import type { Engine } from "./engine.ts";
import { leaseUntil } from "./hold-run.ts";
import { newRun, type RunRequest } from "./new-run.ts";
import { moveRun } from "./states.ts";

export type BeginParts = {
  store(): Promise<JobStore>;
  engine: Engine;
  emit(event: PlaneEvent): void;
};

/** A run that somebody has asked for: made once for each key, and begun by whoever does that here. */
export function createBeginRun({ store, engine, emit }: BeginParts) {
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

  /** Waits in a plane that does nothing by the clock, because nobody else would go on with it. */
  return async (job: JobManifest, request: RunRequest, options: RunJobOptions): Promise<JobRun> => {
    const now = Date.now();
    const asked = newRun(job, request, now);
    // Nobody else is to begin what is begun here in a moment.
    const made = engine.isRunning() ? asked : { ...asked, dueAt: leaseUntil(now) };
    const run = await (await store()).addJobRun(made);
    const isNew = run.id === made.id;
    if (!isNew) requireSame(run, made, request);
    if (isNew) emit({ type: "job.scheduled", ...factsOf(run), origin: run.origin });
    const { wait = false, signal } = options;
    if (engine.isRunning()) engine.wake();
    // One that was there already is done by whoever began it.
    else if (isNew) await beginHere(run, signal);
    const waitMs =
      wait === true || !engine.isRunning() ? Number.POSITIVE_INFINITY : wait === false ? 0 : wait;
    return showJobRun((await engine.ended(run.id, { waitMs, signal })) ?? run);
  };
}

export function factsOf({ id, user, job }: KeptJobRun) {
  return { runId: id, user, job };
}

/** Whoever asks for something else under a key would take the answer to the first for the answer to this. */
function requireSame(first: KeptJobRun, asked: KeptJobRun, { key }: RunRequest): void {
  const meant = ({ input, rerunOf }: KeptJobRun) => stableJson({ input, rerunOf });
  if (meant(first) === meant(asked)) return;
  throw new PlaneError(
    "CONFLICT",
    `The key '${key}' belongs to run '${first.id}' of '${first.job}', which was asked for with another input. Give this one a key of its own.`,
    { data: { run: first.id, job: first.job, parameter: "idempotencyKey" } },
  );
}
