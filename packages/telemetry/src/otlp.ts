import { JsonMetricsSerializer, JsonTraceSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { type ReadableSpan, TracerProvider } from "@opentelemetry/sdk-trace";
import type { Otlp, OtlpPorts } from "@toolplane/core/calls";
import { steadyNow } from "@toolplane/core/lib/async/steady-time";
import { uniqueId } from "@toolplane/core/lib/ids-and-time";
import { retryAfterMs } from "@toolplane/core/lib/net/send-request";
import { version } from "@toolplane/core/lib/version";
import type { OtlpSettings } from "@toolplane/core/model/config/config";
import { createOtlpMetrics } from "./otlp-metrics.ts";

const maxBatch = 512;
/** What comes while the collector is unreachable and this is full is not kept. */
const maxQueue = 4_096;
const timeoutMs = 10_000;
/** A process that ends waits no longer for its collector. */
const flushMs = 2_000;
/** A collector that names a longer wait is asked again after this time. */
const maxRestMs = 300_000;
/** The same request may be taken later. */
const retryStatuses: readonly number[] = [408, 429, 500, 502, 503, 504];

/**
 * Sends spans and metrics to a collector, in batches and beside the calls. OpenTelemetry makes and writes them. Its exporters
 * drop a batch after seconds and add the headers that the environment names, so sending is done here.
 */
export function createOtlp({ settings, on, emit }: OtlpPorts): Otlp {
  const { endpoint, intervalMs, serviceName } = settings;
  const base = endpoint.replace(/(?<!\/)\/+$/, "");
  const headers = { ...readHeaders(settings.headers), "content-type": "application/json" };
  const serviceAttributes = {
    "service.name": serviceName,
    "service.version": version,
    "service.instance.id": uniqueId(),
  };
  const resource = resourceFromAttributes(serviceAttributes);
  const stopping = new AbortController();
  let spans: ReadableSpan[] = [];
  let isMeasured = false;
  let isLost = false;
  let timer: NodeJS.Timeout | undefined;
  /** Until then the collector wants nothing (`Retry-After`). */
  let restsUntil = 0;
  let sending: Promise<void> | undefined;

  const metrics = settings.metrics
    ? createOtlpMetrics({ resource, on, changed: () => wake(true) })
    : null;
  const keepEnded = {
    onStart: () => undefined,
    onEnd(span: ReadableSpan) {
      if (spans.length < maxQueue) spans.push(span);
      wake(false);
    },
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  };
  // What its caller does not sample is not kept: that is the provider's default.
  const provider = settings.traces
    ? new TracerProvider({ resource, spanProcessors: [keepEnded] })
    : null;

  const tracer = provider?.getTracer("toolplane", version);
  const leaveRoots = on("audit.root", ({ type, ...root }) => {
    const attributes = Object.entries(root).map(([name, value]) => [
      `toolplane.audit.root.${name}`,
      value,
    ]);
    tracer?.startSpan(type, { attributes: Object.fromEntries(attributes) }).end();
  });

  function wake(isMetric: boolean): void {
    isMeasured ||= isMetric;
    if (spans.length >= maxBatch && sending === undefined && !isLost) return void flush();
    const waitMs = Math.max(intervalMs, restsUntil - steadyNow());
    timer ??= setTimeout(() => void flush(), waitMs).unref();
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    sending ??= sendAll().finally(() => {
      sending = undefined;
      if (spans.length > 0 && !stopping.signal.aborted) wake(false);
    });
    return sending;
  }

  async function sendAll(): Promise<void> {
    while (spans.length > 0) {
      const batch = spans.slice(0, maxBatch);
      if ((await send("traces", JsonTraceSerializer.serializeRequest(batch))) === "later") break;
      spans = spans.slice(batch.length);
    }
    if (metrics === null || !isMeasured) return;
    isMeasured = false;
    const measured = JsonMetricsSerializer.serializeRequest(await metrics.collect());
    if ((await send("metrics", measured)) === "later") isMeasured = true;
  }

  async function send(
    kind: "traces" | "metrics",
    body: Uint8Array | undefined,
  ): Promise<"done" | "later"> {
    if (body === undefined) return "done";
    try {
      const response = await fetch(`${base}/v1/${kind}`, {
        method: "POST",
        headers,
        body: body as Uint8Array<ArrayBuffer>,
        redirect: "error",
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), stopping.signal]),
      });
      await response.body?.cancel();
      const announcedMs = retryAfterMs(response.headers.get("retry-after")) ?? 0;
      restsUntil = steadyNow() + Math.min(announcedMs, maxRestMs);
      tell(response.ok ? null : `it answers ${kind} with HTTP ${response.status}`);
      return retryStatuses.includes(response.status) ? "later" : "done";
    } catch (thrown) {
      tell(reasonOf(thrown));
      return "later";
    }
  }

  /** Once for each change; the address may hold a credential and is not said. */
  function tell(reason: string | null): void {
    if ((reason !== null) === isLost || stopping.signal.aborted) return;
    isLost = reason !== null;
    emit(reason === null ? { type: "telemetry.back" } : { type: "telemetry.lost", reason });
  }

  return {
    tracer,
    async stop(): Promise<void> {
      leaveRoots();
      metrics?.stop();
      const limit = setTimeout(() => stopping.abort(), flushMs);
      await sending;
      if (!isLost) await flush();
      clearTimeout(limit);
      clearTimeout(timer);
      stopping.abort();
    },
  };
}

function reasonOf(thrown: unknown): string {
  const { cause, name } = thrown as { cause?: { code?: string }; name?: string };
  if (name === "TimeoutError") return "it does not answer";
  return `it cannot be reached (${cause?.code ?? name ?? "error"})`;
}

/** As an object, or as `OTEL_EXPORTER_OTLP_HEADERS` has them: `name=value,name=value`. */
function readHeaders(headers: OtlpSettings["headers"]): Record<string, string> {
  if (typeof headers !== "string") return headers;
  const pairs = headers
    .split(",")
    .map((pair) => pair.split(/=(.*)/s, 2).map((part) => part.trim()));
  const decodePart = (text = "") => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };
  return Object.fromEntries(
    pairs.filter(([name]) => name).map(([name = "", value]) => [name, decodePart(value)]),
  );
}
