import type { Provider, ProviderContext } from "../../../model/calls/provider.ts";
import type { ToolResult } from "../../../model/calls/result.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { JsonObject } from "../../../model/json.ts";

/** A tool of our own. What the caller got wrong is an answer; whatever it throws is a failure. */
export type BuiltinTool = (args: JsonObject, context: Pick<ProviderContext, "owner" | "signal">) => Promise<ToolResult>;

/** Executes the tools that come with the plane: `config.tool` says which. */
export function createBuiltinProvider(tools: ReadonlyMap<string, BuiltinTool>): Provider {
  return async ({ config }, args, { owner, signal }) => {
    const run = tools.get(String(config.tool));
    if (run) return run(args, { owner, signal });
    throw new PlaneError("NO_PROVIDER", `There is no built-in tool '${config.tool}'.`, {
      data: { sent: false, retryAt: null },
    });
  };
}
