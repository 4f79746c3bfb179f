import {
  defaultExcluded,
  defaultInventoryBytes,
  type InjectOptions,
} from "../model/access/injection.ts";
import type { Tool } from "../model/catalogue/tool.ts";
import type { JsonObject } from "../model/json.ts";

type InventoryTool = { name: string; description: string; parameters: JsonObject };
export type InventoryServer = { server_name: string; description: string; tools: InventoryTool[] };

const summaryCharacters = 100;

/** As much as fits: everything, then short descriptions, then no parameters, then fewer tools, then fewer servers. */
export function fitInventory(servers: readonly InventoryServer[], maxBytes: number): JsonObject {
  const everything = { available_servers: servers } as unknown as JsonObject;
  if (fits(everything, maxBytes)) return everything;
  const summaries = servers.map((server) => mapTools(server, summarize));
  const bare = summaries.map((server) => mapTools(server, (tool) => ({ ...tool, parameters: {} })));
  for (const smaller of [summaries, bare]) {
    const inventory = truncated(smaller, servers);
    if (fits(inventory, maxBytes)) return inventory;
  }
  return shrunk(bare, servers, maxBytes);
}

function shrunk(
  bareServers: readonly InventoryServer[],
  allServers: readonly InventoryServer[],
  maxBytes: number,
): JsonObject {
  const maxTools = Math.max(0, ...bareServers.map(({ tools }) => tools.length));
  const withTools = (count: number) => {
    const servers = bareServers.map((server) => ({
      ...server,
      tools: server.tools.slice(0, count),
    }));
    return truncated(servers, allServers);
  };
  const withServers = (count: number) => {
    const servers = bareServers
      .slice(0, count)
      .map((server) => ({ ...server, description: "", tools: [] }));
    return truncated(servers, allServers);
  };
  const toolCount = largest(maxTools, (count) => fits(withTools(count), maxBytes));
  if (toolCount !== null) return withTools(toolCount);
  const serverCount = largest(bareServers.length, (count) => fits(withServers(count), maxBytes));
  return withServers(serverCount ?? 0);
}

function truncated(
  servers: readonly InventoryServer[],
  allServers: readonly InventoryServer[],
): JsonObject {
  const omittedServers = allServers.length - servers.length;
  const inventory = {
    available_servers: servers,
    truncated: true,
    omitted_tools: countTools(allServers) - countTools(servers),
  } as unknown as JsonObject;
  if (omittedServers > 0) inventory.omitted_servers = omittedServers;
  return inventory;
}

/** The largest number up to `max` that passes, where a larger one never does when a smaller one does not. */
function largest(max: number, passes: (count: number) => boolean): number | null {
  let low = -1;
  let high = max;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (passes(middle)) low = middle;
    else high = middle - 1;
  }
  return low < 0 ? null : low;
}

function summarize(tool: InventoryTool): InventoryTool {
  const { description } = tool;
  if (description.length <= summaryCharacters) return tool;
  return { ...tool, description: `${description.slice(0, summaryCharacters - 3)}...` };
}

function mapTools(
  server: InventoryServer,
  transform: (tool: InventoryTool) => InventoryTool,
): InventoryServer {
  return { ...server, tools: server.tools.map(transform) };
}

function countTools(servers: readonly InventoryServer[]): number {
  return servers.reduce((sum, { tools }) => sum + tools.length, 0);
}

function fits(inventory: JsonObject, maxBytes: number): boolean {
  return Buffer.byteLength(JSON.stringify(inventory)) <= maxBytes;
}

/** A server that could not list its tools has none. */
export type ListedServer = { name: string; description: string };

/** The catalogue as a tool that plans with other tools receives it in `_mcp_data`. `self` is its own server. */
export function renderInventory(
  tools: readonly Tool[],
  servers: readonly ListedServer[],
  {
    exclude_self = false,
    exclude = defaultExcluded,
    max_bytes = defaultInventoryBytes,
  }: InjectOptions = {},
  self: string | null = null,
): JsonObject {
  const serversByName = new Map<string, InventoryServer>(
    servers
      .filter(({ name }) => !(exclude_self && name === self) && !exclude.includes(name))
      .map(({ name, description }) => [name, { server_name: name, description, tools: [] }]),
  );
  for (const { id, description, parameters } of tools) {
    const server = id.server === null ? undefined : serversByName.get(id.server);
    server?.tools.push({
      name: `${id.server}_${id.tool}`,
      description: description ?? "",
      parameters,
    });
  }
  return fitInventory([...serversByName.values()], max_bytes);
}

type RenderedInventory = { tools: readonly Tool[]; circumstances: string; inventory: JsonObject };

/** A plane rarely has more kinds of callers at once. */
const maxViews = 32;

/** Renders the same tools for the same callers once; compared tool by tool, so never stale. */
export function createInventory(): typeof renderInventory {
  let recent: RenderedInventory[] = [];
  return (tools, servers, options = {}, self = null) => {
    const circumstances = JSON.stringify([servers, options, self]);
    const previous = recent.find(
      (rendered) =>
        rendered.circumstances === circumstances &&
        rendered.tools.length === tools.length &&
        rendered.tools.every((tool, index) => tool === tools[index]),
    );
    const used = previous ?? {
      tools,
      circumstances,
      inventory: renderInventory(tools, servers, options, self),
    };
    const unused = recent.filter((rendered) => rendered !== previous);
    recent = [used, ...unused].slice(0, maxViews);
    return used.inventory;
  };
}
