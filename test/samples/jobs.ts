import { newRun } from "../../packages/work/src/jobs/states.ts";
import { principalOf } from "../../src/model/principal.ts";
import { JobManifest } from "../../src/model/work/job.ts";
import type { KeptJobRun } from "../../src/model/work/job-run.ts";

export function sampleJob(name: string, changes: Partial<JobManifest> = {}): JobManifest {
  return {
    ...JobManifest.parse({ name, personas: ["Atlas"], task_graph: [{ task: "work" }] }),
    ...changes,
  };
}

/** A run that waits for its turn, of a job of this name unless another is given. */
export function sampleRun(
  id: string,
  changes: Partial<KeptJobRun> = {},
  job = sampleJob("digest"),
): KeptJobRun {
  const principal = principalOf({ user: "ada", persona: "Atlas" });
  const at = Date.parse("2026-03-01T12:00:00.000Z");
  const run = newRun(
    job,
    { principal, persona: "Atlas", origin: "request", input: { city: "Rome" } },
    at,
  );
  return { ...run, id, slot: id, ...changes };
}
