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
  return fewer(bare, servers, maxBytes);
}

function fewer(
  bare: readonly InventoryServer[],
  all: readonly InventoryServer[],
  maxBytes: number,
): JsonObject {
  const most = Math.max(0, ...bare.map(({ tools }) => tools.length));
  const withTools = (count: number) => {
    const kept = bare.map((server) => ({ ...server, tools: server.tools.slice(0, count) }));
    return truncated(kept, all);
  };
  const withServers = (count: number) => {
    const kept = bare.slice(0, count).map((server) => ({ ...server, description: "", tools: [] }));
    return truncated(kept, all);
  };
  const tools = largest(most, (count) => fits(withTools(count), maxBytes));
  if (tools !== null) return withTools(tools);
  return withServers(largest(bare.length, (count) => fits(withServers(count), maxBytes)) ?? 0);
}

function truncated(kept: readonly InventoryServer[], all: readonly InventoryServer[]): JsonObject {
  const missing = all.length - kept.length;
  return {
    available_servers: kept,
    truncated: true,
    omitted_tools: countTools(all) - countTools(kept),
    ...(missing > 0 ? { omitted_servers: missing } : {}),
  } as unknown as JsonObject;
}

/** The largest number up to `most` that passes, where a larger one never does when a smaller one does not. */
function largest(most: number, passes: (count: number) => boolean): number | null {
  let low = -1;
  let high = most;
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
  each: (tool: InventoryTool) => InventoryTool,
): InventoryServer {
  return { ...server, tools: server.tools.map(each) };
}

function countTools(servers: readonly InventoryServer[]): number {
  return servers.reduce((sum, { tools }) => sum + tools.length, 0);
}

function fits(value: JsonObject, maxBytes: number): boolean {
  return Buffer.byteLength(JSON.stringify(value)) <= maxBytes;
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
  const listed = new Map<string, InventoryServer>(
    servers
      .filter(({ name }) => !(exclude_self && name === self) && !exclude.includes(name))
      .map(({ name, description }) => [name, { server_name: name, description, tools: [] }]),
  );
  for (const { id, description, parameters } of tools) {
    const server = id.server === null ? undefined : listed.get(id.server);
    server?.tools.push({
      name: `${id.server}_${id.tool}`,
      description: description ?? "",
      parameters,
    });
  }
  return fitInventory([...listed.values()], max_bytes);
}

type Known = { tools: readonly Tool[]; servers: string; inventory: JsonObject };

/** A plane rarely has more kinds of callers at once. */
const maxViews = 32;

/** Renders the same tools for the same callers once; compared tool by tool, so never stale. */
export function createInventory(): typeof renderInventory {
  let known: Known[] = [];
  return (tools, servers, options = {}, self = null) => {
    const around = JSON.stringify([servers, options, self]);
    const before = known.find(
      (one) =>
        one.servers === around &&
        one.tools.length === tools.length &&
        one.tools.every((tool, at) => tool === tools[at]),
    );
    const used = before ?? {
      tools,
      servers: around,
      inventory: renderInventory(tools, servers, options, self),
    };
    known = [used, ...known.filter((one) => one !== before)].slice(0, maxViews);
    return used.inventory;
  };
}
