import { once } from "../../lib/async/once.ts";
import type { Executed, Outcome, Requested } from "../../model/calls/call.ts";
import type { Provider, Relay } from "../../model/calls/provider.ts";
import type { UnknownObject } from "../../model/json.ts";
import type { RunBeginning, TracedRun } from "./otel-spans.ts";

/** Where every copy of OpenTelemetry's API finds the tracer. */
const registered = Symbol.for("opentelemetry.js.api.1");

/** Asked for each call, so it must cost nothing. */
export function isTraced(): boolean {
  return (globalThis as { [registered]?: { trace?: unknown } })[registered]?.trace !== undefined;
}

/** With the first call after a tracer was registered. */
const otelSpans = once(() => import("./otel-spans.ts"));
let loaded: Awaited<ReturnType<typeof otelSpans>> | undefined;

export function withSpan(
  requested: Requested,
  relay: Relay | undefined,
  run: (relay: Relay | undefined) => Promise<Outcome>,
): Promise<Outcome> {
  if (!isTraced()) return run(relay);
  return otelSpans().then((spans) => {
    loaded = spans;
    return spans.traceCall(requested, relay, run);
  });
}

export function tellSpan(call: Requested & Partial<Executed>): void {
  loaded?.describeCall(call);
}

export function withAttemptSpans(provider: Provider | undefined): Provider | undefined {
  if (loaded === undefined || provider === undefined || !isTraced()) return provider;
  const { traceAttempt } = loaded;
  return (spec, args, context) => traceAttempt(provider, spec, args, context);
}

export async function beginRunSpan(beginning: RunBeginning, meta?: UnknownObject): Promise<TracedRun | null> {
  return isTraced() ? (await otelSpans()).traceRun(beginning, meta) : null;
}
