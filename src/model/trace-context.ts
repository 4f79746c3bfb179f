import { isObject, type UnknownObject } from "./json.ts";

/** Where a trace stands, in the words of W3C Trace Context; MCP says the same in `_meta`. */
export type TraceContext = { traceparent: string; tracestate?: string };

const parentShape = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
const stateShape = /^[\u0020-\u007e]{1,512}$/;

/** Read from what a caller says beside its request, or from its headers; what makes no sense is not passed on. */
export function readTraceContext(said: unknown): TraceContext | null {
  if (!isObject(said)) return null;
  const { traceparent, tracestate } = said;
  if (typeof traceparent !== "string" || !parentShape.test(traceparent)) return null;
  return typeof tracestate === "string" && stateShape.test(tracestate) ? { traceparent, tracestate } : { traceparent };
}

/** What is said beside a request, with the trace in the place of the one that was said before. */
export function withTraceContext(meta: UnknownObject | undefined, context: TraceContext): UnknownObject {
  const { traceparent: _, tracestate: __, ...others } = meta ?? {};
  return { ...others, ...context };
}
