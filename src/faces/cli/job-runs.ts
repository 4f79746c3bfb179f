import { pause } from "../../lib/async/pause.ts";
import { plainText } from "../../lib/text/plain-text.ts";
import { errorTable, PlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import type { RunJobOptions } from "../../model/plane-work.ts";
import { type JobRun, type JobRunState, jobRunStates } from "../../model/work/job-run.ts";

import type { Cli, GlobalOptions } from "./cli.ts";
import { colors } from "./colors.ts";
import { renderJob, renderRun, renderRuns } from "./job-view.ts";
import { print, printError, printJson, say } from "./output.ts";
import { readInput } from "./skill-run.ts";
import { withPlane } from "./with-plane.ts";

const lookMs = 1_000;

/** While somebody waits for a job: which of its calls wait for a person. Each is told once. */
function tellApprovals(plane: Pick<Plane, "approvals">): Disposable {
  const over = new AbortController();
  void tellUntil(over.signal, plane);
  return { [Symbol.dispose]: () => over.abort() };
}

async function tellUntil(over: AbortSignal, plane: Pick<Plane, "approvals">): Promise<void> {
  const since = new Date().toISOString();
  const told = new Set<string>();
  for (;;) {
    await pause(lookMs, { signal: over, isBackground: true });
    if (over.aborted) return;
    // Who may not look is told at the end.
    const waiting = await plane.approvals.list({ status: "pending" }).catch(() => []);
    if (over.aborted) return;
    for (const { id, tool, at, options } of waiting) {
      if (told.has(id) || at < since || !options.conversation?.startsWith("job-")) continue;
      told.add(id);
      say(`${colors.yellow("waiting:")} ${plainText(tool)} needs a person's yes: toolplane approvals approve ${id}`);
    }
  }
}

type RunOptions = GlobalOptions & { args?: string; detach?: boolean; key?: string };
type HistoryOptions = GlobalOptions & { state?: string; limit?: string; cursor?: string };

export async function runJob(cli: Cli, name: string, values: string[], options: RunOptions): Promise<number> {
  const input = await readInput(options.args, values);
  return tellRun(cli, options, (plane, how) => plane.jobs.run(name, { ...how, input }));
}

export async function rerunJob(cli: Cli, run: string, options: RunOptions): Promise<number> {
  return tellRun(cli, options, (plane, how) => plane.jobs.rerun(run, how));
}

async function tellRun(
  cli: Cli,
  { detach = false, key, ...options }: RunOptions,
  begin: (plane: Plane, how: RunJobOptions) => Promise<JobRun>,
): Promise<number> {
  const run = await withPlane(cli, options, async (plane, signal) => {
    if (detach && !plane.isRemote)
      throw new PlaneError("USAGE", "--detach needs a plane that goes on: start 'toolplane serve', or leave it out.");
    const idempotencyKey = key === undefined ? {} : { idempotencyKey: key };
    using _telling = tellApprovals(plane);
    if (plane.isRemote)
      signal.addEventListener("abort", () =>
        say("The run goes on in the plane that serves: 'toolplane jobs history' shows it, 'jobs cancel' ends it."),
      );
    return await begin(plane, { face: "cli", signal, wait: !detach, ...idempotencyKey });
  });
  return printRun(run, options);
}

/** What became of it, and the exit code that says so. */
function printRun(run: JobRun, { json }: GlobalOptions): number {
  if (json) printJson({ run });
  else print(renderRun(run));
  if (!json && run.error !== null) printError(run.error);
  if (run.error !== null) return errorTable[run.error.code].exit;
  return run.state === "cancelled" ? errorTable.CANCELLED.exit : 0;
}

/** Whoever looks has succeeded, whatever became of the run. */
export async function showRun(cli: Cli, id: string, options: GlobalOptions): Promise<void> {
  printRun(await withPlane(cli, options, (plane) => plane.jobs.status(id)), options);
}

export async function showJob(cli: Cli, name: string, options: GlobalOptions): Promise<void> {
  const job = await withPlane(cli, options, (plane) => plane.jobs.get(name));
  if (options.json) printJson({ job });
  else print(renderJob(job));
}

export async function switchJob(
  cli: Cli,
  name: string,
  verb: "pause" | "resume",
  options: GlobalOptions,
): Promise<void> {
  const job = await withPlane(cli, options, (plane) =>
    verb === "pause" ? plane.jobs.pause(name) : plane.jobs.resume(name),
  );
  if (options.json) return printJson({ job });
  print(
    verb === "pause"
      ? `Job '${name}' is paused; 'toolplane jobs resume ${name}' lets it go on.`
      : `Job '${name}' goes on; next at ${job.schedule.nextAt ?? "no time any more"}.`,
  );
}

export async function cancelRun(cli: Cli, id: string, options: GlobalOptions): Promise<void> {
  const run = await withPlane(cli, options, (plane) => plane.jobs.cancel(id));
  if (options.json) printJson({ run });
  else print(`Run '${run.id}' of '${run.job}' is ${run.state}.`);
}

export async function listHistory(cli: Cli, name: string, options: HistoryOptions): Promise<void> {
  const { state, limit, cursor } = options;
  const query = {
    ...(state === undefined ? {} : { state: toState(state) }),
    ...(limit === undefined ? {} : { limit: toLimit(limit) }),
    ...(cursor === undefined ? {} : { cursor }),
  };
  const page = await withPlane(cli, options, (plane) => plane.jobs.history(name, query));
  if (options.json) return printJson(page);
  print(renderRuns(page.runs, state !== undefined || cursor !== undefined));
  if (page.nextCursor !== null) say(`There are more; the next ones with --cursor ${page.nextCursor}`);
}

function toState(text: string): JobRunState {
  const known = jobRunStates.find((state) => state === text);
  if (known) return known;
  throw new PlaneError("USAGE", `--state cannot be '${text}': give one of ${jobRunStates.join(", ")}.`);
}

function toLimit(text: string): number {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= 100) return limit;
  throw new PlaneError("USAGE", `--limit cannot be '${text}': give a whole number from 1 to 100.`);
}
