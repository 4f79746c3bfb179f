import {
  type Cli,
  colors,
  command,
  type Fact,
  type GlobalOptions,
  joinLines,
  pickOptions,
  printError,
  printPage,
  printStatus,
  readFilters,
  readInput,
  renderFacts,
  renderTable,
  show,
  type TextOptions,
  type ToolFilters,
  table,
  toChoice,
  toLimit,
  withPlane,
} from "@toolplane/core/faces/cli/views";
import { pause } from "@toolplane/core/lib/async/pause";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { plainText } from "@toolplane/core/lib/text/plain-text";
import { countOf } from "@toolplane/core/lib/text/wording";
import type { TaskEntry } from "@toolplane/core/model/catalogue/registry-summary";
import { errorTable, PlaneError } from "@toolplane/core/model/errors";
import type { Plane } from "@toolplane/core/model/plane";
import type { JobStatus, RunJobOptions } from "@toolplane/core/model/plane-work";
import { jobRunStates } from "@toolplane/core/model/work/job-run";
import type { JobRun } from "@toolplane/core/model/work/run-schema";

type WorkFilters = Pick<ToolFilters, "personaFilter" | "query" | "limit" | "cursor">;

function readWorkFilters(options: WorkFilters) {
  const { personas, q, limit, cursor } = readFilters(
    pickOptions(options, "personaFilter", "query", "limit", "cursor"),
  );
  return { personas, q, limit, cursor };
}

export const listJobs = command(
  (plane, options: WorkFilters & Pick<ToolFilters, "minSuccessRate">) => {
    const { minSuccessRate } = readFilters(pickOptions(options, "minSuccessRate"));
    return plane.jobs.page({ ...readWorkFilters(options), minSuccessRate });
  },
  ({ jobs, total, nextCursor }) => {
    const rows = table(jobs, "No jobs found.", {
      JOB: ({ name }) => name,
      FOR: ({ personas }) => personas.join(", "),
      TASKS: ({ task_graph }) => task_graph.map(({ task }) => task).join(", "),
      WHEN: renderRecurrence,
      NEXT: ({ schedule }) => (schedule.state === "on_request" ? "-" : renderNext(schedule)),
      SUMMARY: ({ summary, description }) => summary ?? description ?? "",
    });
    printPage(rows, nextCursor, `${jobs.length} of ${countOf(total, "job")}`);
  },
  ({ jobs, total, nextCursor }) => ({ jobs, total, nextCursor }),
);

export const listTasks = command(
  (plane, options: WorkFilters) => plane.tasks.page(readWorkFilters(options)),
  ({ tasks, total, nextCursor }) => {
    const rows = table(tasks, "No tasks found.", {
      TASK: ({ name }) => name,
      PERSONA: ({ persona }) => persona ?? "shared",
      SKILLS: ({ required_skills }) => required_skills.join(", ") || "a model",
      NEEDS: ({ required_capabilities }) => required_capabilities.join(", ") || "-",
      SUMMARY: ({ summary }) => summary,
    });
    printPage(rows, nextCursor, `${tasks.length} of ${countOf(total, "task")}`);
  },
  ({ tasks, total, nextCursor }) => ({ tasks, total, nextCursor }),
);

type RunOptions = GlobalOptions & { args?: string; detach?: boolean; key?: string };

export async function runJob(
  cli: Cli,
  name: string,
  values: string[],
  options: RunOptions,
): Promise<number> {
  const input = await readInput(options.args, values);
  return runAndPrint(cli, options, (plane, how) => plane.jobs.run(name, { ...how, input }));
}

export async function rerunJob(cli: Cli, run: string, options: RunOptions): Promise<number> {
  return runAndPrint(cli, options, (plane, how) => plane.jobs.rerun(run, how));
}

async function runAndPrint(
  cli: Cli,
  { detach = false, key, ...options }: RunOptions,
  begin: (plane: Plane, how: RunJobOptions) => Promise<JobRun>,
): Promise<number> {
  const run = await withPlane(cli, options, async (plane, signal) => {
    if (detach && !plane.isRemote)
      throw new PlaneError(
        "USAGE",
        "--detach needs a plane that goes on: start 'toolplane serve', or leave it out.",
      );
    const printing = new AbortController();
    void printApprovals(printing.signal, plane);
    if (plane.isRemote)
      signal.addEventListener("abort", () =>
        printStatus(
          "The run goes on in the plane that serves: 'toolplane jobs history' shows it, 'jobs cancel' ends it.",
        ),
      );
    const runOptions = {
      face: "cli",
      signal,
      wait: !detach,
      ...withoutUndefined({ idempotencyKey: key }),
    } as const;
    return begin(plane, runOptions).finally(() => printing.abort());
  });
  return printRun(run, options);
}

const pollMs = 1_000;

/** While a person waits for a job: which of its calls wait for approval. Each is named once. */
async function printApprovals(over: AbortSignal, plane: Pick<Plane, "approvals">): Promise<void> {
  const since = new Date().toISOString();
  const printedIds = new Set<string>();
  for (;;) {
    await pause(pollMs, { signal: over, isBackground: true });
    if (over.aborted) return;
    // A caller who may not look sees the error at the end.
    const waiting = await plane.approvals.list({ status: "pending" }).catch(() => []);
    if (over.aborted) return;
    for (const approval of waiting) {
      const { id, tool, options } = approval;
      if (printedIds.has(id) || approval.at < since) continue;
      if (!options.conversation?.startsWith("job-")) continue;
      printedIds.add(id);
      printStatus(
        `${colors.yellow("waiting:")} ${plainText(tool)} needs a person's yes: toolplane approvals approve ${id}`,
      );
    }
  }
}

function printRun(run: JobRun, options: GlobalOptions): number {
  show(options, { run }, () => renderRun(run));
  if (run.error === null) return run.state === "cancelled" ? errorTable.CANCELLED.exit : 0;
  if (!options.json) printError(run.error);
  return errorTable[run.error.code].exit;
}

/** Looking succeeds, whatever became of the run. */
export async function showRun(cli: Cli, id: string, options: GlobalOptions): Promise<void> {
  printRun(await withPlane(cli, options, (plane) => plane.jobs.status(id)), options);
}

export const showJob = command(
  (plane, name: string) => plane.jobs.get(name),
  renderJob,
  (job) => ({ job }),
);

export const showTask = command(
  (plane, name: string) => plane.tasks.get(name),
  renderTask,
  (task) => ({ task }),
);

export const pauseJob = command(
  (plane, name: string) => plane.jobs.pause(name),
  (_, [name]) => `Job '${name}' is paused; 'toolplane jobs resume ${name}' resumes it.`,
  (job) => ({ job }),
);

export const resumeJob = command(
  (plane, name: string) => plane.jobs.resume(name),
  ({ schedule }, [name]) => `Job '${name}' is resumed; next run: ${schedule.nextAt ?? "none"}.`,
  (job) => ({ job }),
);

export const cancelRun = command(
  (plane, id: string) => plane.jobs.cancel(id),
  ({ id, job, state }) => `Run '${id}' of '${job}' is ${state}.`,
  (run) => ({ run }),
);

export const listHistory = command(
  (plane, name: string, { state, limit, cursor }: TextOptions<"state" | "limit" | "cursor">) => {
    const stateFilter = toChoice("--state", state, jobRunStates);
    return plane.jobs.history(
      name,
      withoutUndefined({ state: stateFilter, limit: toLimit(limit, 100), cursor }),
    );
  },
  ({ runs, nextCursor }, [, { state, cursor }]) =>
    printPage(renderRuns(runs, state !== undefined || cursor !== undefined), nextCursor),
);

function renderJob(job: JobStatus): string {
  const { schedule, lastRun, health, upcoming, summary } = job;
  const rate =
    health.job.total === 0 ? "" : `, ${Math.round(health.job.success_rate * 100)} % succeeded`;
  const tasks = job.task_graph.map(({ task, depends_on, required_capabilities: needs }) => {
    const orderNote = depends_on.length === 0 ? "" : ` (after ${depends_on.join(", ")})`;
    const needsNote = needs.length === 0 ? "" : `: needs ${needs.join(", ")}`;
    return `  ${plainText(`${task}${orderNote}${needsNote}`)}`;
  });
  const facts: Fact[] = [
    ["for", job.personas.join(", ")],
    ["when", renderRecurrence(job)],
    ["next", schedule.nextAt === null ? renderNext(schedule) : renderTime(schedule.nextAt, job)],
    ...upcoming.slice(1, 3).map((nextAt): Fact => ["then", renderTime(nextAt, job)]),
    ["runs", `${health.job.total} remembered${rate}; ${job.active} under way or waiting`],
    [
      "last",
      lastRun === null ? "never" : `${lastRun.state} ${lastRun.endedAt ?? lastRun.createdAt}`,
    ],
    ["needs", job.required_capabilities.join(", ") || "no capability"],
    ["priority", `${job.priority}, ${job.concurrency} at a time`],
    ["escalate", renderEscalation(job)],
    ["source", job.source],
  ];
  return joinLines(
    colors.bold(plainText(job.name)),
    summary !== null && plainText(summary),
    "",
    renderFacts(9, facts),
    "",
    colors.bold("Tasks"),
    tasks,
  );
}

function renderTask(task: TaskEntry): string {
  return joinLines(
    colors.bold(plainText(task.name)),
    plainText(task.summary),
    task.description !== null && ["", plainText(task.description)],
    "",
    renderFacts(9, [
      ["persona", task.persona ?? "shared"],
      ["skills", task.required_skills.join(", ") || "none: a model does it"],
      ["tools", task.required_tools.join(", ") || "none of its own"],
      ["needs", task.required_capabilities.join(", ") || "no capability"],
      ["escalate", renderEscalation(task)],
      ["source", task.source],
    ]),
    "",
    colors.bold("Done when"),
    task.acceptance_criteria.map((criterion) => `  ${plainText(criterion)}`),
  );
}

function renderEscalation({
  escalation_policy: policy,
}: Pick<JobStatus, "escalation_policy">): string | null {
  if (policy === undefined) return null;
  const { contact, level, timeframe, auto_escalate } = policy;
  const facts = [contact, level, timeframe, auto_escalate ? "by itself" : undefined];
  return facts.filter((fact) => fact !== undefined).join(", ") || "no contact";
}

function renderRecurrence({ recurrence }: Pick<JobStatus, "recurrence">): string {
  if (recurrence === undefined) return "on request";
  const { cron, frequency, interval = 1, timezone } = recurrence;
  const zone = timezone === "UTC" ? "" : ` ${timezone}`;
  if (cron !== undefined) return `${cron}${zone}`;
  if (interval === 1) return `${frequency}${zone}`;
  return `${frequency}, every ${interval}${zone}`;
}

/** As clocks show it where the job is at home, too. */
function renderTime(moment: string, { recurrence }: Pick<JobStatus, "recurrence">): string {
  const timeZone = recurrence?.timezone ?? "UTC";
  if (timeZone === "UTC") return moment;
  const form = {
    timeZone,
    hourCycle: "h23",
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
  } as const;
  const localTime = new Date(moment).toLocaleString("en-GB", form).replace(",", "");
  return `${moment} (${localTime} in ${timeZone})`;
}

function renderNext({ state, nextAt, pausedAt, pausedBy }: JobStatus["schedule"]): string {
  if (state === "paused") return `paused by ${pausedBy ?? "anonymous"} at ${pausedAt}`;
  if (state === "on_request") return "on request";
  return nextAt ?? "not again";
}

export function renderRuns(runs: readonly JobRun[], isFiltered: boolean): string {
  return table(runs, isFiltered ? "None of its runs matches." : "It has not run yet.", {
    RUN: ({ id }) => id,
    STATE: ({ state }) => state,
    FOR: ({ scheduledFor, origin }) => scheduledFor ?? origin,
    STARTED: ({ startedAt }) => startedAt,
    TOOK: tookOf,
    TASKS: ({ tasks }) => `${tasks.filter(({ state }) => state === "done").length}/${tasks.length}`,
    ERROR: ({ error }) => renderError(error),
  });
}

function renderRun(run: JobRun): string {
  const rows = run.tasks.flatMap(({ task, state, attempts, error, steps, nextAttemptAt }) => {
    const retryNote = nextAttemptAt === null ? "" : `again at ${nextAttemptAt}`;
    return [
      [task, state, `${attempts}`, [retryNote, renderError(error)].filter(Boolean).join("; ")],
      ...steps.map((step) => [
        `  ${step.id}`,
        step.state,
        "",
        step.error?.code ?? step.tool ?? "a model",
      ]),
    ];
  });
  const took = run.endedAt === null ? "" : `, ${tookOf(run)}`;
  const head = `Run ${run.id} of ${colors.bold(plainText(run.job))}: ${run.state}${took}`;
  return `${head}\n${renderTable(["TASK", "STATE", "TRIES", ""], rows)}`;
}

function renderError(error: Pick<PlaneError, "code" | "message"> | null): string {
  if (error === null) return "";
  return `${error.code}: ${error.message}`;
}

function tookOf({ startedAt, endedAt }: JobRun): string {
  if (startedAt === null || endedAt === null) return "-";
  const ms = Date.parse(endedAt) - Date.parse(startedAt);
  if (ms < 1_000) return `${ms} ms`;
  return `${(ms / 1_000).toFixed(1)} s`;
}
