import type { InjectOptions } from "../model/injection.ts";
import { defaultInventoryBytes } from "../model/injection.ts";
import type { JsonObject } from "../model/json.ts";
import type { Tool } from "../model/tool.ts";
import { fitInventory, type InventoryServer } from "./inventory-limit.ts";

/** A server as the inventory names it; one that could not list its tools has none. */
export type ListedServer = { name: string; description: string };

/** The catalogue as a tool that plans with other tools receives it in `_mcp_data`. `self` is its own server. */
export function renderInventory(
  tools: readonly Tool[],
  servers: readonly ListedServer[],
  { exclude_self = false, max_bytes = defaultInventoryBytes }: InjectOptions = {},
  self: string | null = null,
): JsonObject {
  const listed = new Map<string, InventoryServer>(
    servers
      .filter(({ name }) => !(exclude_self && name === self))
      .map(({ name, description }) => [name, { server_name: name, description, tools: [] }]),
  );
  for (const { id, description, parameters } of tools) {
    const server = id.server === null ? undefined : listed.get(id.server);
    server?.tools.push({ name: `${id.server}_${id.tool}`, description: description ?? "", parameters });
  }
  return fitInventory([...listed.values()], max_bytes);
}

type Known = {
  tools: readonly Tool[];
  servers: string;
  inventory: JsonObject;
};

/** How many different views are remembered; a plane rarely has more kinds of callers at once. */
const maxViews = 32;

/** Renders the same tools for the same callers once. What is in it is compared tool by tool, so it is never old. */
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
