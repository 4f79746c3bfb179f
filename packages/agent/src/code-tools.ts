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
import type { Remaining } from "./loop.ts";
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
  { principal: caller, toolset, toolGroups, only }: ToolsRequest,
  optionsIn: (state: string | undefined, remaining: Remaining) => AgentCallOptions,
) {
  let namedTools: NamedTool[] = [];
  let principal = caller;
  let selected: ReadonlySet<string> | undefined;
  const isSelected = (tool: Tool) =>
    (selected?.has(toolKey(tool.id)) ?? true) && (only?.(tool) ?? true);

  return {
    missing: () => (toolset === null ? [] : tools.missing({ principal, toolset }, namedTools)),
    async check(state: string | undefined): Promise<void> {
      if (toolset === null) return;
      namedTools = await tools.named({
        principal: caller,
        toolset,
        ...withoutUndefined({ toolGroups, state }),
      });
      selected = new Set(namedTools.map(({ tool }) => toolKey(tool.id)));
      principal = narrow(caller, {
        servers: [...new Set(namedTools.flatMap(({ tool }) => tool.id.server ?? []))],
      });
    },
    listTools: async () => offered,
    call(state: string | undefined, remaining: Remaining): CallByName {
      const { relay, run, ...options } = optionsIn(state, remaining);
      return (name, argumentsText, { signal }) => {
        const callContext = {
          ...options,
          relay,
          principal,
          face: "agent",
          timeoutMs: remaining.ms,
          toolGroups,
        };
        const codeOptions = {
          ...callContext,
          ...withoutUndefined({ only: selected || only ? isSelected : undefined }),
        } as RunCodeOptions;
        const callOptions = { ...withoutUndefined({ run, signal }), timeoutMs: 0 };
        return plane().call({ server: null, tool: name }, argumentsText, {
          ...(callOptions as PlaneCallOptions),
          principal,
          face: "agent",
          relay: { ...relay, onOwnTool: ownTool({ ...withoutUndefined(codeOptions), principal }) },
        });
      };
    },
  };
}
