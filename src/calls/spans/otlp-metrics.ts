import { createBoundedLabel } from "../../lib/bounded-label.ts";
import type { ErrorCode } from "../../model/errors.ts";
import type { EventOf } from "../../model/events.ts";
import type { Plane } from "../../model/plane.ts";
import { nowNano, type OtlpAttribute, renderAttributes } from "./otlp-tracer.ts";

type Labels = Readonly<Record<string, string>>;
type Point = { attributes: OtlpAttribute[]; count: number; sum: number; buckets: number[] };
type Series = {
  name: string;
  unit: string;
  description: string;
  bounds?: readonly number[];
  points: Map<string, Point>;
};

/** From a tool in this process to one that takes its whole minute. */
const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** The name is whatever the caller wrote. */
const unresolved: ReadonlySet<ErrorCode> = new Set(["TOOL_NOT_FOUND", "TOOL_AMBIGUOUS", "SERVER_NOT_FOUND"]);

/** Sums and histograms since the start, in the form of OTLP. */
export function createOtlpMetrics(on: Plane["on"], changed: () => void) {
  const startTimeUnixNano = nowNano();
  const all: Series[] = [];
  const series = (name: string, unit: string, description: string, bounds?: readonly number[]) => {
    const made: Series = { name, unit, description, points: new Map(), ...(bounds && { bounds }) };
    all.push(made);
    return (labels: Labels, value = 1) => observe(made, labels, value);
  };
  const calls = series("toolplane.calls", "{call}", "Calls that ended, by tool and status.");
  const durations = series("toolplane.call.duration", "s", "How long calls took, by tool.", seconds);
  const attempts = series("toolplane.provider.attempts", "{attempt}", "How often providers were asked.");
  const latencies = series("toolplane.provider.duration", "s", "How long providers took.", seconds);
  const retries = series("toolplane.retries", "{attempt}", "Attempts that were repeated.");
  const runs = series("toolplane.agent.runs", "{run}", "Runs of agents that ended.");
  const tokens = series("toolplane.model.tokens", "{token}", "Tokens of models, by direction.");
  const labelOf = createBoundedLabel();
  const countCall = ({ tool: asked, status, durationMs, code, server, ...ended }: EventOf<"tool.result">) => {
    const tool = code !== null && unresolved.has(code) ? "unknown" : labelOf(asked);
    const of: Labels = { "gen_ai.tool.name": tool, ...(server ? { "toolplane.server": server } : {}) };
    calls({ ...of, "toolplane.call.status": status, ...(code === null ? {} : { "error.type": code }) });
    durations(of, durationMs / 1_000);
    for (const { provider, ok, durationMs: took = 0 } of ended.attempts ?? []) {
      const by = { ...of, "toolplane.provider": provider };
      attempts({ ...by, "toolplane.ok": String(ok) });
      latencies(by, took / 1_000);
    }
    changed();
  };
  const leave = [
    on("tool.result", countCall),
    on("tool.retry", () => retries({})),
    on("agent.run", ({ outcome, model, style, inputTokens, outputTokens }) => {
      const by = { "gen_ai.request.model": labelOf(model) };
      runs({ ...by, "toolplane.agent.outcome": outcome, "toolplane.agent.style": style });
      tokens({ ...by, "gen_ai.token.type": "input" }, inputTokens);
      tokens({ ...by, "gen_ai.token.type": "output" }, outputTokens);
      changed();
    }),
  ];
  return {
    /** Null where nothing has happened yet. */
    collect(): object[] | null {
      const used = all.filter(({ points }) => points.size > 0);
      return used.length === 0 ? null : used.map((one) => renderSeries(one, startTimeUnixNano));
    },
    stop() {
      for (const off of leave) off();
    },
  };
}

function observe({ points, bounds = [] }: Series, labels: Labels, value: number): void {
  const key = JSON.stringify(labels);
  let point = points.get(key);
  if (point === undefined) {
    const buckets = new Array<number>(bounds.length + 1).fill(0);
    point = { attributes: renderAttributes(labels), count: 0, sum: 0, buckets };
    points.set(key, point);
  }
  point.count += 1;
  point.sum += value;
  const at = bounds.findIndex((bound) => value <= bound);
  point.buckets[at < 0 ? bounds.length : at] = (point.buckets[at < 0 ? bounds.length : at] ?? 0) + 1;
}

/** Cumulative, as Prometheus and most collectors take it. */
const cumulative = { aggregationTemporality: 2 };

function renderSeries({ name, unit, description, bounds, points }: Series, startTimeUnixNano: string): object {
  const timeUnixNano = nowNano();
  const times = { startTimeUnixNano, timeUnixNano };
  const shown = [...points.values()];
  if (bounds === undefined) {
    const dataPoints = shown.map(({ attributes, sum }) => ({ attributes, ...times, asInt: String(sum) }));
    return { name, unit, description, sum: { ...cumulative, isMonotonic: true, dataPoints } };
  }
  const dataPoints = shown.map(({ attributes, count, sum, buckets }) => ({
    attributes,
    ...times,
    count: String(count),
    sum,
    bucketCounts: buckets.map(String),
    explicitBounds: bounds,
  }));
  return { name, unit, description, histogram: { ...cumulative, dataPoints } };
}
