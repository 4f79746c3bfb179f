import type { Attributes, Context, Span, SpanContext, Tracer } from "@opentelemetry/api";
import {
  context,
  createTraceState,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { offerRequest, type RunBeginning, type TracedRun } from "@toolplane/core/calls";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { createShortLivedMap } from "@toolplane/core/lib/short-lived-map";
import { version } from "@toolplane/core/lib/version";
import type { ChatModel, ModelPart, ModelRequest } from "@toolplane/core/model/agent/chat";
import type { Executed, Outcome, Requested } from "@toolplane/core/model/calls/call";
import type { CallRecord } from "@toolplane/core/model/calls/call-schema";
import type { Provider, ProviderContext, Relay } from "@toolplane/core/model/calls/provider";
import {
  readTraceContext,
  type TraceContext,
  withTraceContext,
} from "@toolplane/core/model/calls/provider";
import type { OfferCallKind, ProviderSpec, ToolId } from "@toolplane/core/model/catalogue/tool";
import { toPlaneError } from "@toolplane/core/model/errors";
import { isObject, type JsonObject, type UnknownObject } from "@toolplane/core/model/json";

type SpanBeginning = {
  name: string;
  kind: keyof typeof SpanKind;
  /** Undefined ones are left out. */
  attributes: Attributes;
  meta: UnknownObject | undefined;
};

/** Of the program, where the plane has none of its own. */
const programTracer = (): Tracer => trace.getTracer("toolplane", version);

type OpenSpan = { span: Span; within: Context; said: TraceContext };

function beginSpan(
  { name, kind, attributes, meta }: SpanBeginning,
  tracer = programTracer(),
): OpenSpan {
  const parent = parentOf(meta);
  const definedAttributes = withoutUndefined(attributes);
  const span = tracer.startSpan(
    name,
    { kind: SpanKind[kind], attributes: definedAttributes },
    parent,
  );
  return {
    span,
    within: trace.setSpan(parent, span),
    said: renderTraceContext(span.spanContext()),
  };
}

/** Only the code: messages may hold foreign words. */
function endSpan(span: Span, error: string | null): void {
  if (error !== null) {
    span.setAttribute("error.type", error);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

/** Spans inside belong below this one, where the program keeps contexts. */
function runWithin<T>({ within }: OpenSpan, work: () => T): T {
  return context.with(within, work);
}

/** A span of this process in the caller's trace is nearer than the caller's own. */
function parentOf(meta: UnknownObject | undefined): Context {
  const active = context.active();
  const parentContext = readTraceContext(meta);
  if (parentContext === null) return active;
  const remoteSpan = spanContextOf(parentContext);
  if (trace.getSpanContext(active)?.traceId === remoteSpan.traceId) return active;
  return trace.setSpanContext(active, remoteSpan);
}

function spanContextOf({ traceparent, tracestate }: TraceContext): SpanContext {
  const [, traceId = "", spanId = "", flags = "00"] = traceparent.split("-");
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  const spanContext: SpanContext = { traceId, spanId, isRemote: true, traceFlags };
  if (tracestate !== undefined) spanContext.traceState = createTraceState(tracestate);
  return spanContext;
}

function renderTraceContext({
  traceId,
  spanId,
  traceFlags,
  traceState,
}: SpanContext): TraceContext {
  const flags = (traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, "0");
  const traceparent = `00-${traceId}-${spanId}-${flags}`;
  const tracestate = traceState?.serialize() || undefined;
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}

const operation = { "gen_ai.operation.name": "execute_tool" };
const toolCall = { "mcp.method.name": "tools/call" };
/** What is asked of a server beside its tools. An address is no part of a name: there is no end of them. */
const offerMethods: Partial<Record<OfferCallKind, string>> = {
  prompt: "prompts/get",
  resource: "resources/read",
  completion: "completion/complete",
  subscription: "resources/subscribe",
};

/** Named further when the tool is found: callers' names are endless. */
function nameOf(face: Requested["face"], kind: OfferCallKind | undefined): string {
  if (kind !== undefined) return offerMethods[kind] ?? kind;
  return face === "mcp" ? "tools/call" : "execute_tool";
}

function kindOf({ tool }: Requested["asked"]): OfferCallKind | undefined {
  return typeof tool === "string" ? undefined : tool.kind;
}

function methodOf(kind: OfferCallKind | undefined, isServed: boolean): Attributes {
  if (kind !== undefined) return withoutUndefined({ "mcp.method.name": offerMethods[kind] });
  if (!isServed) return operation;
  return { ...operation, ...toolCall };
}

const openSpans = createShortLivedMap<Span>();

export async function traceCall(
  requested: Requested,
  relay: Relay | undefined,
  run: (relay: Relay) => Promise<Outcome>,
  tracer?: Tracer,
): Promise<Outcome> {
  const { id, face, options, asked: selection } = requested;
  const kind = kindOf(selection);
  const isServed = face === "mcp";
  const openSpan = beginSpan(
    {
      name: nameOf(face, kind),
      kind: isServed ? "SERVER" : "INTERNAL",
      attributes: {
        ...methodOf(kind, isServed),
        "gen_ai.tool.call.id": id,
        "toolplane.face": face,
        "gen_ai.conversation.id": options.conversation,
        "toolplane.run.id": options.run,
      },
      meta: relay?.meta,
    },
    tracer,
  );
  const { span, said: traceContext } = openSpan;
  openSpans.set(id, span);
  try {
    const tracedRelay: Relay = Object.create(relay ?? null, {
      meta: { value: withTraceContext(relay?.meta, traceContext), enumerable: true },
    });
    const outcome = await runWithin(openSpan, () => run(tracedRelay));
    const { status, attempts } = outcome.call;
    span.setAttributes({ "toolplane.call.status": status, "toolplane.call.attempts": attempts });
    endSpan(span, errorOf(outcome));
    return outcome;
  } catch (thrown) {
    endSpan(span, toPlaneError(thrown).code);
    throw thrown;
  } finally {
    openSpans.delete(id);
  }
}

type Stages = CallRecord["stages"];

export function describeCall(
  { id, face, tool, executed }: Requested & Partial<Executed>,
  stages: Stages,
): void {
  const span = openSpans.get(id);
  if (span === undefined) return;
  const times = new Map<string, number>();
  // A call that is planned again goes through a stage twice.
  for (const { stage, ms } of stages) times.set(stage, (times.get(stage) ?? 0) + ms);
  for (const [stage, ms] of times) span.setAttribute(`toolplane.stage.${stage}.ms`, ms);
  if (tool === undefined) return;
  const serverAttribute = { "toolplane.server": tool.id.server ?? undefined };
  const provider = executed?.provider;
  if (tool.id.kind !== undefined) return describeOffer(span, tool.id, serverAttribute);
  const kind = provider?.split(":")[0];
  span.updateName(`${nameOf(face, undefined)} ${tool.name}`);
  const attributes = {
    "gen_ai.tool.name": tool.name,
    "gen_ai.tool.type": kind === "function" || kind === "builtin" ? "function" : "extension",
    ...serverAttribute,
    "toolplane.provider": provider,
  };
  span.setAttributes(withoutUndefined(attributes));
}

function describeOffer(
  span: Span,
  { tool, kind }: ToolId,
  serverAttribute: Partial<Attributes>,
): void {
  const name = tool.slice(tool.indexOf("/") + 1);
  span.setAttributes(withoutUndefined(serverAttribute));
  if (kind === "extension") {
    span.updateName(name);
    span.setAttribute("mcp.method.name", name);
  }
  if (kind !== "prompt") return;
  span.updateName(`prompts/get ${name}`);
  span.setAttribute("gen_ai.prompt.name", name);
}

export async function traceAttempt(
  provider: Provider,
  spec: ProviderSpec,
  args: Parameters<Provider>[1],
  context: ProviderContext,
  tracer?: Tracer,
): Promise<unknown> {
  const openSpan = beginSpan({ ...attemptOf(spec, args), meta: context.meta }, tracer);
  const { span, said: traceContext } = openSpan;
  // The path does not wait for a late provider, and neither does the span.
  const end = (error: string | null) => {
    context.signal.removeEventListener("abort", abandon);
    if (span.isRecording()) endSpan(span, error);
  };
  const abandon = () => end("CANCELLED");
  context.signal.addEventListener("abort", abandon, { once: true });
  try {
    // The context makes much of itself only when it is asked for, so it is not copied.
    const traced: ProviderContext = Object.create(context, {
      meta: { value: withTraceContext(context.meta, traceContext) },
    });
    const result = await runWithin(openSpan, () => provider(spec, args, traced));
    end(isObject(result) && result.isError === true ? "tool_error" : null);
    return result;
  } catch (thrown) {
    const { code, data } = toPlaneError(thrown);
    if (typeof data.rpcCode === "number")
      span.setAttribute("rpc.response.status_code", String(data.rpcCode));
    end(code);
    throw thrown;
  }
}

function attemptOf(spec: ProviderSpec, args: JsonObject): Omit<SpanBeginning, "meta"> {
  const { name, config } = spec;
  const isRemote = ["mcp", "http", "model"].includes(name);
  const kind = isRemote ? ("CLIENT" as const) : ("INTERNAL" as const);
  if (name !== "mcp")
    return { name: `attempt ${name}`, kind, attributes: { "toolplane.provider": name } };
  const providerAttributes = {
    "toolplane.provider": name,
    "toolplane.server": String(config.server),
  };
  const offer = offerRequest(spec, args);
  if (offer === null)
    return { name: `attempt ${name}`, kind: "INTERNAL", attributes: providerAttributes };
  if (offer !== undefined) return offerAttempt(offer, providerAttributes);
  const tool = String(config.tool);
  const toolAttributes = { "gen_ai.tool.name": tool, ...providerAttributes };
  return {
    name: `tools/call ${tool}`,
    kind,
    attributes: { ...operation, ...toolCall, ...toolAttributes },
  };
}

function offerAttempt(
  { method, params }: { method: string; params: UnknownObject },
  providerAttributes: Attributes,
): Omit<SpanBeginning, "meta"> {
  const attributes = { "mcp.method.name": method, ...providerAttributes };
  if (method !== "prompts/get") return { name: method, kind: "CLIENT", attributes };
  const prompt = String(params.name);
  return {
    name: `${method} ${prompt}`,
    kind: "CLIENT",
    attributes: { ...attributes, "gen_ai.prompt.name": prompt },
  };
}

/** A waiting call has not failed. */
function errorOf(outcome: Outcome): string | null {
  const { status } = outcome.call;
  if (outcome.ok || status === "waiting") return null;
  if (status === "tool_error") return "tool_error";
  return outcome.error.code;
}

export function traceRun(
  { id, model, style, toolset, conversation }: RunBeginning,
  meta?: UnknownObject,
  tracer?: Tracer,
): TracedRun {
  const openSpan = beginSpan(
    {
      name: toolset === null ? "invoke_agent" : `invoke_agent ${toolset}`,
      kind: "INTERNAL",
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "toolplane",
        "gen_ai.request.model": model,
        "gen_ai.conversation.id": conversation,
        "gen_ai.agent.name": toolset ?? undefined,
        "toolplane.run.id": id,
        "toolplane.agent.style": style,
      },
      meta,
    },
    tracer,
  );
  const { span, said: traceContext } = openSpan;
  return {
    model: (model) => {
      const { name, provider, modelId } = model;
      const stream: ChatModel["stream"] = (request) =>
        traceTurn(model, request, openSpan, conversation, tracer);
      return { name, ...withoutUndefined({ provider, modelId }), stream };
    },
    relay: { meta: withTraceContext(meta, traceContext) },
    end(run) {
      if (run === undefined) return endSpan(span, "INTERNAL");
      span.setAttributes({
        "gen_ai.usage.input_tokens": run.usage.inputTokens,
        "gen_ai.usage.output_tokens": run.usage.outputTokens,
        "toolplane.agent.outcome": run.outcome,
        "toolplane.agent.turns": run.turns,
        "toolplane.agent.calls": run.counters.totalToolCalls,
      });
      const isFailed = run.outcome === "failed" || run.outcome === "cancelled";
      endSpan(span, isFailed ? (run.error?.code ?? "CANCELLED") : null);
    },
  };
}

async function* traceTurn(
  model: ChatModel,
  request: ModelRequest,
  run: OpenSpan,
  conversation: string,
  tracer?: Tracer,
): AsyncGenerator<ModelPart> {
  const openSpan = beginSpan(
    {
      name: `chat ${model.modelId ?? model.name}`,
      kind: "CLIENT",
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": model.provider,
        "gen_ai.request.model": model.modelId ?? model.name,
        "gen_ai.conversation.id": conversation,
        "toolplane.tools.offered": request.tools?.length ?? 0,
        "gen_ai.request.temperature": request.temperature,
        "gen_ai.request.max_tokens": request.maxOutputTokens,
      },
      meta: run.said,
    },
    tracer,
  );
  const { span } = openSpan;
  let hasEnded = false;
  // A listener that stops early is no error.
  let error: string | null = null;
  try {
    for await (const part of runWithin(openSpan, () => model.stream(request))) {
      if (part.type === "end") {
        hasEnded = true;
        span.setAttributes({
          "gen_ai.response.finish_reasons": [part.reason],
          "gen_ai.usage.input_tokens": part.usage.inputTokens,
          "gen_ai.usage.output_tokens": part.usage.outputTokens,
        });
      }
      yield part;
    }
    if (!hasEnded) error = "PROVIDER_FAILED";
  } catch (thrown) {
    error = toPlaneError(thrown).code;
    throw thrown;
  } finally {
    endSpan(span, request.signal?.aborted && !hasEnded ? "CANCELLED" : error);
  }
}
