import { passesFilter } from "../lib/text/glob.ts";
import { nearest } from "../lib/text/nearest.ts";
import type { MissingServer } from "../model/agent/agent-run.ts";
import type { SelectedTool } from "../model/agent.ts";
import type { Tool } from "../model/catalogue/tool.ts";
import type { ToolsetDefinition } from "../model/config/config.ts";

import { PlaneError } from "../model/errors.ts";

const forModels = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Is a tool in a toolset? Those of its servers are, as far as `allow_tools` lets them. A tool written by hand is when
 * it leads to one of the servers, or when it is named.
 */
export function isInToolset({ providers, allow_tools }: ToolsetDefinition, tool: SelectedTool): boolean {
  const { server, tool: name } = tool.id;
  if (!passesFilter(name, allow_tools, null)) return false;
  if (server !== null) return providers.includes(server);
  if (allow_tools !== null || tool.source === "builtin") return true;
  return (tool.providers ?? []).some(
    ({ name: kind, config }) => kind === "mcp" && providers.includes(String(config.server)),
  );
}

export type NamedTool<T extends Tool = Tool> = { name: string; tool: T };

/** The tools of a toolset under their own names. Two of the same name cannot be told apart by a model. */
export function nameTools<T extends Tool>(alias: string | null, tools: readonly T[]): NamedTool<T>[] {
  const named = tools.map((tool) => ({
    name: forModels.test(tool.id.tool) ? tool.id.tool : tool.modelName,
    tool,
  }));
  const owners = Map.groupBy(named, ({ name }) => name);
  const shared = [...owners].filter(([, alike]) => alike.length > 1).sort(([a], [b]) => (a < b ? -1 : 1));
  if (shared.length === 0) return named;
  const list = shared.map(([name, alike]) => {
    const servers = alike.map(({ tool }) => tool.id.server ?? "a hand-written tool").sort();
    return `'${name}' (${servers.join(", ")})`;
  });
  throw new PlaneError(
    "CONFIG_INVALID",
    `${title(alias)} has several tools of the same name: ${list.join("; ")}. Leave all but one out with ${keyOf(alias, "allow_tools")}, or make a toolset for each server.`,
    { data: { toolset: alias, duplicates: shared.map(([name]) => name) } },
  );
}

export type KnownServers = {
  names(): readonly string[];
  /** Why a server has nothing to offer, if it has not. */
  trouble(server: string): string | null;
};

/** What a toolset has for one caller. */
type Selected = { tools: readonly Tool[]; maySee(server: string): boolean };

/** The servers of a toolset that have nothing in it because they are away, as far as the caller may know of them. */
export function missingServers(
  { providers }: ToolsetDefinition,
  { tools, maySee }: Selected,
  servers: KnownServers,
): MissingServer[] {
  return providers.flatMap((server) => {
    if (!maySee(server) || tools.some(({ id }) => id.server === server)) return [];
    const reason = servers.trouble(server);
    return reason === null ? [] : [{ server, reason }];
  });
}

/** Names that are allowed and not there. */
export function missingNames({ allow_tools }: ToolsetDefinition, tools: readonly Tool[]): string[] {
  const isThere = new Set(tools.map(({ id }) => id.tool));
  return (allow_tools ?? []).filter((name) => !/[*?]/.test(name) && !isThere.has(name));
}

/** What a toolset asks for and nobody has. While one of its servers is away nobody can tell. */
export function checkSelection(
  alias: string | null,
  definition: ToolsetDefinition,
  selected: Selected,
  servers: KnownServers,
): void {
  const { providers } = definition;
  requireServers(alias, providers, servers);
  const { tools, maySee } = selected;
  const data = { toolset: alias };
  if (tools.length === 0 && providers.length > 0 && !providers.some(maySee))
    throw new PlaneError(
      "FORBIDDEN",
      `${title(alias)} has nothing for you: you may use none of its servers. Ask whoever runs this plane, or use another toolset.`,
      { data },
    );
  const names = missingNames(definition, tools);
  if (names.length === 0) return;
  const list = names.map((name) => `'${name}'`).join(", ");
  const away = missingServers(definition, selected, servers);
  if (away.length > 0 && tools.length > 0) return;
  if (away.length > 0)
    throw new PlaneError(
      "SERVER_UNAVAILABLE",
      `${title(alias)} has no tools now, not even ${list}. ${away.map(({ reason }) => reason).join(" ")}`,
      { data: { ...data, missing: away } },
    );
  throw new PlaneError(
    "CONFIG_INVALID",
    providers.length === 0
      ? `${title(alias)} allows ${list} and names no server. Name its servers in ${keyOf(alias, "providers")}.`
      : `${title(alias)} allows tools that none of its servers has: ${list}. Correct ${keyOf(alias, "allow_tools")}.`,
    { data },
  );
}

function requireServers(alias: string | null, providers: readonly string[], servers: KnownServers): void {
  for (const server of providers) {
    if (servers.names().includes(server)) continue;
    const near = nearest(server, servers.names(), 1).map((close) => ` Did you mean '${close}'?`);
    throw new PlaneError(
      "CONFIG_INVALID",
      `${title(alias)} names the server '${server}', which is not configured.${near.join("")} Correct ${keyOf(alias, "providers")}.`,
      { data: { toolset: alias } },
    );
  }
}

/** One that is written in code has no name and no place in a file. */
function title(alias: string | null): string {
  return alias === null ? "The toolset" : `Toolset '${alias}'`;
}

function keyOf(alias: string | null, key: keyof ToolsetDefinition): string {
  return alias === null ? `'${key}'` : `'toolsets.${alias}.${key}'`;
}
