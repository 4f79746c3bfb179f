import { pause } from "../../../lib/async/pause.ts";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { countOf } from "../../../lib/text/wording.ts";
import type { TaskEntry } from "../../../model/catalogue/registry-summary.ts";
import { errorTable, PlaneError } from "../../../model/errors.ts";
import type { Plane } from "../../../model/plane.ts";
import type { JobStatus, RunJobOptions } from "../../../model/plane-work.ts";
import { type JobRun, jobRunStates } from "../../../model/work/job-run.ts";
import type { Cli, GlobalOptions, TextOptions } from "../cli.ts";
import { colors, print, printError, printJson, renderTable, say, sayMore, show } from "../terminal/output.ts";
import { withPlane } from "../with-plane.ts";
import { oneOf, readFilters, type ToolFilters, toLimit } from "./option-values.ts";
import { readInput } from "./skills.ts";

export type WorkFilters = Pick<ToolFilters, "personaFilter" | "query" | "limit" | "cursor">;

export function readWorkFilters({ personaFilter = [], query = [], limit = [], cursor = [] }: WorkFilters) {
  const { personas, q, ...page } = readFilters({ personaFilter, query, limit, cursor });
  return { personas, q, limit: page.limit, cursor: page.cursor };
}

export async function listJobs(cli: Cli, options: GlobalOptions & WorkFilters): Promise<void> {
  const asked = readWorkFilters(options);
  const { jobs, total, nextCursor } = await withPlane(cli, options, (plane) => plane.jobs.page(asked));
  if (options.json) return printJson({ jobs, total, nextCursor });
  if (jobs.length === 0) return print("No jobs found.");
  const rows = jobs.map((job) => [
    job.name,
    job.personas.join(", "),
    job.task_graph.map(({ task }) => task).join(", "),
    renderRecurrence(job),
    job.schedule.state === "on_request" ? "-" : renderNext(job.schedule),
    job.summary ?? job.description ?? "",
  ]);
  print(renderTable(["JOB", "FOR", "TASKS", "WHEN", "NEXT", "SUMMARY"], rows));
  sayMore(nextCursor, `${jobs.length} of ${countOf(total, "job")}`);
}

const lookMs = 1_000;

/** While a person waits for a job: which of its calls wait for approval. Each is named once. */
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
    // A caller who may not look sees the error at the end.
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
type HistoryOptions = TextOptions<"state" | "limit" | "cursor">;

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
    using _telling = tellApprovals(plane);
    if (plane.isRemote)
      signal.addEventListener("abort", () =>
        say("The run goes on in the plane that serves: 'toolplane jobs history' shows it, 'jobs cancel' ends it."),
      );
    return await begin(plane, { face: "cli", signal, wait: !detach, ...withoutUndefined({ idempotencyKey: key }) });
  });
  return printRun(run, options);
}

function printRun(run: JobRun, { json }: GlobalOptions): number {
  if (json) printJson({ run });
  else print(renderRun(run));
  if (!json && run.error !== null) printError(run.error);
  if (run.error !== null) return errorTable[run.error.code].exit;
  return run.state === "cancelled" ? errorTable.CANCELLED.exit : 0;
}

/** Looking succeeds, whatever became of the run. */
export async function showRun(cli: Cli, id: string, options: GlobalOptions): Promise<void> {
  printRun(await withPlane(cli, options, (plane) => plane.jobs.status(id)), options);
}

export async function showJob(cli: Cli, name: string, options: GlobalOptions): Promise<void> {
  const job = await withPlane(cli, options, (plane) => plane.jobs.get(name));
  show(options, { job }, () => renderJob(job));
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
  show(options, { run }, () => `Run '${run.id}' of '${run.job}' is ${run.state}.`);
}

export async function listHistory(cli: Cli, name: string, options: HistoryOptions): Promise<void> {
  const { state, limit, cursor } = options;
  const query = withoutUndefined({ state: oneOf("--state", state, jobRunStates), limit: toLimit(limit, 100), cursor });
  const page = await withPlane(cli, options, (plane) => plane.jobs.history(name, query));
  if (options.json) return printJson(page);
  print(renderRuns(page.runs, state !== undefined || cursor !== undefined));
  sayMore(page.nextCursor);
}

function renderJob(job: JobStatus): string {
  const { schedule, lastRun, health } = job;
  const rate = health.job.total === 0 ? "" : `, ${Math.round(health.job.success_rate * 100)} % succeeded`;
  const facts: [label: string, value: string][] = [
    ["for", job.personas.join(", ")],
    ["when", renderRecurrence(job)],
    ["next", schedule.nextAt === null ? renderNext(schedule) : renderTime(schedule.nextAt, job)],
    ...job.upcoming.slice(1, 3).map((at): [string, string] => ["then", renderTime(at, job)]),
    ["runs", `${health.job.total} remembered${rate}; ${job.active} under way or waiting`],
    ["last", lastRun === null ? "never" : `${lastRun.state} ${lastRun.endedAt ?? lastRun.createdAt}`],
    ["needs", job.required_capabilities.join(", ") || "no capability"],
    ["priority", `${job.priority}, ${job.concurrency} at a time`],
    ...renderEscalation(job),
    ["source", job.source],
  ];
  const tasks = job.task_graph.map(({ task, depends_on, required_capabilities: needs }) => {
    const after = depends_on.length === 0 ? "" : ` (after ${depends_on.join(", ")})`;
    return `${task}${after}${needs.length === 0 ? "" : `: needs ${needs.join(", ")}`}`;
  });
  return [
    colors.bold(plainText(job.name)),
    ...(job.summary === null ? [] : [plainText(job.summary)]),
    "",
    ...facts.map(([label, value]) => `${colors.dim(label.padEnd(9))} ${plainText(value)}`),
    "",
    colors.bold("Tasks"),
    ...tasks.map((task) => `  ${plainText(task)}`),
  ].join("\n");
}

function renderEscalation({
  escalation_policy: policy,
}: Pick<JobStatus, "escalation_policy">): [label: string, value: string][] {
  if (policy === undefined) return [];
  const { contact, level, timeframe, auto_escalate } = policy;
  const facts = [contact, level, timeframe, auto_escalate ? "by itself" : undefined];
  return [["escalate", facts.filter((fact) => fact !== undefined).join(", ") || "no contact"]];
}

function renderRecurrence({ recurrence }: Pick<JobStatus, "recurrence">): string {
  if (recurrence === undefined) return "on request";
  const { cron, frequency, interval = 1, timezone } = recurrence;
  const zone = timezone === "UTC" ? "" : ` ${timezone}`;
  if (cron !== undefined) return `${cron}${zone}`;
  return interval === 1 ? `${frequency}${zone}` : `${frequency}, every ${interval}${zone}`;
}

/** As clocks show it where the job is at home, too. */
function renderTime(at: string, { recurrence }: Pick<JobStatus, "recurrence">): string {
  const zone = recurrence?.timezone ?? "UTC";
  if (zone === "UTC") return at;
  const shown = new Date(at).toLocaleString("en-GB", {
    ...{ timeZone: zone, hourCycle: "h23", weekday: "short", hour: "2-digit", minute: "2-digit" },
  });
  return `${at} (${shown.replace(",", "")} in ${zone})`;
}

function renderNext({ state, nextAt, pausedAt, pausedBy }: JobStatus["schedule"]): string {
  if (state === "paused") return `paused by ${pausedBy ?? "anonymous"} at ${pausedAt}`;
  if (state === "on_request") return "on request";
  return nextAt ?? "not again";
}

export function renderRuns(runs: readonly JobRun[], isFiltered: boolean): string {
  if (runs.length === 0) return isFiltered ? "None of its runs matches." : "It has not run yet.";
  const rows = runs.map((run) => [
    run.id,
    run.state,
    run.scheduledFor ?? run.origin,
    run.startedAt ?? "-",
    tookOf(run),
    `${run.tasks.filter(({ state }) => state === "done").length}/${run.tasks.length}`,
    run.error === null ? "" : `${run.error.code}: ${run.error.message}`,
  ]);
  return renderTable(["RUN", "STATE", "FOR", "STARTED", "TOOK", "TASKS", "ERROR"], rows);
}

function renderRun(run: JobRun): string {
  const rows = run.tasks.flatMap(({ task, state, attempts, error, steps, nextAttemptAt }) => [
    [
      task,
      state,
      `${attempts}`,
      [
        nextAttemptAt === null ? "" : `again at ${nextAttemptAt}`,
        error === null ? "" : `${error.code}: ${error.message}`,
      ]
        .filter(Boolean)
        .join("; "),
    ],
    ...steps.map((step) => [`  ${step.id}`, step.state, "", step.error?.code ?? step.tool ?? "a model"]),
  ]);
  return [
    `Run ${run.id} of ${colors.bold(plainText(run.job))}: ${run.state}${run.endedAt === null ? "" : `, ${tookOf(run)}`}`,
    renderTable(["TASK", "STATE", "TRIES", ""], rows),
  ].join("\n");
}

function tookOf({ startedAt, endedAt }: JobRun): string {
  if (startedAt === null || endedAt === null) return "-";
  const ms = Date.parse(endedAt) - Date.parse(startedAt);
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

export async function listTasks(cli: Cli, options: GlobalOptions & WorkFilters): Promise<void> {
  const asked = readWorkFilters(options);
  const { tasks, total, nextCursor } = await withPlane(cli, options, (plane) => plane.tasks.page(asked));
  if (options.json) return printJson({ tasks, total, nextCursor });
  if (tasks.length === 0) return print("No tasks found.");
  const rows = tasks.map((task) => [
    task.name,
    task.persona ?? "shared",
    task.required_skills.join(", ") || "a model",
    task.required_capabilities.join(", ") || "-",
    task.summary,
  ]);
  print(renderTable(["TASK", "PERSONA", "SKILLS", "NEEDS", "SUMMARY"], rows));
  sayMore(nextCursor, `${tasks.length} of ${countOf(total, "task")}`);
}

export async function showTask(cli: Cli, name: string, options: GlobalOptions): Promise<void> {
  const task = await withPlane(cli, options, (plane) => plane.tasks.get(name));
  show(options, { task }, () => renderTask(task));
}

function renderTask(task: TaskEntry): string {
  const facts: [label: string, value: string][] = [
    ["persona", task.persona ?? "shared"],
    ["skills", task.required_skills.join(", ") || "none: a model does it"],
    ["tools", task.required_tools.join(", ") || "none of its own"],
    ["needs", task.required_capabilities.join(", ") || "no capability"],
    ...renderEscalation(task),
    ["source", task.source],
  ];
  return [
    colors.bold(plainText(task.name)),
    plainText(task.summary),
    ...(task.description === null ? [] : ["", plainText(task.description)]),
    "",
    ...facts.map(([label, value]) => `${colors.dim(label.padEnd(9))} ${plainText(value)}`),
    "",
    colors.bold("Done when"),
    ...task.acceptance_criteria.map((one) => `  ${plainText(one)}`),
  ].join("\n");
}
