import type { UnknownObject } from "../model/json.ts";

/** What the other side may repeat to say which request it means. */
export function marked(
  id: number,
  method: string,
  params: UnknownObject,
  { onProgress, onRequest }: { onProgress?: unknown; onRequest?: unknown },
): UnknownObject {
  const asksBack = onRequest !== undefined && method === "tools/call";
  if (!onProgress && !asksBack) return params;
  const _meta: UnknownObject = { ...(params._meta as object) };
  if (onProgress) _meta.progressToken = id;
  if (asksBack) _meta.tool_call_id = String(id);
  return { ...params, _meta };
}

/** The request that a mark of ours names. */
export function idIn({ tool_call_id }: UnknownObject): number | undefined {
  return typeof tool_call_id === "string" ? Number(tool_call_id) : undefined;
}
