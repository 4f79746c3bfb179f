import type { IncomingHttpHeaders } from "node:http";
import { withExactNumbers } from "../../lib/exact-numbers.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import { readTraceContext } from "../../model/trace-context.ts";

/** A client may say where its trace stands with the request of HTTP instead; what it says in `_meta` is nearer. */
export function takeOverTrace(messages: readonly UnknownObject[], headers: IncomingHttpHeaders): void {
  const said = headers.traceparent === undefined ? null : readTraceContext(headers);
  if (said === null) return;
  for (const { method, params } of messages) {
    if (method !== "tools/call" || !isObject(params)) continue;
    const meta = isObject(params._meta) ? params._meta : {};
    if (meta.traceparent === undefined) params._meta = { ...withExactNumbers(meta), ...said };
  }
}
