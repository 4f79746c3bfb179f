import { isTooDeep } from "../lib/is-too-deep.ts";
import { changeMembers } from "../lib/json-members.ts";
import { rememberText, textOf } from "../lib/json-text.ts";
import type { Attempt, Executed, Routed } from "../model/call.ts";
import { PlaneError, toPlaneError } from "../model/errors.ts";
import { isObject, type JsonObject } from "../model/json.ts";
import { normalizeResult, type ToolResult } from "../model/result.ts";

export type CheckOutput = (schema: JsonObject, result: ToolResult) => Promise<string[]>;

/** What came back, as a result that every face can pass on. */
export function finish(
  call: Routed,
  provider: string,
  raw: unknown,
  attempts: Attempt[],
  checkOutput: CheckOutput,
): Executed | Promise<Executed> {
  const { result, warnings } = normalizeResult(raw);
  if (result !== raw) keepText(raw, result);
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
  const executed = { result, provider, attempts, warnings };
  const { outputSchema } = call.tool;
  if (!outputSchema || result.isError) return { ...call, executed };
  // The tool has run: whatever is wrong with its schema is no reason to lose what it said.
  return checkOutput(outputSchema, result)
    .catch((thrown) => [toPlaneError(thrown).message])
    .then((found) => {
      warnings.push(...found);
      return { ...call, executed };
    });
}

/** What had to be brought into shape stays as it was written beside that. */
function keepText(raw: unknown, result: ToolResult): void {
  const text = isObject(raw) ? textOf(raw) : undefined;
  if (text === undefined) return;
  const { content, isError } = result;
  const shaped = changeMembers(text, {
    content: () => JSON.stringify(content),
    isError: () => (isError === undefined ? undefined : String(isError)),
  });
  rememberText(result, shaped);
}
