import { ValueType } from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import { MeterProvider, MetricReader, type ResourceMetrics } from "@opentelemetry/sdk-metrics";
import { createBoundedLabel } from "@toolplane/core/lib/bounded-label";
import { version } from "@toolplane/core/lib/version";
import type { ErrorCode } from "@toolplane/core/model/errors";
import type { EventOf } from "@toolplane/core/model/events";
import type { Plane } from "@toolplane/core/model/plane";

type Labels = Readonly<Record<string, string>>;

type MetricsParts = {
  resource: Resource;
  on: Plane["on"];
  /** Something was counted. */
  changed(): void;
};

/** From a tool in this process to one that takes its whole minute. */
const bucketSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** The name is whatever the caller wrote. */
const unresolved: ReadonlySet<ErrorCode> = new Set([
  "TOOL_NOT_FOUND",
  "TOOL_AMBIGUOUS",
  "SERVER_NOT_FOUND",
]);

/** Sums and histograms since the start. */
export function createOtlpMetrics({ resource, on, changed }: MetricsParts) {
  const reader = new Collected();
  const meter = new MeterProvider({ resource, readers: [reader] }).getMeter("toolplane", version);
  const counter = (name: string, unit: string, description: string) => {
    const instrument = meter.createCounter(name, { unit, description, valueType: ValueType.INT });
    return (labels: Labels, value = 1) => instrument.add(value, labels);
  };
  const histogram = (name: string, description: string) => {
    const advice = { explicitBucketBoundaries: bucketSeconds };
    const instrument = meter.createHistogram(name, { unit: "s", description, advice });
    return (labels: Labels, value: number) => instrument.record(value, labels);
  };
  const calls = counter("toolplane.calls", "{call}", "Calls that ended, by tool and status.");
  const durations = histogram("toolplane.call.duration", "How long calls took, by tool.");
  const attempts = counter(
    "toolplane.provider.attempts",
    "{attempt}",
    "How often providers were asked.",
  );
  const latencies = histogram("toolplane.provider.duration", "How long providers took.");
  const retries = counter("toolplane.retries", "{attempt}", "Attempts that were repeated.");
  const runs = counter("toolplane.agent.runs", "{run}", "Runs of agents that ended.");
  const tokens = counter("toolplane.model.tokens", "{token}", "Tokens of models, by direction.");
  const labelOf = createBoundedLabel();
  const countCall = ({
    tool: calledTool,
    status,
    durationMs,
    code,
    server,
    ...result
  }: EventOf<"tool.result">) => {
    const tool = code !== null && unresolved.has(code) ? "unknown" : labelOf(calledTool);
    const labels: Record<string, string> = { "gen_ai.tool.name": tool };
    if (server) labels["toolplane.server"] = server;
    const outcomeLabels: Record<string, string> = { ...labels, "toolplane.call.status": status };
    if (code !== null) outcomeLabels["error.type"] = code;
    calls(outcomeLabels);
    durations(labels, durationMs / 1_000);
    for (const { provider, ok, durationMs: attemptMs = 0 } of result.attempts ?? []) {
      const providerLabels = { ...labels, "toolplane.provider": provider };
      attempts({ ...providerLabels, "toolplane.ok": String(ok) });
      latencies(providerLabels, attemptMs / 1_000);
    }
    changed();
  };
  const unsubscribers = [
    on("tool.result", countCall),
    on("tool.retry", () => retries({})),
    on("agent.run", ({ outcome, model, style, inputTokens, outputTokens }) => {
      const modelLabels = { "gen_ai.request.model": labelOf(model) };
      runs({ ...modelLabels, "toolplane.agent.outcome": outcome, "toolplane.agent.style": style });
      tokens({ ...modelLabels, "gen_ai.token.type": "input" }, inputTokens);
      tokens({ ...modelLabels, "gen_ai.token.type": "output" }, outputTokens);
      changed();
    }),
  ];
  return {
    collect: async (): Promise<ResourceMetrics> => (await reader.collect()).resourceMetrics,
    stop() {
      for (const unsubscribe of unsubscribers) unsubscribe();
    },
  };
}

/** Read when a batch is sent, and not by a timer of its own. */
class Collected extends MetricReader {
  protected override async onShutdown(): Promise<void> {}
  protected override async onForceFlush(): Promise<void> {}
}
