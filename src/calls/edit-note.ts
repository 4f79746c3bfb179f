import type { HeldYes, Input } from "../model/call.ts";
import type { ToolResult } from "../model/result.ts";

/** Whoever asked for the call reads what really ran, before they read what came of it. */
export function withEditNote(
  result: ToolResult,
  { approved, input }: { approved?: HeldYes; input?: Input },
): ToolResult {
  if (approved === undefined || approved.arguments !== null) return result;
  const ran = JSON.stringify(input?.arguments ?? {}, null, 2);
  const text = `A person changed the arguments before they approved this call. It ran with:\n${ran}`;
  return { ...result, content: [{ type: "text", text }, ...(result.content ?? [])] };
}
