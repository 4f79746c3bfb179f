import { isTooDeep } from "../lib/is-too-deep.ts";
import type { Attempt, Executed, Routed } from "../model/call.ts";
import { PlaneError, toPlaneError } from "../model/errors.ts";
import type { JsonObject } from "../model/json.ts";
import { normalizeResult, type ToolResult } from "../model/result.ts";

export type CheckOutput = (schema: JsonObject, result: ToolResult) => Promise<string[]>;

/** What came back, as a result that every face can pass on. */
export async function finish(
  call: Routed,
  provider: string,
  raw: unknown,
  attempts: Attempt[],
  checkOutput: CheckOutput,
): Promise<Executed> {
  const { result, warnings } = normalizeResult(raw);
  if (isTooDeep(result)) {
    const server = call.tool.id.server === null ? {} : { server: call.tool.id.server };
    throw new PlaneError(
      "PROVIDER_FAILED",
      `'${call.tool.name}' answered with a result that is nested too deeply to be passed on.`,
      {
        data: { ...server, sent: true, retryAt: null },
      },
    );
  }
  if (call.tool.outputSchema && !result.isError) {
    // The tool has run: whatever is wrong with its schema is no reason to lose what it said.
    const found = await checkOutput(call.tool.outputSchema, result).catch((thrown) => [
      toPlaneError(thrown).message,
    ]);
    warnings.push(...found);
  }
  return { ...call, executed: { result, provider, attempts, warnings } };
}
