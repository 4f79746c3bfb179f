import type { AgentParts, NamedTool, ToolsetRef } from "@toolplane/core/agent";
import { readResultManifest } from "@toolplane/core/calls";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { nearest } from "@toolplane/core/lib/text/nearest";
import type { ToolsetSelection } from "@toolplane/core/model/agent";
import type { MissingServer } from "@toolplane/core/model/agent/run-schema";
import type { CallOptions } from "@toolplane/core/model/calls/call";
import type { AskHere } from "@toolplane/core/model/calls/held-call";
import type { Relay } from "@toolplane/core/model/calls/provider";
import type { Tool } from "@toolplane/core/model/catalogue/tool";
import { toObjectSchema } from "@toolplane/core/model/catalogue/tool-formats";
import { pageOf } from "@toolplane/core/model/catalogue/tool-page";
import type { ToolsetDefinition } from "@toolplane/core/model/config/config";
import { PlaneError } from "@toolplane/core/model/errors";
import type { UnknownObject } from "@toolplane/core/model/json";
import type { Plane } from "@toolplane/core/model/plane";
import { narrow, type Principal } from "@toolplane/core/model/principal";
import type { CallByName, OfferedTool } from "./run-calls.ts";

/** A model is not kept waiting for the slowest server; what lists later is there in a later turn. */
const waitMs = 5_000;
const laterWaitMs = 200;
/** Without what its toolset is made of, though, asking it is of no use; a server may be long in coming up. */
const startWaitMs = 25_000;

type Parts = Pick<AgentParts, "catalogue" | "servers" | "maySeeServer" | "selection"> & {
  plane(): Pick<Plane, "call">;
  mayChange(tool: Tool): boolean;
};

const readTool = readResultManifest.name;

type ListOptions = Pick<CallOptions, "toolGroups" | "state"> & {
  principal: Principal;
  toolset: ToolsetRef | null;
  /** Was a result stored? Only then the model is offered the tool that reads on. */
  reads?: boolean;
  /** Has it been listed for this run before? */
  isLater?: boolean;
};

type Optional<T> = { [Key in keyof T]?: T[Key] | undefined };
export type AgentCallOptions = Optional<
  CallOptions & { signal: AbortSignal; askHere: AskHere; relay: Relay }
>;

export type AgentTools = {
  /** The tools that a model may see; of a toolset those that it selects. */
  list(asked: ListOptions): Promise<readonly Tool[]>;
  /** The same tools with their names for a model. */
  named(asked: ListOptions): Promise<NamedTool[]>;
  /** The one path, by the names of these tools. */
  call(
    named: readonly NamedTool[],
    by: { principal: Principal; toolset: ToolsetRef | null; options: AgentCallOptions },
  ): CallByName;
  mayChange(tool: Tool): boolean;
  /** The servers of a toolset that are unreachable, of which nothing is in this listing. */
  missing(
    asked: Pick<ListOptions, "principal" | "toolset">,
    named: readonly NamedTool[],
  ): MissingServer[];
};

export function createAgentTools(parts: Parts): AgentTools {
  const { plane, catalogue, servers, selection, mayChange } = parts;
  const narrowed = new WeakMap<Principal, Map<ToolsetSelection["definition"], Principal>>();
  /** Starts only the toolset's servers. Cached, because what a principal sees is cached by identity. */
  const narrowedTo = (principal: Principal, toolset: ToolsetRef | null): Principal => {
    if (toolset === null) return principal;
    const { definition } = selection(toolset);
    const narrowedByDefinition = narrowed.get(principal) ?? new Map();
    narrowed.set(principal, narrowedByDefinition);
    const narrowedPrincipal =
      narrowedByDefinition.get(definition) ?? narrow(principal, { servers: definition.providers });
    narrowedByDefinition.set(definition, narrowedPrincipal);
    return narrowedPrincipal;
  };
  const listFor = async (options: ListOptions, listMs: number): Promise<readonly Tool[]> => {
    const { principal, toolset, toolGroups, state, reads = false } = options;
    const filter = withoutUndefined({ toolGroups, state });
    const available = await catalogue().forModel(narrowedTo(principal, toolset), filter, {
      waitMs: listMs,
    });
    const listed = available.filter(
      ({ id }) => reads || id.server !== null || id.tool !== readTool,
    );
    if (toolset === null) return listed;
    const { definition, has } = selection(toolset);
    const allowedNames = definition.allow_tools ?? [];
    return listed.filter((tool) => {
      if (tool.source !== "builtin") return has(tool);
      return tool.id.tool === readTool || allowedNames.includes(tool.id.tool);
    });
  };
  /** What has failed is not waited for. */
  const isOnItsWay = (server: string) =>
    servers()
      .status()
      .some(
        ({ name, state, error }) => name === server && state === "connecting" && error === null,
      );
  const tools: AgentTools = {
    mayChange,
    async list(options) {
      const { principal, toolset, toolGroups, state, isLater = false } = options;
      const listed = await listFor(options, isLater ? laterWaitMs : waitMs);
      if (toolset === null) return listed;
      const { definition } = selection(toolset);
      const maySee = (server: string) => parts.maySeeServer(principal, server);
      const isIncomplete = listed.length === 0 || missingNames(definition, listed).length > 0;
      const isComing = !isLater && isIncomplete && definition.providers.some(isOnItsWay);
      const selected = isComing ? await listFor(options, startWaitMs) : listed;
      // In other groups or another state a name that is missing is no mistake.
      if (toolGroups === undefined && state === undefined)
        checkSelection(aliasOf(toolset), definition, { tools: selected, maySee }, servers());
      return selected;
    },
    missing({ principal, toolset }, named) {
      if (toolset === null) return [];
      const maySee = (server: string) => parts.maySeeServer(principal, server);
      const listed = named.map(({ tool }) => tool);
      return missingServers(selection(toolset).definition, { tools: listed, maySee }, servers());
    },
    async named(options) {
      const listed = await tools.list(options);
      if (options.toolset !== null) return nameTools(aliasOf(options.toolset), listed);
      return listed.map((tool) => ({ name: tool.modelName, tool }));
    },
    call(named, { principal: caller, toolset, options }) {
      const principal = narrowedTo(caller, toolset);
      const byName = new Map(named.map(({ name, tool }) => [name, tool]));
      const seconds = toolset === null ? null : selection(toolset).definition.timeout_sec;
      const timeoutMs = seconds === null ? undefined : seconds * 1_000;
      return async (name, argumentsText, { signal }) =>
        plane().call(byName.get(name)?.id ?? name, argumentsText, {
          ...withoutUndefined(options),
          ...withoutUndefined({ timeoutMs, signal }),
          principal,
          face: "agent",
        });
    },
  };
  return tools;
}

function aliasOf(toolset: ToolsetRef): string | null {
  return typeof toolset === "string" ? toolset : null;
}

const forModels = /^[A-Za-z0-9_-]{1,64}$/;

/** The tools of a toolset under their own names. Two of the same name cannot be distinguished by a model. */
export function nameTools<T extends Tool>(
  alias: string | null,
  tools: readonly T[],
): NamedTool<T>[] {
  const namedTools = tools.map((tool) => ({
    name: forModels.test(tool.id.tool) ? tool.id.tool : tool.modelName,
    tool,
  }));
  const owners = Map.groupBy(namedTools, ({ name }) => name);
  const shared = [...owners]
    .filter(([, sameNamed]) => sameNamed.length > 1)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  if (shared.length === 0) return namedTools;
  const list = shared.map(([name, sameNamed]) => {
    const servers = sameNamed.map(({ tool }) => tool.id.server ?? "a hand-written tool").sort();
    return `'${name}' (${servers.join(", ")})`;
  });
  const [first] = shared[0]?.[1] ?? [];
  const example = `'${first?.tool.name}'`;
  throw new PlaneError(
    "CONFIG_INVALID",
    `${title(alias)} has several tools of the same name: ${list.join("; ")}. Name the one you mean in its 'allow_tools', as ${example}, or make a toolset for each server.`,
    { data: { toolset: alias, duplicates: shared.map(([name]) => name), failedCheck: true } },
  );
}

export type KnownServers = {
  names(): readonly string[];
  /** Why a server has nothing to offer, if it has not. */
  trouble(server: string): string | null;
};

/** What a toolset has for one caller. */
type SelectedTools = { tools: readonly Tool[]; maySee(server: string): boolean };

/** The servers of a toolset that have nothing in it because they are unreachable, as far as the caller may know of them. */
export function missingServers(
  { providers }: ToolsetDefinition,
  { tools, maySee }: SelectedTools,
  servers: KnownServers,
): MissingServer[] {
  return providers.flatMap((server) => {
    if (!maySee(server) || tools.some(({ id }) => id.server === server)) return [];
    const reason = servers.trouble(server);
    if (reason === null) return [];
    return [{ server, reason }];
  });
}

/** Names that are allowed and not there. */
function missingNames({ allow_tools }: ToolsetDefinition, tools: readonly Tool[]): string[] {
  const presentNames = new Set(tools.flatMap(({ id }) => [id.tool, `${id.server}.${id.tool}`]));
  return (allow_tools ?? []).filter((name) => !/[*?]/.test(name) && !presentNames.has(name));
}

/** Throws where the toolset selects what does not exist; not while one of its servers is unavailable. */
export function checkSelection(
  alias: string | null,
  definition: ToolsetDefinition,
  selected: SelectedTools,
  servers: KnownServers,
): void {
  const { providers } = definition;
  requireServers(alias, providers, servers);
  const { tools, maySee } = selected;
  const data = { toolset: alias };
  if (tools.length === 0 && providers.length > 0 && !providers.some(maySee))
    throw new PlaneError(
      "FORBIDDEN",
      `${title(alias)} has nothing for you: you may use none of its servers. Ask the administrator of this plane, or use another toolset.`,
      { data },
    );
  const names = missingNames(definition, tools);
  if (names.length === 0) return;
  const list = names.map((name) => `'${name}'`).join(", ");
  const unreachable = missingServers(definition, selected, servers);
  if (unreachable.length > 0 && tools.length > 0) return;
  if (unreachable.length > 0)
    throw new PlaneError(
      "SERVER_UNAVAILABLE",
      `${title(alias)} has no tools now, not even ${list}. ${unreachable.map(({ reason }) => reason).join(" ")}`,
      { data: { ...data, missing: unreachable } },
    );
  const message =
    providers.length === 0
      ? `${title(alias)} allows ${list} and names no server. Name its servers in 'providers'.`
      : `${title(alias)} allows tools that none of its servers (${providers.join(", ")}) has: ${list}. Correct its 'allow_tools'.`;
  throw new PlaneError("CONFIG_INVALID", message, {
    data: { ...data, missingTools: names, providers: [...providers], failedCheck: true },
  });
}

function requireServers(
  alias: string | null,
  providers: readonly string[],
  servers: KnownServers,
): void {
  for (const server of providers) {
    if (servers.names().includes(server)) continue;
    const near = nearest(server, servers.names(), 1).map(
      (candidate) => ` Did you mean '${candidate}'?`,
    );
    throw new PlaneError(
      "CONFIG_INVALID",
      `${title(alias)} names the server '${server}', which is not configured.${near.join("")} Correct its 'providers'.`,
      { data: { toolset: alias, providers: [...providers], failedCheck: true } },
    );
  }
}

/** One that is written in code has no name and no place in a file. */
function title(alias: string | null): string {
  if (alias === null) return "The toolset";
  return `Toolset '${alias}'`;
}

export function toOffered(
  { name, tool }: NamedTool,
  mayChange: (tool: Tool) => boolean,
): OfferedTool {
  const { description, parameters } = tool;
  return {
    name,
    description,
    parameters: shownSchema(parameters),
    mayChange: mayChange(tool),
    id: tool.id,
    ...withoutUndefined({ hasPage: pageOf(tool) === null ? undefined : (true as const) }),
  };
}

/** A schema that says nothing of properties takes any, and a model would think that it takes none. */
function shownSchema(parameters: UnknownObject): UnknownObject {
  const objectSchema = toObjectSchema(parameters);
  const isSilent =
    parameters.properties === undefined && objectSchema.additionalProperties === undefined;
  if (!isSilent || Object.keys(objectSchema.properties).length > 0) return objectSchema;
  return { ...objectSchema, additionalProperties: true };
}
