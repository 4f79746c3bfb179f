import { sentence } from "../lib/sentence.ts";
import type { ConfigProblem } from "../model/config.ts";

/** File, line, place, reason and remedy, a line each. */
export function renderProblems(problems: readonly ConfigProblem[]): string {
  return problems.map(renderProblem).join("\n");
}

function renderProblem({ file, line, path, message, hint }: ConfigProblem): string {
  const place = line === null ? file : `${file}:${line}`;
  return `${place}: ${path === "" ? "" : `${path}: `}${sentence(message)}${hint === null ? "" : ` ${hint}`}`;
}
