import { readResultManifest } from "../calls/calls.ts";
import type { Catalogue } from "../catalogue/tool-listing.ts";
import { withoutUndefined } from "../lib/without-undefined.ts";
import type { MissingServer } from "../model/agent-run.ts";
import type { ToolsetSelection } from "../model/agent-verbs.ts";
import type { CallOptions } from "../model/call.ts";
import type { AskHere } from "../model/held-call.ts";
import type { Plane } from "../model/plane.ts";
import { narrow, type Principal } from "../model/principal.ts";
import type { Relay } from "../model/relay.ts";
import type { Tool } from "../model/tool.ts";
import type { Servers } from "../servers/servers.ts";
import type { CallTool } from "./run-calls.ts";
import {
  checkSelection,
  type KnownServers,
  missingNames,
  missingServers,
  type NamedTool,
  nameTools,
} from "./select-tools.ts";
import type { ToolsetRef } from "./toolset-registry.ts";

/** A model is not kept waiting for the slowest server; what lists later is there in a later turn. */
const waitMs = 5_000;
const laterPatienceMs = 200;
/** Without what its toolset is made of, though, asking it is of no use; a server may be long in coming up. */
const longPatienceMs = 25_000;

type Parts = {
  plane(): Pick<Plane, "call">;
  catalogue(): Pick<Catalogue, "forModel">;
  servers(): KnownServers & Pick<Servers, "status">;
  maySeeServer(principal: Principal, server: string): boolean;
  selection(toolset: ToolsetRef): ToolsetSelection;
  mayChange(tool: Tool): boolean;
};

const readTool = readResultManifest.name;

type Asked = Pick<CallOptions, "toolGroups" | "state"> & {
  principal: Principal;
  toolset: ToolsetRef | null;
  /** Is there a result that the model has only the beginning of? Before that nobody needs to know how to read on. */
  reads?: boolean;
  /** Has it been listed for this run before? */
  isLater?: boolean;
};

type Given<T> = { [Key in keyof T]?: T[Key] | undefined };
export type AgentCallOptions = Given<CallOptions & { signal: AbortSignal; askHere: AskHere; relay: Relay }>;

export type AgentTools = {
  /** The tools that a model may be told of; of a toolset those that it selects. */
  list(asked: Asked): Promise<readonly Tool[]>;
  /** The same with the names they have for a model. */
  named(asked: Asked): Promise<NamedTool[]>;
  /** The one path, by the names of these tools. */
  call(
    named: readonly NamedTool[],
    by: { principal: Principal; toolset: ToolsetRef | null; options: AgentCallOptions },
  ): CallTool;
  mayChange(tool: Tool): boolean;
  /** The servers of a toolset that are away, of which nothing is in this listing. */
  missing(asked: Pick<Asked, "principal" | "toolset">, named: readonly NamedTool[]): MissingServer[];
};

export function createAgentTools(parts: Parts): AgentTools {
  const { plane, catalogue, servers, selection, mayChange } = parts;
  const narrowed = new WeakMap<Principal, Map<ToolsetSelection["definition"], Principal>>();
  /** Nobody starts servers that are not asked for. Kept, because what a principal sees is kept for them. */
  const within = (principal: Principal, toolset: ToolsetRef | null): Principal => {
    if (toolset === null) return principal;
    const { definition } = selection(toolset);
    const known = narrowed.get(principal) ?? new Map();
    narrowed.set(principal, known);
    const found = known.get(definition) ?? narrow(principal, { servers: definition.providers });
    known.set(definition, found);
    return found;
  };
  const listFor = async (asked: Asked, patience: number): Promise<readonly Tool[]> => {
    const { principal, toolset, toolGroups, state, reads = false } = asked;
    const request = withoutUndefined({ toolGroups, state });
    const found = await catalogue().forModel(within(principal, toolset), request, { waitMs: patience });
    const listed = found.filter(({ id }) => reads || id.server !== null || id.tool !== readTool);
    if (toolset === null) return listed;
    const { definition, has } = selection(toolset);
    const named = definition.allow_tools ?? [];
    return listed.filter((tool) =>
      tool.source === "builtin" ? tool.id.tool === readTool || named.includes(tool.id.tool) : has(tool),
    );
  };
  /** What has failed is not waited for. */
  const isOnItsWay = (server: string) =>
    servers()
      .status()
      .some(({ name, state, error }) => name === server && state === "connecting" && error === null);
  const tools: AgentTools = {
    mayChange,
    async list(asked) {
      const { principal, toolset, toolGroups, state, isLater = false } = asked;
      const listed = await listFor(asked, isLater ? laterPatienceMs : waitMs);
      if (toolset === null) return listed;
      const { definition } = selection(toolset);
      const maySee = (server: string) => parts.maySeeServer(principal, server);
      const lacks = listed.length === 0 || missingNames(definition, listed).length > 0;
      const isComing = !isLater && lacks && definition.providers.some(isOnItsWay);
      const selected = isComing ? await listFor(asked, longPatienceMs) : listed;
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
    async named(asked) {
      const listed = await tools.list(asked);
      if (asked.toolset !== null) return nameTools(aliasOf(asked.toolset), listed);
      return listed.map((tool) => ({ name: tool.modelName, tool }));
    },
    call(named, { principal: whole, toolset, options }) {
      const principal = within(whole, toolset);
      const byName = new Map(named.map(({ name, tool }) => [name, tool]));
      const seconds = toolset === null ? null : selection(toolset).definition.timeout_sec;
      return async (name, argumentsText, { signal }) =>
        plane().call(byName.get(name)?.id ?? name, argumentsText, {
          ...withoutUndefined(options),
          ...(seconds === null ? {} : { timeoutMs: seconds * 1_000 }),
          ...(signal === undefined ? {} : { signal }),
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
