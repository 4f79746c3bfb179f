import { hash } from "../lib/stable-json.ts";
import type { CallRecord, CallStatus, Executed, Requested } from "../model/call.ts";
import { PlaneError } from "../model/errors.ts";
import { resultText, type ToolResult } from "../model/result.ts";
import { describeToolError } from "./status.ts";

type Ended = Requested & Partial<Executed>;

/** What the record keeps of what hooks decided, and of a result that they changed beside what the tool said. */
export function hookFields({ executed, hooks }: Ended): Partial<CallRecord> {
  return {
    ...(executed?.said ? { resultHash: hash(executed.said), changedHash: hash(executed.result) } : {}),
    ...(hooks ? { hooks } : {}),
  };
}

/** What a hook makes of a result is not the tool's doing. */
export function toolDidWell({ executed }: Ended, status: CallStatus): boolean {
  return executed?.said ? executed.said.isError !== true : status === "succeeded";
}

/** The tool said no, or a hook in its place, which says itself who it is. */
export function saidNo({ tool, executed }: Ended, result: ToolResult): PlaneError {
  const [name, text] = [tool?.name ?? "", resultText(result)];
  return executed?.said && executed.said.isError !== true
    ? new PlaneError("TOOL_ERROR", text, { data: { tool: name } })
    : describeToolError(name, text);
}
