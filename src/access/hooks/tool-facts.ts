import type { Injected, Verdict } from "../../model/calls/call.ts";
import type { JsonObject } from "../../model/json.ts";

/** What a hook learns about a call. What the system sets is not among the arguments. */
export function toolFacts({ id, tool, input }: Injected, { verdict }: Verdict): JsonObject {
  return {
    tool_name: tool.name,
    server: tool.id.server,
    tool_call_id: id,
    arguments: input.arguments,
    verdict,
    side_effects: tool.metadata.side_effects,
  };
}
