import { plainText } from "../../lib/plain-text.ts";
import { type ConfigProblem, renderProblem } from "../../model/config.ts";
import { colors } from "./colors.ts";

export function listProblems(problems: readonly ConfigProblem[]): string {
  return problems
    .map((problem) => {
      const mark = problem.severity === "error" ? colors.red("✖") : colors.yellow("▲");
      return `${mark} ${plainText(renderProblem(problem))}`;
    })
    .join("\n");
}
