import { once } from "../lib/async/once.ts";
import type { ChatModel } from "../model/agent/chat.ts";
import type { AgentRun } from "../model/agent/run-schema.ts";
import type { Executed, Outcome, Requested } from "../model/calls/call.ts";
import type { CallRecord } from "../model/calls/call-schema.ts";
import type { Provider, ProviderContext, Relay } from "../model/calls/provider.ts";
import type { ProviderSpec } from "../model/catalogue/tool.ts";
import type { OtlpSettings } from "../model/config/config.ts";
import type { PlaneEvent } from "../model/events.ts";
import type { UnknownObject } from "../model/json.ts";
import type { Plane } from "../model/plane.ts";

/** OpenTelemetry, as far as the path uses it. Without a tracer, spans go to the one that the program registered. */
export type TelemetryPackage = {
  traceCall(
    requested: Requested,
    relay: Relay | undefined,
    run: (relay: Relay) => Promise<Outcome>,
    tracer?: Tracer,
  ): Promise<Outcome>;
  describeCall(call: Requested & Partial<Executed>, stages: CallRecord["stages"]): void;
  traceAttempt(
    provider: Provider,
    spec: ProviderSpec,
    args: Parameters<Provider>[1],
    context: ProviderContext,
    tracer?: Tracer,
  ): Promise<unknown>;
  traceRun(beginning: RunBeginning, meta?: UnknownObject, tracer?: Tracer): TracedRun;
  /** Sends spans and metrics to a collector. */
  openOtlp(ports: OtlpPorts): Promise<Otlp>;
};

/** Only the package knows what is in it. */
type Tracer = object;

export type OtlpPorts = {
  /** The settings with secrets in their places. */
  settings: OtlpSettings;
  on: Plane["on"];
  emit(event: PlaneEvent): void;
};

export type Otlp = {
  /** Undefined where no spans are wanted. */
  tracer: Tracer | undefined;
  /** Sends what is left, for a moment at most. */
  stop(): Promise<void>;
};

export type RunBeginning = Pick<AgentRun, "id" | "model" | "style" | "toolset" | "conversation">;

export type TracedRun = {
  model(model: ChatModel): ChatModel;
  relay: Relay;
  /** Without `run` there is no result. */
  end(run?: Pick<AgentRun, "outcome" | "error" | "usage" | "turns" | "counters">): void;
};

/** Where every copy of OpenTelemetry's API finds the tracer. */
const registered = Symbol.for("opentelemetry.js.api.1");

function isRegistered() {
  return (globalThis as { [registered]?: { trace?: unknown } })[registered]?.trace !== undefined;
}

type Parts = Omit<OtlpPorts, "settings"> & {
  /** Null where no collector is configured. */
  settings(): Promise<OtlpSettings | null>;
  packages: { telemetry(): Promise<TelemetryPackage> };
};

export type Spans = Awaited<ReturnType<typeof createSpans>>;

/** Spans of calls and runs: for the collector that is configured, else for the tracer that the program registered. */
export async function createSpans({ settings, on, emit, packages }: Parts) {
  /** With the first call that is traced. */
  const telemetry = once(packages.telemetry);
  let loaded: TelemetryPackage | undefined;
  let otlp: Otlp | null = null;
  let inForce = "null";
  let tracer: Tracer | undefined;
  /** Asked for each call, so it must cost nothing. */
  const isTraced = () => tracer !== undefined || isRegistered();

  async function apply(): Promise<void> {
    const newSettings = await settings();
    const text = JSON.stringify(newSettings);
    if (text === inForce) return;
    inForce = text;
    const previous = otlp;
    otlp = newSettings && (await (await telemetry()).openOtlp({ settings: newSettings, on, emit }));
    tracer = otlp?.tracer;
    await previous?.stop();
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
      return telemetry().then((tracing) => {
        loaded = tracing;
        return tracing.traceCall(requested, relay, run, tracer);
      });
    },
    tellSpan: (call: Requested & Partial<Executed>, stages: CallRecord["stages"] = []) =>
      loaded?.describeCall(call, stages),
    withAttemptSpans(provider: Provider | undefined): Provider | undefined {
      if (loaded === undefined || provider === undefined || !isTraced()) return provider;
      const { traceAttempt } = loaded;
      return (spec, args, context) => traceAttempt(provider, spec, args, context, tracer);
    },
    beginRunSpan: async (
      beginning: RunBeginning,
      meta?: UnknownObject,
    ): Promise<TracedRun | null> =>
      isTraced() ? (await telemetry()).traceRun(beginning, meta, tracer) : null,
    stop: async () => otlp?.stop(),
  };
}
