import { Counter, Histogram, type Registry } from "prom-client";
import { createBoundedLabel } from "../../../lib/bounded-label.ts";
import type { Plane } from "../../../model/plane.ts";

/** From a model that answers at once to one that thinks for minutes. */
const seconds = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** What agents have done so far: runs, turns, calls, and what their models took. */
export function createAgentMetrics(plane: Pick<Plane, "on">, registers: Registry[]): void {
  const runs = new Counter({
    name: "toolplane_agent_runs_total",
    help: "Runs of agents that ended, by outcome.",
    registers,
    labelNames: ["outcome", "model", "style"],
  });
  const durations = new Histogram({
    name: "toolplane_agent_run_duration_seconds",
    help: "How long runs of agents took.",
    registers,
    labelNames: ["outcome"],
    buckets: seconds,
  });
  const turns = new Histogram({
    name: "toolplane_agent_turns",
    help: "Turns in which an agent got its calls, per run.",
    registers,
    buckets: [0, 1, 2, 3, 5, 8, 13, 21, 34],
  });
  const calls = new Counter({
    name: "toolplane_agent_calls_total",
    help: "Calls that agents asked for.",
    registers,
    labelNames: ["tool", "status"],
  });
  const thinking = new Histogram({
    name: "toolplane_model_duration_seconds",
    help: "How long models took for a turn.",
    registers,
    labelNames: ["model"],
    buckets: seconds,
  });
  const tokens = new Counter({
    name: "toolplane_model_tokens_total",
    help: "Tokens of models in runs of agents.",
    registers,
    labelNames: ["model", "direction"],
  });
  const modelOf = createBoundedLabel();
  const toolOf = createBoundedLabel();

  plane.on("agent.run", (run) => {
    const model = modelOf(run.model);
    runs.inc({ outcome: run.outcome, model, style: run.style });
    durations.observe({ outcome: run.outcome }, run.durationMs / 1_000);
    turns.observe(run.turns);
    // What was not made may have any name: it is what a model wrote.
    for (const { tool, status, made: wasMade } of run.calls)
      calls.inc({ tool: wasMade ? toolOf(tool) : "unknown", status });
    for (const ms of run.modelMs) thinking.observe({ model }, ms / 1_000);
    tokens.inc({ model, direction: "input" }, run.inputTokens);
    tokens.inc({ model, direction: "output" }, run.outputTokens);
  });
}
