import { randomBytes } from "node:crypto";
import type {
  Attributes,
  AttributeValue,
  Context,
  Span,
  SpanContext,
  SpanOptions,
  SpanStatus,
  Tracer,
} from "@opentelemetry/api";
import { SpanKind, TraceFlags, trace } from "@opentelemetry/api";

export type OtlpValue =
  | { stringValue: string }
  | { boolValue: boolean }
  | { intValue: string }
  | { doubleValue: number }
  | { arrayValue: { values: OtlpValue[] } };
export type OtlpAttribute = { key: string; value: OtlpValue };

/** A span as OTLP/JSON has it. */
export type OtlpSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  flags: number;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: OtlpAttribute[];
  events: { name: string; timeUnixNano: string; attributes: OtlpAttribute[] }[];
  status: { code: number };
};

/** Makes spans and gives each away when it has ended. What its caller does not sample is not kept. */
export function createOtlpTracer(onEnd: (span: OtlpSpan) => void): Tracer {
  const startSpan = (name: string, options: SpanOptions = {}, within?: Context): Span => {
    const parent = within && trace.getSpanContext(within);
    const context: SpanContext = {
      traceId: parent?.traceId ?? randomBytes(16).toString("hex"),
      spanId: randomBytes(8).toString("hex"),
      traceFlags: parent?.traceFlags ?? TraceFlags.SAMPLED,
      ...(parent?.traceState && { traceState: parent.traceState }),
    };
    const isSampled = (context.traceFlags & TraceFlags.SAMPLED) !== 0;
    return openSpan(name, options, context, parent, isSampled ? onEnd : undefined);
  };
  return {
    startSpan,
    startActiveSpan: () => {
      throw new Error("Nothing here asks for active spans.");
    },
  };
}

function openSpan(
  first: string,
  { kind = SpanKind.INTERNAL, attributes: given = {} }: SpanOptions,
  context: SpanContext,
  parent: SpanContext | undefined,
  onEnd: ((span: OtlpSpan) => void) | undefined,
): Span {
  const startTimeUnixNano = nowNano();
  const attributes: Attributes = { ...given };
  const events: OtlpSpan["events"] = [];
  let name = first;
  let code: SpanStatus["code"] = 0;
  let isOpen = onEnd !== undefined;
  const span: Span = {
    spanContext: () => context,
    isRecording: () => isOpen,
    setAttribute(key, value) {
      attributes[key] = value;
      return span;
    },
    setAttributes(more) {
      Object.assign(attributes, more);
      return span;
    },
    addEvent(event, about) {
      events.push({ name: event, timeUnixNano: nowNano(), attributes: renderAttributes((about ?? {}) as Attributes) });
      return span;
    },
    addLink: () => span,
    addLinks: () => span,
    setStatus(status) {
      code = status.code;
      return span;
    },
    updateName(next) {
      name = next;
      return span;
    },
    recordException: () => undefined,
    end() {
      if (!isOpen) return;
      isOpen = false;
      const { traceId, spanId, traceFlags, traceState } = context;
      const tracestate = traceState?.serialize() ?? "";
      onEnd?.({
        traceId,
        spanId,
        flags: traceFlags,
        name,
        startTimeUnixNano,
        events,
        ...(parent && { parentSpanId: parent.spanId }),
        ...(tracestate !== "" && { traceState: tracestate }),
        // OTLP counts kinds from one on.
        kind: kind + 1,
        endTimeUnixNano: nowNano(),
        attributes: renderAttributes(attributes),
        status: { code },
      });
    },
  };
  return span;
}

export function renderAttributes(attributes: Attributes): OtlpAttribute[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: renderValue(value) }],
  );
}

function renderValue(value: AttributeValue | null | undefined): OtlpValue {
  if (Array.isArray(value)) return { arrayValue: { values: value.map(renderValue) } };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value !== "number") return { stringValue: String(value) };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Microseconds are what the clock tells. */
export function nowNano(): string {
  return `${Math.round((performance.timeOrigin + performance.now()) * 1_000)}000`;
}
