import type { CodeRunner, NamedTool, ToolsetRef } from "@toolplane/core/agent";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import type { RunCodeOptions } from "@toolplane/core/model/agent/code-run";
import type { CallOptions } from "@toolplane/core/model/calls/call";
import { codeTools } from "@toolplane/core/model/catalogue/meta-tools";
import type { Tool } from "@toolplane/core/model/catalogue/tool";
import { toolKey } from "@toolplane/core/model/catalogue/tool-name";
import type { Plane, PlaneCallOptions } from "@toolplane/core/model/plane";
import { narrow, type Principal } from "@toolplane/core/model/principal";
import type { AgentCallOptions, AgentTools } from "./agent-tools.ts";
import type { Left } from "./loop.ts";
import type { CallByName, OfferedTool } from "./run-calls.ts";

type Ports = { tools: AgentTools; ownTool: CodeRunner["ownTool"]; plane(): Pick<Plane, "call"> };
type ToolsRequest = Pick<CallOptions, "toolGroups"> & {
  principal: Principal;
  toolset: ToolsetRef | null;
  only?(tool: Tool): boolean;
};

const offered = codeTools.map(
  ({ name, description, inputSchema }): OfferedTool => ({
    name,
    description,
    parameters: inputSchema,
    mayChange: true,
  }),
);

/** A model that writes programs has two tools, whatever is behind them. */
export function createCodeTools(
  { tools, ownTool, plane }: Ports,
  { principal: whole, toolset, toolGroups, only }: ToolsRequest,
  optionsIn: (state: string | undefined, left: Left) => AgentCallOptions,
) {
  let named: NamedTool[] = [];
  let principal = whole;
  let selected: ReadonlySet<string> | undefined;
  const isMeant = (tool: Tool) =>
    (selected?.has(toolKey(tool.id)) ?? true) && (only?.(tool) ?? true);

  return {
    missing: () => (toolset === null ? [] : tools.missing({ principal, toolset }, named)),
    async check(state: string | undefined): Promise<void> {
      if (toolset === null) return;
      named = await tools.named({
        principal: whole,
        toolset,
        ...withoutUndefined({ toolGroups, state }),
      });
      selected = new Set(named.map(({ tool }) => toolKey(tool.id)));
      principal = narrow(whole, {
        servers: [...new Set(named.flatMap(({ tool }) => tool.id.server ?? []))],
      });
    },
    listTools: async () => offered,
    call(state: string | undefined, left: Left): CallByName {
      const { relay, run, ...options } = optionsIn(state, left);
      return (name, argumentsText, { signal }) => {
        const by = { ...options, relay, principal, face: "agent", timeoutMs: left.ms, toolGroups };
        const given = { ...by, ...((selected || only) && { only: isMeant }) } as RunCodeOptions;
        const called = { ...withoutUndefined({ run, signal }), timeoutMs: 0 };
        return plane().call({ server: null, tool: name }, argumentsText, {
          ...(called as PlaneCallOptions),
          principal,
          face: "agent",
          relay: { ...relay, onOwnTool: ownTool({ ...withoutUndefined(given), principal }) },
        });
      };
    },
  };
}
