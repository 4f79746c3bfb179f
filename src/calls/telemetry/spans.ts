import type { Tracer } from "@opentelemetry/api";
import { once } from "../../lib/async/once.ts";
import type { Executed, Outcome, Requested } from "../../model/calls/call.ts";
import type { CallRecord } from "../../model/calls/call-schema.ts";
import type { Provider, Relay } from "../../model/calls/provider.ts";
import type { OtlpSettings } from "../../model/config/config.ts";
import type { UnknownObject } from "../../model/json.ts";
import type { RunBeginning, TracedRun } from "./otel-spans.ts";
import type { Otlp, OtlpPorts } from "./otlp.ts";

/** Where every copy of OpenTelemetry's API finds the tracer. */
const registered = Symbol.for("opentelemetry.js.api.1");
const isRegistered = () => (globalThis as { [registered]?: { trace?: unknown } })[registered]?.trace !== undefined;

/** With the first call that is traced. */
const otelSpans = once(() => import("./otel-spans.ts"));
let loaded: Awaited<ReturnType<typeof otelSpans>> | undefined;

type Parts = Omit<OtlpPorts, "settings"> & {
  /** Null where no collector is configured. */
  settings(): Promise<OtlpSettings | null>;
};

export type Spans = Awaited<ReturnType<typeof createSpans>>;

/** Spans of calls and runs: for the collector that is configured, else for the tracer that the program registered. */
export async function createSpans({ settings, on, emit }: Parts) {
  let otlp: Otlp | null = null;
  let inForce = "null";
  let tracer: Tracer | undefined;
  /** Asked for each call, so it must cost nothing. */
  const isTraced = () => tracer !== undefined || isRegistered();

  async function apply(): Promise<void> {
    const next = await settings();
    const text = JSON.stringify(next);
    if (text === inForce) return;
    inForce = text;
    const before = otlp;
    otlp = next && (await import("./otlp.ts")).createOtlp({ settings: next, on, emit });
    tracer = otlp?.tracer ?? undefined;
    await before?.stop();
  }
  await apply();

  return {
    apply,
    isTraced,
    withSpan(
      requested: Requested,
      relay: Relay | undefined,
      run: (relay: Relay | undefined) => Promise<Outcome>,
    ): Promise<Outcome> {
      if (!isTraced()) return run(relay);
      return otelSpans().then((spans) => {
        loaded = spans;
        return spans.traceCall(requested, relay, run, tracer);
      });
    },
    tellSpan: (call: Requested & Partial<Executed>, stages: CallRecord["stages"] = []) =>
      loaded?.describeCall(call, stages),
    withAttemptSpans(provider: Provider | undefined): Provider | undefined {
      if (loaded === undefined || provider === undefined || !isTraced()) return provider;
      const { traceAttempt } = loaded;
      return (spec, args, context) => traceAttempt(provider, spec, args, context, tracer);
    },
    beginRunSpan: async (beginning: RunBeginning, meta?: UnknownObject): Promise<TracedRun | null> =>
      isTraced() ? (await otelSpans()).traceRun(beginning, meta, tracer) : null,
    stop: async () => otlp?.stop(),
  };
}
