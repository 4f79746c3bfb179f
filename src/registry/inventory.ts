import type { JsonObject } from "../model/json.ts";
import type { Tool } from "../model/tool.ts";

/** The catalogue as a tool that plans with other tools receives it in `_mcp_data`. */
export function renderInventory(tools: readonly Tool[], describe: (server: string) => string): JsonObject {
  const servers = new Map<string, JsonObject[]>();
  for (const { id, description, parameters } of tools) {
    if (id.server === null) continue;
    const listed = servers.get(id.server) ?? [];
    listed.push({ name: `${id.server}_${id.tool}`, description, parameters });
    servers.set(id.server, listed);
  }
  return {
    available_servers: [...servers].map(([server, listed]) => ({
      server_name: server,
      description: describe(server),
      tools: listed,
    })),
  };
}
