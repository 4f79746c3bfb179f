import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  Registry,
} from "prom-client";
import { once } from "../../../lib/async/once.ts";
import { createBoundedLabel } from "../../../lib/bounded-label.ts";
import type { ErrorCode } from "../../../model/errors.ts";
import type { EventOf } from "../../../model/events.ts";
import type { Plane } from "../../../model/plane.ts";
import { trusted } from "../../../model/principal.ts";
import { createAgentMetrics } from "./agent-metrics.ts";

/** From a tool in this process to one that takes its whole minute. */
const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** The name is whatever the caller wrote, and there is no end to what callers write. */
const unresolved: ReadonlySet<ErrorCode> = new Set([
  "TOOL_NOT_FOUND",
  "TOOL_AMBIGUOUS",
  "SERVER_NOT_FOUND",
]);

/** So many calls are counted together. */
const maxUncounted = 64;

export type Metrics = {
  /** In the format that is asked for, with its media type. */
  render(accept: string | undefined): Promise<{ type: string; text: string }>;
};

/** How planes that share a port tell their numbers as one. */
export type SharedMetrics = {
  countWith(ownMetrics: () => Promise<object[]>): void;
  gatherMetrics(): Promise<object[][]>;
};

/** What a plane has done so far, in registries of its own: two planes in one process do not meet. */
export function createMetrics(
  plane: Plane,
  {
    refusedConnections,
    shared,
  }: { refusedConnections?: () => number; shared?: SharedMetrics | undefined } = {},
): Metrics {
  const plain = new Registry();
  // The same numbers in the newer format; a registry writes only one.
  const openMetrics = new Registry();
  openMetrics.setContentType(
    Registry.OPENMETRICS_CONTENT_TYPE as unknown as typeof Registry.PROMETHEUS_CONTENT_TYPE,
  );
  const registers = [plain, openMetrics];
  const countCalls = createCallCounters(plane, registers);
  const updateCatalogue = createCatalogueGauges(plane, registers);
  createAgentMetrics(plane, registers);
  const updateGauges = createGauges(plane, registers);
  if (refusedConnections) countRefused(refusedConnections, registers);
  watchBusyness(registers);
  // Watching the event loop wakes the process up, so it begins with the first scrape.
  const watchProcess = once(() => {
    collectDefaultMetrics({ register: plain });
    for (const metric of plain.getMetricsAsArray()) {
      if (!openMetrics.getSingleMetric(metric.name)) openMetrics.registerMetric(metric as never);
    }
  });
  const update = async () => {
    countCalls();
    watchProcess();
    await updateGauges();
    await updateCatalogue();
  };
  shared?.countWith(async () => {
    await update();
    return plain.getMetricsAsJSON();
  });
  return {
    async render(accept) {
      const isOpen = /application\/openmetrics-text/i.test(accept ?? "");
      const registry = isOpen ? openMetrics : plain;
      if (shared === undefined) {
        await update();
        return { type: registry.contentType, text: await registry.metrics() };
      }
      const aggregated = AggregatorRegistry.aggregate(await shared.gatherMetrics());
      if (isOpen) aggregated.setContentType(registry.contentType as never);
      return { type: registry.contentType, text: await aggregated.metrics() };
    },
  };
}

/** Counting takes as long as a stage of the path, so calls are counted together; the returned function counts the rest. */
function createCallCounters(plane: Plane, registers: Registry[]): () => void {
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name: `toolplane_${name}_total`, help, registers, labelNames });
  const histogram = (name: string, help: string, labelNames: string[]) =>
    new Histogram({
      name: `toolplane_${name}_seconds`,
      help,
      registers,
      labelNames,
      buckets: seconds,
    });
  const calls = counter("calls", "Calls that ended, by tool and status.", ["tool", "status"]);
  const durations = histogram("call_duration", "How long calls took, by tool.", ["tool"]);
  const attempts = counter("provider_attempts", "How often providers were asked.", [
    "tool",
    "provider",
    "ok",
  ]);
  const latencies = histogram("provider_duration", "How long providers took.", [
    "tool",
    "provider",
  ]);
  const serverCalls = counter("server_calls", "Calls that ended, by server and status.", [
    "server",
    "status",
  ]);
  const serverDurations = histogram("server_call_duration", "How long calls took, by server.", [
    "server",
  ]);
  const retries = counter("retries", "Attempts that were repeated.", []);
  const cache = counter(
    "cache",
    "Calls of tools with a cache: hit, miss, or coalesced with an equal call.",
    ["tool", "result"],
  );
  const labelOf = createBoundedLabel();
  const count = (ended: EventOf<"tool.result">) => {
    const { tool: calledTool, status, durationMs, code, server = null } = ended;
    const tool = code !== null && unresolved.has(code) ? "unknown" : labelOf(calledTool);
    calls.inc({ tool, status });
    durations.observe({ tool }, durationMs / 1_000);
    for (const { provider, ok, durationMs: attemptMs = 0 } of ended.attempts ?? []) {
      attempts.inc({ tool, provider, ok: String(ok) });
      latencies.observe({ tool, provider }, attemptMs / 1_000);
    }
    if (ended.coalesced) cache.inc({ tool, result: "coalesced" });
    else if (ended.cached !== undefined) cache.inc({ tool, result: ended.cached ? "hit" : "miss" });
    if (server === null) return;
    serverCalls.inc({ server, status });
    serverDurations.observe({ server }, durationMs / 1_000);
  };
  let uncounted: EventOf<"tool.result">[] = [];
  const countAll = () => {
    const ended = uncounted;
    uncounted = [];
    ended.forEach(count);
  };
  plane.on("tool.result", (ended) => {
    if (uncounted.push(ended) === maxUncounted) setImmediate(countAll);
  });
  plane.on("tool.retry", () => retries.inc());
  return countAll;
}

function countRefused(count: () => number, registers: Registry[]): void {
  new Counter({
    name: "toolplane_connections_refused_total",
    help: "Connections that were refused for lack of descriptors.",
    registers,
    collect() {
      this.reset();
      this.inc(count());
    },
  });
}

/** One thread runs the calls: near 1, they wait for each other. */
function watchBusyness(registers: Registry[]): void {
  const { eventLoopUtilization } = performance;
  let previous = eventLoopUtilization();
  new Gauge({
    name: "toolplane_busy_ratio",
    help: "Share of the time since the last scrape in which the thread that runs calls was busy, 0 to 1.",
    registers,
    aggregator: "average",
    collect() {
      const latest = eventLoopUtilization();
      this.set(eventLoopUtilization(latest, previous).utilization);
      previous = latest;
    },
  });
}

/** Set by changes; the returned function asks where there was none yet. */
function createCatalogueGauges(plane: Plane, registers: Registry[]): () => Promise<void> {
  const tools = new Gauge({
    name: "toolplane_registry_tools",
    help: "Tools in the catalogue.",
    registers,
    aggregator: "max",
  });
  const revision = new Gauge({
    name: "toolplane_registry_revision",
    help: "Changes of the catalogue.",
    registers,
    aggregator: "max",
  });
  let isKnown = false;
  const setGauges = (counted: number, changeCount: number) => {
    tools.set(counted);
    revision.set(changeCount);
  };
  plane.on("registry.changed", (change) => {
    isKnown = true;
    setGauges(change.tools, change.revision);
  });
  return async () => {
    if (isKnown) return;
    const summary = await plane.registry.summary({ waitMs: 0 });
    if (!isKnown) setGauges(summary.tools.length, summary.revision);
  };
}

/** What is true now is looked up per scrape. */
function createGauges(plane: Plane, registers: Registry[]): () => Promise<void> {
  const state = new Gauge({
    name: "toolplane_server_state",
    help: "1 for the state that each server is in.",
    registers,
    labelNames: ["server", "state"],
  });
  const connected = new Gauge({
    name: "toolplane_servers_connected",
    help: "Connected servers.",
    registers,
    aggregator: "max",
  });
  const letters = new Gauge({
    name: "toolplane_dead_letters",
    help: "Calls that failed permanently, by status.",
    registers,
    aggregator: "max",
    labelNames: ["status"],
  });
  const unrecorded = new Gauge({
    name: "toolplane_records_unwritten",
    help: "Records that wait in memory, because they cannot be written.",
    registers,
  });
  const labelOf = createBoundedLabel();
  // The numbers are those of the whole plane.
  const caller = { principal: trusted(), face: "http" } as const;
  return async () => {
    const readiness = await plane.readiness();
    unrecorded.set(readiness.ready ? 0 : (readiness.unrecorded ?? 0));
    const [servers, { byStatus }] = await Promise.all([
      plane.servers.list(caller),
      plane.deadLetters.page({ limit: 1 }, caller),
    ]);
    state.reset();
    for (const server of servers) state.inc({ server: labelOf(server.name), state: server.state });
    connected.set(servers.filter((server) => server.state === "connected").length);
    for (const [status, count] of Object.entries(byStatus)) letters.set({ status }, count);
  };
}
