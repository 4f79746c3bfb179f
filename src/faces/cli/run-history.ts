import { withoutUndefined } from "../../lib/json/plain-data.ts";
import type { RunSummary } from "../../model/agent/agent-run.ts";
import { type AgentOutcome, agentOutcomes } from "../../model/agent/agent-run.ts";

import { PlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { print, printJson, renderTable, say } from "./output.ts";
import { withPlane } from "./with-plane.ts";

type ListOptions = GlobalOptions & {
  outcome?: string;
  model?: string;
  toolset?: string;
  conversation?: string;
  since?: string;
  limit?: string;
  cursor?: string;
};

export async function listRuns(cli: Cli, options: ListOptions): Promise<void> {
  const { outcome, model, toolset, conversation, since, user, limit, cursor } = options;
  const query = withoutUndefined({
    ...{ model, toolset, conversation, since, user, cursor },
    outcome: outcome === undefined ? undefined : toOutcome(outcome),
    limit: limit === undefined ? undefined : toLimit(limit),
  });
  const page = await withPlane(cli, options, (plane) => plane.runs.page(query));
  if (options.json) return printJson(page);
  print(renderRuns(page.runs));
  if (page.nextCursor !== null) say(`There are more; the next ones with --cursor ${page.nextCursor}`);
}

/** What `calls show` prints of a run, once it is known to be one. */
export async function showRun(plane: Plane, id: string, { json }: GlobalOptions): Promise<void> {
  if (json) printJson({ run: await plane.runs.get(id) });
  else print((await plane.runs.render(id, "text")).text);
}

function toOutcome(text: string): AgentOutcome {
  const known = agentOutcomes.find((outcome) => outcome === text);
  if (known) return known;
  throw new PlaneError("USAGE", `--outcome cannot be '${text}': give one of ${agentOutcomes.join(", ")}.`);
}

function toLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= 1_000) return limit;
  throw new PlaneError("USAGE", `--limit cannot be '${text}': give a whole number from 1 to 1000.`);
}

function renderRuns(runs: readonly RunSummary[]): string {
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
