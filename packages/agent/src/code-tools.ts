import type { CodeRunner, NamedTool, ToolsetRef } from "../../../src/agent/agent.ts";
import { withoutUndefined } from "../../../src/lib/json/plain-data.ts";
import type { RunCodeOptions } from "../../../src/model/agent/code-run.ts";
import type { CallOptions } from "../../../src/model/calls/call.ts";
import { codeTools } from "../../../src/model/catalogue/meta-tools.ts";
import type { Tool } from "../../../src/model/catalogue/tool.ts";
import { toolKey } from "../../../src/model/catalogue/tool-name.ts";
import type { Plane, PlaneCallOptions } from "../../../src/model/plane.ts";
import { narrow, type Principal } from "../../../src/model/principal.ts";
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
