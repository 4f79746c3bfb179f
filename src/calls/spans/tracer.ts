import {
  type Attributes,
  type Context,
  context,
  createTraceState,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { version } from "../../lib/version.ts";
import { readTraceContext, type TraceContext } from "../../model/calls/provider.ts";
import type { UnknownObject } from "../../model/json.ts";

export type SpanBeginning = {
  name: string;
  kind: keyof typeof SpanKind;
  attributes: Attributes;
  /** What the caller says of where its trace stands. */
  meta: UnknownObject | undefined;
};

/** A span and the context in which its children are made. */
export type OpenSpan = { span: Span; within: Context; said: TraceContext };

export function beginSpan({ name, kind, attributes, meta }: SpanBeginning): OpenSpan {
  const parent = parentOf(meta);
  const span = trace.getTracer("toolplane", version).startSpan(name, { kind: SpanKind[kind], attributes }, parent);
  return { span, within: trace.setSpan(parent, span), said: sayContext(span.spanContext()) };
}

/** Errors are told by their code: messages may hold what a server or a caller wrote. */
export function endSpan(span: Span, error: string | null): void {
  if (error !== null) {
    span.setAttribute("error.type", error);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

/** Runs it so that whatever it does with spans of its own belongs below this one, where the program keeps contexts. */
export function runWithin<T>({ within }: OpenSpan, work: () => T): T {
  return context.with(within, work);
}

/** A span of this process that belongs to the caller's trace is nearer than the caller's own. */
function parentOf(meta: UnknownObject | undefined): Context {
  const active = context.active();
  const said = readTraceContext(meta);
  if (said === null) return active;
  const remote = spanContextOf(said);
  const near = trace.getSpanContext(active);
  return near?.traceId === remote.traceId ? active : trace.setSpanContext(active, remote);
}

function spanContextOf({ traceparent, tracestate }: TraceContext): SpanContext {
  const [, traceId = "", spanId = "", flags = "00"] = traceparent.split("-");
  return {
    ...{ traceId, spanId, isRemote: true },
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    ...(tracestate === undefined ? {} : { traceState: createTraceState(tracestate) }),
  };
}

function sayContext({ traceId, spanId, traceFlags, traceState }: SpanContext): TraceContext {
  const flags = (traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, "0");
  const tracestate = traceState?.serialize() ?? "";
  return {
    traceparent: `00-${traceId}-${spanId}-${flags}`,
    ...(tracestate === "" ? {} : { tracestate }),
  };
}
