import colors from "picocolors";
import { plainText } from "../../lib/plain-text.ts";
import { sentence } from "../../lib/sentence.ts";
import type { ConfigProblem } from "../../model/config.ts";

/** File, line, place, reason and remedy on one line. */
export function renderProblem({ file, line, path, message, hint }: ConfigProblem): string {
  const place = line === null ? file : `${file}:${line}`;
  const text = `${place}: ${path === "" ? "" : `${path}: `}${sentence(message)}${hint === null ? "" : ` ${hint}`}`;
  return plainText(text);
}

export function renderProblems(problems: readonly ConfigProblem[]): string {
  return problems
    .map((problem) => {
      const mark = problem.severity === "error" ? colors.red("✖") : colors.yellow("▲");
      return `${mark} ${renderProblem(problem)}`;
    })
    .join("\n");
}
