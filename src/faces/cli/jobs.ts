import { countOf } from "../../lib/text/wording.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { renderNext, renderRecurrence } from "./job-view.ts";
import { print, printJson, renderTable, say } from "./output.ts";
import { readFilters, type ToolFilters } from "./tool-filters.ts";
import { withPlane } from "./with-plane.ts";

export type WorkFilters = Pick<ToolFilters, "personaFilter" | "query" | "limit" | "cursor">;

/** What a list of tasks or jobs is asked for. */
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
  if (nextCursor !== null) say(`${jobs.length} of ${countOf(total, "job")}; the next ones with --cursor ${nextCursor}`);
}
