import type { RunSummary } from "../../model/run-verbs.ts";
import { renderTable } from "./output.ts";

export function renderRuns(runs: readonly RunSummary[]): string {
  if (runs.length === 0) return "No run of an agent is kept.";
  return renderTable(
    ["WHEN", "ID", "OUTCOME", "SECONDS", "TURNS", "CALLS", "TOKENS", "USER", "MODEL", "QUESTION"],
    runs.map(({ at, id, outcome, durationMs, turns, counters, usage, user, model, question }) => [
      at.slice(0, 19).replace("T", " "),
      id,
      outcome,
      (durationMs / 1_000).toFixed(1),
      String(turns),
      String(counters.totalToolCalls),
      String(usage.totalTokens),
      user ?? "-",
      model,
      question,
    ]),
  );
}
