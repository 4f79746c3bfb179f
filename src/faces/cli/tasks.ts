import { plainText } from "../../lib/text/plain-text.ts";
import { countOf } from "../../lib/text/wording.ts";
import type { TaskEntry } from "../../model/catalogue/registry-summary.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { colors } from "./colors.ts";
import { renderEscalation } from "./job-view.ts";
import { readWorkFilters, type WorkFilters } from "./jobs.ts";
import { print, printJson, renderTable, say } from "./output.ts";
import { withPlane } from "./with-plane.ts";

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
  if (nextCursor !== null)
    say(`${tasks.length} of ${countOf(total, "task")}; the next ones with --cursor ${nextCursor}`);
}

export async function showTask(cli: Cli, name: string, options: GlobalOptions): Promise<void> {
  const task = await withPlane(cli, options, (plane) => plane.tasks.get(name));
  if (options.json) printJson({ task });
  else print(renderTask(task));
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
