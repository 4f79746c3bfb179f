import { isObject, type UnknownObject } from "../../src/model/json.ts";

/** A tool in the inventory, with the server it belongs to. */
export type KnownTool = {
  server: string;
  name: string;
  description: string;
  parameters: UnknownObject;
};
export type KnownServer = { name: string; description: string; tools: KnownTool[] };

/** Untrusted `_mcp_data`: without a plane, callers may send anything. */
export function readInventory(data: unknown): { servers: KnownServer[]; omitted: number } {
  const given = isObject(data) ? data : {};
  const servers = Array.isArray(given.available_servers)
    ? given.available_servers.filter(isObject)
    : [];
  return { servers: servers.map(readServer), omitted: Number(given.omitted_tools) || 0 };
}

function readServer({ server_name, description, tools }: UnknownObject): KnownServer {
  const name = textOf(server_name);
  return {
    name,
    description: textOf(description),
    tools: (Array.isArray(tools) ? tools : []).filter(isObject).map((tool) => ({
      server: name,
      name: textOf(tool.name),
      description: textOf(tool.description),
      parameters: isObject(tool.parameters) ? tool.parameters : {},
    })),
  };
}

/**
 * The name that is right wherever there are underscores: `server.tool` for the inventory's `server_tool`. What is in
 * no inventory stays as it is written.
 */
export function callName(servers: readonly KnownServer[], written: string): string {
  for (const { name: server, tools } of servers) {
    for (const { name } of tools) {
      const isPrefixed = name.startsWith(`${server}_`);
      const full = isPrefixed ? `${server}.${name.slice(server.length + 1)}` : name;
      if (written === name || written === full) return full;
    }
  }
  return written;
}

export function isKnown(servers: readonly KnownServer[], called: string): boolean {
  return servers.some(({ tools }) => tools.some(({ name }) => callName(servers, name) === called));
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
