import { sameJson } from "../../lib/same-json.ts";
import type { Executed } from "../../model/call.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { isObject } from "../../model/json.ts";
import { normalizeResult, type ToolResult } from "../../model/result.ts";
import type { Asked, AskHooks, Judged } from "./ask-in-turn.ts";
import { toolFacts } from "./tool-facts.ts";

/** What hooks make of a result. What the tool really said is kept beside it, for its health and the record. */
export async function review(call: Executed, askHooks: AskHooks): Promise<Executed> {
  const { result, attempts } = call.executed;
  const success = result.isError !== true;
  const payload: JsonObject = {
    ...toolFacts(call, call.approval),
    success,
    content: result.content as Json,
    ...(result.structuredContent === undefined ? {} : { structured_content: result.structuredContent }),
    is_error: !success,
    duration_ms: attempts.reduce((sum, { durationMs }) => sum + durationMs, 0),
  };
  try {
    const judged = await askHooks("PostToolUse", { payload, change: changeResult, mayAsk: false });
    if (judged.decision === "deny")
      return replaced(call, withheld(call, judged.reason ?? "a hook says so"), judged.by);
    const isSame = judged.payload === payload || sameJson(judged.payload, payload);
    return isSame ? call : replaced(call, toResult(result, payload, judged), judged.by);
  } catch {
    // Nobody has looked at it, so nobody gets it.
    return replaced(call, withheld(call, "the hooks were not asked to the end"), null);
  }
}

function replaced(call: Executed, result: ToolResult, by: string | null): Executed {
  const { executed } = call;
  const warnings =
    by === null ? executed.warnings : [...executed.warnings, `Hook '${by}' changed the result.`];
  return { ...call, executed: { ...executed, result, warnings, said: executed.result } };
}

function withheld({ tool }: Executed, reason: string): ToolResult {
  const text = `'${tool.name}' ran, but its result was held back: ${reason}.`;
  return { content: [{ type: "text", text }], isError: true };
}

/** Where the content is new, nothing of the old result is left that could say what was taken out. */
function toResult(result: ToolResult, before: JsonObject, { payload }: Judged): ToolResult {
  const { content, structured_content: structuredContent, success } = payload;
  const isNew = !sameJson(content, before.content) || !sameJson(structuredContent, before.structured_content);
  if (!isNew) return { ...result, isError: success !== true };
  return normalizeResult({
    content: typeof content === "string" ? [{ type: "text", text: content }] : content,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    isError: success !== true,
  }).result;
}

const changeResult: Asked["change"] = (payload, changes) => {
  const { content, structured_content, success, is_error } = changes;
  if (content !== undefined && typeof content !== "string" && !isBlocks(content))
    return { failed: "its 'payload.content' is neither text nor a list of content blocks" };
  if ([success, is_error].some((flag) => flag !== undefined && typeof flag !== "boolean"))
    return { failed: "its 'payload.success' is not true or false" };
  const succeeds = newSuccess(payload.success === true, success, is_error);
  const { structured_content: old, ...facts } = payload;
  // Whoever takes something out of the content has not looked at what says the same once more.
  const isStale =
    content !== undefined && !sameJson(content, payload.content) && sameJson(structured_content ?? old, old);
  const structured = isStale ? null : structured_content === undefined ? old : structured_content;
  return {
    payload: {
      ...facts,
      ...(content === undefined ? {} : { content }),
      ...(structured === undefined || structured === null ? {} : { structured_content: structured }),
      success: succeeds,
      is_error: !succeeds,
    },
  };
};

/** Whoever passes on what they were given and changes one of the two means that one. */
function newSuccess(now: boolean, success: Json | undefined, isError: Json | undefined): boolean {
  if (typeof success === "boolean" && success !== now) return success;
  return typeof isError === "boolean" ? !isError : now;
}

function isBlocks(content: Json): boolean {
  return (
    Array.isArray(content) && content.every((block) => isObject(block) && typeof block.type === "string")
  );
}
