import { once } from "../../lib/async/once.ts";
import type { Executed, Outcome, Requested } from "../../model/calls/call.ts";
import type { Provider, Relay } from "../../model/calls/provider.ts";
import type { UnknownObject } from "../../model/json.ts";
import type { RunBeginning, TracedRun } from "./otel-spans.ts";

/** Where every copy of OpenTelemetry's API finds the registered tracer. */
const registered = Symbol.for("opentelemetry.js.api.1");

/** Has the program registered a tracer? Asked for each call, so it must cost nothing. */
function isTraced(): boolean {
  return (globalThis as { [registered]?: { trace?: unknown } })[registered]?.trace !== undefined;
}

/** Loaded with the first call after a tracer was registered. */
const callSpans = once(() => import("./otel-spans.ts"));
const runSpans = once(() => import("./otel-spans.ts"));
let loaded: Awaited<ReturnType<typeof callSpans>> | undefined;

/** A call with a span around it, if there is a tracer. */
export function withSpan(
  requested: Requested,
  relay: Relay | undefined,
  run: (relay: Relay | undefined) => Promise<Outcome>,
): Promise<Outcome> {
  if (!isTraced()) return run(relay);
  return callSpans().then((spans) => {
    loaded = spans;
    return spans.traceCall(requested, relay, run);
  });
}

export function tellSpan(call: Requested & Partial<Executed>): void {
  loaded?.describeCall(call);
}

/** A provider with a span around each time it is asked. */
export function withAttemptSpans(provider: Provider | undefined): Provider | undefined {
  if (loaded === undefined || provider === undefined || !isTraced()) return provider;
  const { traceAttempt } = loaded;
  return (spec, args, context) => traceAttempt(provider, spec, args, context);
}

/** A span for a run of an agent; null without a tracer. */
export async function beginRunSpan(beginning: RunBeginning, meta?: UnknownObject): Promise<TracedRun | null> {
  return isTraced() ? (await runSpans()).traceRun(beginning, meta) : null;
}
