import { type NamelessTool, translateTools } from "../catalogue/catalogue.ts";
import { mapArguments } from "../model/calls/provider.ts";
import type { ProviderSpec, Tool, ToolId } from "../model/catalogue/tool.ts";
import type { Config } from "../model/config/config.ts";
import type { JsonObject } from "../model/json.ts";
import type { Principal } from "../model/principal.ts";
import type { ServerDefinition } from "../model/servers/server.ts";

type Target = { tool: Tool; mapArguments(args: JsonObject): JsonObject };

/** The servers' tools that a hand-written tool may call, and the arguments that each is called with. */
export function createTargets(
  config: () => Config,
  byId: (id: ToolId, caller: Principal) => Tool | undefined,
) {
  function targetOf({ name, config: provider }: ProviderSpec, caller: Principal): Target[] {
    const server = String(provider.server);
    const tool = String(provider.tool);
    const definition = name === "mcp" ? config().servers[server] : undefined;
    if (definition === undefined) return [];
    const target = byId({ server, tool }, caller) ?? unlistedTool(server, definition, tool);
    return [{ tool: target, mapArguments: (args) => mapArguments(provider.argumentMap, args) }];
  }

  return ({ id, providers }: Tool, caller: Principal): readonly Target[] =>
    isHandWritten(id) ? providers.flatMap((spec) => targetOf(spec, caller)) : [];
}

const isHandWritten = ({ server }: ToolId) => server === null;

/** Stands for a tool that its server has not listed, so that a policy can decide about the server. */
export function unlistedTool(server: string, definition: ServerDefinition, tool: string): Tool {
  const unfiltered = { ...definition, allow_tools: null, deny_tools: null };
  const [translated] = translateTools(server, unfiltered, [
    { name: tool, inputSchema: { type: "object" } },
  ]).tools;
  const name = `${server}.${tool}`;
  return { ...(translated as NamelessTool), name, modelName: name };
}
