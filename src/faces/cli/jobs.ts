import type { Cli, GlobalOptions } from "./cli.ts";
import { renderRecurrence } from "./job-view.ts";
import { print, printJson, renderTable } from "./output.ts";
import { readFilters, type ToolFilters } from "./tool-filters.ts";
import { withPlane } from "./with-plane.ts";

type JobFilters = Pick<ToolFilters, "personaFilter">;

export async function listJobs(cli: Cli, options: GlobalOptions & JobFilters): Promise<void> {
  const { personas } = readFilters({ personaFilter: options.personaFilter ?? [] });
  const jobs = await withPlane(cli, options, (plane) => plane.jobs({ personas }));
  if (options.json) return printJson({ jobs });
  if (jobs.length === 0) return print("No job is there for you, or none matches.");
  const rows = jobs.map((job) => [
    job.name,
    job.personas.join(", "),
    job.task_graph.map(({ task }) => task).join(", "),
    renderRecurrence(job),
    job.summary ?? job.description ?? "",
  ]);
  print(renderTable(["JOB", "FOR", "TASKS", "WHEN", "SUMMARY"], rows));
}
