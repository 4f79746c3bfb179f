import type { CallStatus } from "../model/calls/call.ts";
import { type ErrorCode, errorTable, PlaneError } from "../model/errors.ts";

const statuses: Partial<Record<ErrorCode, CallStatus>> = {
  TOOL_ERROR: "tool_error",
  APPROVAL_REQUIRED: "waiting",
  PLAN_QUEUED: "waiting",
  CANCELLED: "cancelled",
};

/** The tool said no, a provider failed, or the plane refused: three different things. */
export function statusOf(error: PlaneError | undefined, call: { executed?: unknown }): CallStatus {
  if (error === undefined) return call.executed === undefined ? "dry_run" : "succeeded";
  const refused = ["policy", "validation"].includes(errorTable[error.code].category);
  return statuses[error.code] ?? (refused ? "refused" : "failed");
}

export function describeToolError(tool: string, text: string): PlaneError {
  const said = text.trim() === "" ? "it gave no text" : text.trim();
  return new PlaneError("TOOL_ERROR", `'${tool}' reported an error: ${said}`, { data: { tool } });
}
