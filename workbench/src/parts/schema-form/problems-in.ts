import { isObject, listOrEmpty } from "../../../../src/model/json.ts";
import type { FieldProblem } from "./check-value.ts";

/** What the plane found wrong with arguments, and where. */
export function problemsIn(error: unknown): FieldProblem[] {
  if (!isObject(error) || error.code !== "INVALID_ARGUMENTS" || !isObject(error.data)) return [];
  const { problems } = error.data;
  return listOrEmpty(problems).flatMap((problem) => {
    const report = typeof problem === "string" ? inText(problem) : problem;
    if (!isObject(report) || typeof report.path !== "string" || typeof report.message !== "string")
      return [];
    const path = pathIn(report.path);
    if (typeof report.missing === "string")
      return [{ path: [...path, report.missing], message: "is required" }];
    return [{ path, message: report.message }];
  });
}

/** `/place/city must be text`, as answers to questions are refused. */
function inText(problem: string): { path: string; message: string } {
  const [, path = "", message = problem] = /^(\/\S*)\s+(.*)$/s.exec(problem) ?? [];
  return { path, message };
}

const pathIn = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
