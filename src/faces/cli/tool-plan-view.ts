import { plainText } from "../../lib/text/plain-text.ts";
import { countOf } from "../../lib/text/wording.ts";
import type { Outcome } from "../../model/calls/call.ts";
import type { PlacedStep, PlanCheck, PlanProblem } from "../../model/calls/tool-plan.ts";
import { colors } from "./colors.ts";
import { renderTable } from "./output.ts";

export type TriedStep = Pick<PlacedStep, "line" | "tool"> & { outcome: Outcome };

export function renderCheck(path: string, { steps, problems }: PlanCheck): string {
  const rows = steps.map(({ line, tool, verdict }, at) => [`${at + 1}`, `${line}`, tool, verdict ?? "-"]);
  const table = rows.length === 0 ? [] : [renderTable(["STEP", "LINE", "TOOL", "VERDICT"], rows)];
  return [
    ...table,
    ...problems.map((one) => renderPlanProblem(path, one)),
    summarize(steps.length, problems.length),
  ].join("\n");
}

/** What was tried, one step a line. */
export function renderTried(tried: readonly TriedStep[]): string {
  const rows = tried.map(({ line, tool, outcome }, at) => [
    ...[`${at + 1}`, `${line}`, tool],
    outcome.verdict?.verdict ?? outcome.error?.code ?? outcome.call.status,
    outcome.verdict?.reason ?? outcome.error?.message ?? "",
  ]);
  return renderTable(["STEP", "LINE", "TOOL", "VERDICT", "BECAUSE"], rows);
}

export function renderPlanProblem(path: string, { line, tool, message, hint }: PlanProblem): string {
  const where = `${path === "-" ? "line " : `${path}:`}${line}`;
  const what = tool === null ? "" : `${colors.bold(plainText(tool))}: `;
  const remedy = hint === null ? "" : `\n    ${colors.dim(plainText(hint))}`;
  return `${colors.red("✖")} ${plainText(where)} ${what}${plainText(message)}${remedy}`;
}

function summarize(steps: number, problems: number): string {
  const count = countOf(steps, "step");
  if (problems === 0) return `${colors.green("✔")} ${count}, nothing is wrong.`;
  return `${countOf(problems, "problem")}, ${count} read.`;
}
