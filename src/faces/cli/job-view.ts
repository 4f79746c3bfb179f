import { plainText } from "../../lib/text/plain-text.ts";
import type { JobStatus } from "../../model/plane-work.ts";
import type { JobRun } from "../../model/work/job-run.ts";

import { colors } from "./colors.ts";
import { renderTable } from "./output.ts";

export function renderJob(job: JobStatus): string {
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

/** Whom a failure of it is told to. */
export function renderEscalation({
  escalation_policy: policy,
}: Pick<JobStatus, "escalation_policy">): [label: string, value: string][] {
  if (policy === undefined) return [];
  const { contact, level, timeframe, auto_escalate } = policy;
  const facts = [contact, level, timeframe, auto_escalate ? "by itself" : undefined];
  return [["escalate", facts.filter((fact) => fact !== undefined).join(", ") || "nobody is named"]];
}

export function renderRecurrence({ recurrence }: Pick<JobStatus, "recurrence">): string {
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

export function renderNext({ state, nextAt, pausedAt, pausedBy }: JobStatus["schedule"]): string {
  if (state === "paused") return `paused by ${pausedBy ?? "somebody"} at ${pausedAt}`;
  if (state === "on_request") return "when somebody asks";
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

/** One run with its tasks and steps. */
export function renderRun(run: JobRun): string {
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
