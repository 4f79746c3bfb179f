import type {
  Catalogue,
  HealthFeed,
  PlaneQuality,
  Registry,
  Snapshot,
} from "../catalogue/catalogue.ts";
import { unlistedServers } from "../catalogue/catalogue.ts";
import { once } from "../lib/async/once.ts";
import { withoutUndefined } from "../lib/json/plain-data.ts";
import { createLru, type Lru } from "../lib/lru.ts";
import { nearest } from "../lib/text/nearest.ts";
import { nounFor } from "../lib/text/wording.ts";
import type { Grants } from "../model/access/grants.ts";
import type { Relay } from "../model/calls/provider.ts";
import type { Tool, ToolId } from "../model/catalogue/tool.ts";
import { mayBelongTo, toolKey } from "../model/catalogue/tool-name.ts";
import type { Config } from "../model/config/config.ts";
import { PlaneError, personHints } from "../model/errors.ts";
import type { PlaneTools } from "../model/plane-tools.ts";
import { type Inside, mayDo, type Principal, requireScope } from "../model/principal.ts";
import { ownerOfCaller, type Servers, unknownServer } from "../servers/servers.ts";
import type { Recorder } from "../store/store.ts";
import { requireGrant } from "./authorize.ts";
import { offerTool } from "./offers/offer-tools.ts";
import { findMetaTool } from "./providers/builtin.ts";

/** The wait of a bare name for the slowest server. */
const waitMs = 5_000;
/** The wait for a provider where there is another. */
const rivalWaitMs = 2_000;
/** Names remembered per caller; more where there are more tools. */
const minRemembered = 1_000;
/** Unavailable servers named in the answer to an unknown name. */
const maxTroubles = 3;

export type LookupParts = {
  config(): Config;
  registry: Pick<Registry, "snapshot">;
  servers: Pick<
    Servers,
    | "names"
    | "discover"
    | "discoverOne"
    | "revive"
    | "trouble"
    | "requirement"
    | "status"
    | "isSettled"
    | "warm"
  >;
  grants: Grants;
  catalogue(): Pick<Catalogue, "visibleTo" | "listing">;
  quality: Pick<PlaneQuality, "requireTrusted" | "standing">;
  health: Pick<HealthFeed, "recent">;
  recorder: Pick<Recorder, "open" | "requireRoom">;
  loaded(): Promise<void>;
  schemaCheck(): Promise<unknown>;
  /** The command of the operation that an extension has under this name. */
  operationCommand(name: string): string | null;
};

/** At once where it was found before and nothing has changed. */
export type FindTool = (
  reference: string | ToolId,
  principal: Principal,
  onProgress?: Relay["onProgress"],
) => Tool | Promise<Tool>;

export type Lookup = ReturnType<typeof createLookup>;

export function createLookup(parts: LookupParts) {
  const { servers, grants, catalogue, loaded } = parts;
  const find = createFinder(parts);

  function knownTo(principal: Principal) {
    return servers
      .names()
      .filter(
        (name) => grants.maySeeServer(principal, name) || grants.lockedServer(principal, name),
      );
  }

  /** A hidden tool looks like one that does not exist, and its server is not started for it. */
  function showsTo(principal: Principal) {
    return (tool: Tool) => {
      const grant = grants.grantToSee(principal, tool);
      if (!("refused" in grant)) return true;
      // Locked tools are shown; a caller without a persona may look at any persona's, and at what asks for flags of one.
      const isOfPersona = grant.why === "persona" || grant.why === "flags";
      return grant.locked !== undefined || (isOfPersona && principal.persona === null);
    };
  }

  /** What the caller's flags, tool groups and state refuse is no secret. */
  function isElsewhere(principal: Principal, tool: Tool) {
    const grant = grants.grantToSee(principal, tool);
    return "refused" in grant && !["flags", "tool groups", "state"].includes(grant.why);
  }

  async function toCall(
    ...[reference, principal, onProgress]: Parameters<FindTool>
  ): Promise<Tool> {
    if (typeof reference === "object" && reference.kind)
      return offerTool(parts, reference, principal);
    const isShown = showsTo(principal);
    // An administrator sees every server, and reads why a tool of it is refused. A bare name never means a hidden tool.
    const explains = (tool: Tool) =>
      (reference !== tool.id.tool || tool.id.server === null) &&
      ((mayDo(principal, "admin") && !principal.servers) || !isElsewhere(principal, tool));
    const shows = (tool: Tool) => isShown(tool) || explains(tool);
    return (
      findMetaTool(reference) ??
      find(reference, principal, { onProgress, names: knownTo(principal), shows })
    );
  }

  function visibleTool(reference: string | ToolId, principal: Principal): Promise<Tool> {
    return find(reference, principal, { names: knownTo(principal), shows: showsTo(principal) });
  }

  /** Flags belong to personas: who has none may look, and not call. */
  const grantToLook: typeof grants.grantToSee = (principal, shownTool, args) => {
    const grant = grants.grantToSee(principal, shownTool, args);
    const isByFlags = "refused" in grant && grant.why === "flags";
    if (isByFlags && principal.persona === null) return { by: "everyone" };
    return grant;
  };

  const tool: Inside<PlaneTools>["get"] = async (reference, { principal }) => {
    requireScope(principal, "read", "look at tools");
    const shownTool = await visibleTool(reference, principal);
    requireGrant(principal, shownTool, grantToLook);
    return catalogue().listing(shownTool, principal);
  };

  return {
    toCall,
    visibleTool,
    tool,
    ...withLookupCache(parts, toCall),
    /** Of one server, or of all. */
    async discover(
      server: string | null,
      principal: Principal,
      wait: { waitMs?: number },
    ): Promise<void> {
      await loaded();
      const discoverOptions = { ...wait, owner: ownerOfCaller(principal) };
      const names = knownTo(principal);
      if (server === null) return servers.discover(undefined, { ...discoverOptions, among: names });
      if (!names.includes(server) && !mayDo(principal, "admin")) throw unknownServer(server);
      return servers.discoverOne(server, discoverOptions);
    },
  };
}

type Looking = {
  names: readonly string[];
  shows(tool: Tool): boolean;
  onProgress?: Relay["onProgress"] | undefined;
};

function createFinder({
  config,
  registry,
  servers,
  grants,
  catalogue,
  loaded,
  operationCommand,
}: LookupParts) {
  return async (
    reference: string | ToolId,
    principal: Principal,
    { names, shows, onProgress }: Looking,
  ) => {
    await loaded();
    const owner = ownerOfCaller(principal);
    const maySee = (server: string) => grants.maySeeServer(principal, server);
    const tool = await findTool(reference, {
      snapshot: () => registry.snapshot(principal),
      servers: () => [...names],
      defaultServer: config().defaultServer,
      discover(selection, within = selection ? 0 : waitMs) {
        const discoverOptions = {
          owner,
          among: names,
          waitMs: within,
          ...withoutUndefined({ onProgress }),
        };
        return servers.discover(
          selection?.filter((name) => names.includes(name)),
          discoverOptions,
        );
      },
      revive: (selection) =>
        servers.revive(
          selection.filter((name) => names.includes(name)),
          owner,
        ),
      trouble: (server) => (maySee(server) ? servers.trouble(server, owner) : null),
      nextRetryAt: (server) =>
        servers.status().find(({ name }) => name === server)?.nextRetryAt ?? null,
      requirement: (server) => (maySee(server) ? servers.requirement(server, owner) : null),
      operationCommand: (name) => (mayDo(principal, "read") ? operationCommand(name) : null),
      visible: () => catalogue().visibleTo(principal),
      mayUse: (tool) => !("refused" in grants.grantFor(principal, tool)),
      shows,
    });
    const unlisted = unlistedServers(tool, registry.snapshot(principal).byId);
    if (unlisted.length === 0) return tool;
    // A server that has just failed is not waited for: another provider may do.
    const failing = new Set(
      servers.status().flatMap(({ name, error }) => (error === null ? [] : [name])),
    );
    const askable = unlisted.filter((name) => servers.names().includes(name) && !failing.has(name));
    // A wrapper's injected values are known only once the wrapped tool is listed. Beside another provider that is no matter.
    const isAlone = tool.providers.length < 2;
    const isListed = !isAlone && tool.providers.length > unlisted.length;
    if (askable.length > 0) {
      const listed = servers.discover(askable, { owner, waitMs: isAlone ? waitMs : rivalWaitMs });
      if (!isListed) await listed;
    }
    return registry.snapshot(principal).byId(tool.id) ?? tool;
  };
}

type CachedLookup = { tool: Tool; snapshot: Snapshot; config: Config; servers: readonly string[] };

/** Remembers finds, and loads what a first call needs while the server starts. */
function withLookupCache(
  parts: LookupParts,
  find: (...request: Parameters<FindTool>) => Promise<Tool>,
) {
  const { config, registry, servers, recorder, health, schemaCheck, quality, grants } = parts;
  const remembered = new WeakMap<Principal, Lru<CachedLookup>>();
  // Two turns are enough for the process of the tool's server to be spawned.
  const headStart = once(async () => {
    for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate);
  });
  const warmUp = once(() => Promise.all([recorder.open(), schemaCheck(), import("node:crypto")]));
  const released = new WeakMap<Tool, object>();

  /** Found out once, as long as nothing else is quarantined. */
  function trusted(tool: Tool, principal: Principal): Tool | Promise<Tool> {
    const standing = quality.standing();
    if (standing !== null && released.get(tool) === standing) return tool;
    const mayUse = !("refused" in grants.grantFor(principal, tool));
    const verified = quality.requireTrusted(tool, { mayUse });
    if (standing !== null && !(verified instanceof Promise)) released.set(tool, standing);
    return verified;
  }

  function recall(reference: string | ToolId, principal: Principal): Tool | undefined {
    const cached = remembered.get(principal)?.get(keyOf(reference));
    if (cached === undefined) return undefined;
    const isSame = cached.config === config() && cached.snapshot === registry.snapshot(principal);
    const owner = ownerOfCaller(principal);
    return isSame && servers.isSettled(cached.servers, owner) ? cached.tool : undefined;
  }

  function remember(reference: string | ToolId, principal: Principal, tool: Tool): void {
    const likely = serversOf(reference, servers.names(), config().defaultServer);
    // A tool found elsewhere than expected is looked up again.
    if (tool.id.server === null || !likely.includes(tool.id.server)) return;
    const snapshot = registry.snapshot(principal);
    // A tool may be called by several spellings of its name.
    const size = Math.max(minRemembered, 2 * snapshot.tools.length);
    const previous = remembered.get(principal);
    const names = previous && previous.capacity >= size ? previous : createLru<CachedLookup>(size);
    names.set(keyOf(reference), { tool, snapshot, config: config(), servers: likely });
    remembered.set(principal, names);
  }

  async function findAnew(
    ...[reference, principal, onProgress]: Parameters<FindTool>
  ): Promise<Tool> {
    function isLikely(name: string) {
      return (
        mayMean(name, String(reference), config().defaultServer) &&
        grants.maySeeServer(principal, name)
      );
    }

    if (typeof reference === "string") servers.warm(servers.names().filter(isLikely));
    await headStart();
    const [tool] = await Promise.all([find(reference, principal, onProgress), warmUp()]);
    if (tool.id.kind) return tool;
    // Health is read only where it decides between providers.
    if (hasRivals(tool)) await health.recent().catch(() => undefined);
    else remember(reference, principal, tool);
    return trusted(tool, principal);
  }

  const findTool: FindTool = (reference, principal, onProgress) => {
    recorder.requireRoom();
    const cached =
      typeof reference === "object" && reference.kind ? undefined : recall(reference, principal);
    if (cached) return trusted(cached, principal);
    return findAnew(reference, principal, onProgress);
  };
  return { findTool };
}

function hasRivals({ providers }: Tool): boolean {
  return new Set(providers.map(({ priority }) => priority)).size < providers.length;
}

/** By its name, alone or before that of a tool; and the default server by `mcp` before that of a tool. */
function mayMean(server: string, spelling: string, defaultServer: string | undefined): boolean {
  return (
    mayBelongTo(server, spelling) ||
    server === spelling ||
    (server === defaultServer && spelling.startsWith("mcp."))
  );
}

function serversOf(
  reference: string | ToolId,
  names: readonly string[],
  defaultServer: string | undefined,
): readonly string[] {
  if (typeof reference === "string")
    return names.filter((name) => mayMean(name, reference, defaultServer));
  return reference.server === null ? [] : [reference.server];
}

function keyOf(reference: string | ToolId): string {
  if (typeof reference === "string") return reference;
  return toolKey(reference);
}

type Discovery = {
  snapshot(): Snapshot;
  servers(): string[];
  /** Of which `mcp.TOOL` is one. */
  defaultServer?: string | undefined;
  /** No longer than `waitMs`; 0 is until they are known. */
  discover(servers?: readonly string[], waitMs?: number): Promise<void>;
  /** Opens those again that ended with an error: their lists may be old. */
  revive?(servers: readonly string[]): Promise<void>;
  trouble(server: string): string | null;
  nextRetryAt?(server: string): string | null;
  /** What a person must do before the server has tools. */
  requirement(server: string): PlaneError | null;
  operationCommand?(name: string): string | null;
  visible(): readonly Tool[];
  /** Default: among `visible`. */
  mayUse?(tool: Tool): boolean;
  /** Is a tool without access an answer all the same? */
  shows?(tool: Tool): boolean;
};

/** Meanwhile a person may have trusted a server, or put it right: those are asked again. */
async function lookFor(
  findListed: () => Tool | undefined,
  { servers, trouble, discover }: Discovery,
  only?: string,
) {
  const selection = only === undefined ? undefined : [only];
  const troubled = (selection ?? servers()).filter((server) => trouble(server) !== null);
  await discover(selection);
  const tool = findListed();
  const mended = tool ? [] : troubled.filter((server) => trouble(server) === null);
  if (mended.length > 0) await discover(mended);
  return tool ?? findListed();
}

/** Starts no more servers than the name can mean. */
export async function findTool(reference: string | ToolId, discovery: Discovery): Promise<Tool> {
  const { snapshot, servers, discover, defaultServer } = discovery;
  if (typeof reference !== "string") {
    const findListed = () => ifShown(snapshot().byId(reference), discovery);
    if (reference.server === null) return findListed() ?? refuse(spell(reference), discovery);
    const tool =
      (await lookFor(findListed, discovery, reference.server)) ??
      (await revived(findListed, discovery, [reference.server]));
    return tool ?? refuse(spell(reference), discovery);
  }
  const likely = servers().filter((server) => mayMean(server, reference, defaultServer));
  const handWritten = ifShown(snapshot().byId({ server: null, tool: reference }), discovery);
  if (handWritten && likely.length === 0) return handWritten;
  if (likely.length > 0) {
    await (handWritten ? discover(likely, rivalWaitMs) : discover(likely));
    const tool = lookUp(reference, discovery);
    // Another spelling of a foreign tool may be the name of an own one.
    if (tool && (tool.name === reference || isUsable(tool, discovery))) return tool;
  }
  const findListed = () => lookUp(reference, discovery);
  const tool =
    (await lookFor(findListed, discovery)) ?? (await revived(findListed, discovery, likely));
  return tool ?? refuse(reference, discovery);
}

/** A server that has crashed since it listed may have other tools now. */
async function revived(
  findListed: () => Tool | undefined,
  { revive }: Discovery,
  likely: readonly string[],
): Promise<Tool | undefined> {
  if (revive === undefined || likely.length === 0) return undefined;
  await revive(likely);
  return findListed();
}

function isUsable(tool: Tool, { visible, mayUse }: Discovery) {
  return mayUse?.(tool) ?? visible().includes(tool);
}

function ifShown(tool: Tool | undefined, { shows }: Discovery) {
  return tool && (shows?.(tool) ?? true) ? tool : undefined;
}

/** A tool without access is an answer only where no other has the name. */
function lookUp(spelling: string, discovery: Discovery): Tool | undefined {
  const { index, byId } = discovery.snapshot();

  function acceptedTools(accepts: (tool: Tool) => boolean) {
    const match = index.find(spelling, (id) => {
      const tool = byId(id);
      return tool !== undefined && accepts(tool);
    });
    if (match.kind === "none") return [];
    const ids = match.kind === "one" ? [match.id] : match.ids;
    return ids.flatMap((id) => byId(id) ?? []);
  }

  const [first, ...moreTools] = acceptedTools((tool) => isUsable(tool, discovery));
  const defaultTool = ofDefaultServer(spelling, discovery);
  if (defaultTool !== undefined && (first === undefined || moreTools.length > 0))
    return defaultTool;
  if (first === undefined) {
    const hidden = acceptedTools((tool) => ifShown(tool, discovery) !== undefined);
    return (hidden.length === 1 ? hidden[0] : undefined) ?? onlyTool(spelling, discovery);
  }
  if (moreTools.length === 0) return first;
  const candidates = [first, ...moreTools].map(({ name }) => name).sort();
  const text = `'${spelling}' could be ${quoted(candidates)}. Use one of these names.`;
  throw new PlaneError("TOOL_AMBIGUOUS", text, { data: { tool: spelling, candidates } });
}

/** `mcp.TOOL`, where a server is the usual one. */
function ofDefaultServer(spelling: string, discovery: Discovery): Tool | undefined {
  const { defaultServer: server, snapshot } = discovery;
  if (server === undefined || !spelling.startsWith("mcp.")) return undefined;
  const tool = snapshot().byId({ server, tool: spelling.slice("mcp.".length) });
  return tool && isUsable(tool, discovery) ? tool : undefined;
}

/** The name of a server is that of its only tool. */
function onlyTool(spelling: string, discovery: Discovery): Tool | undefined {
  if (!discovery.servers().includes(spelling)) return undefined;
  const [only, ...more] = discovery
    .snapshot()
    .tools.filter(({ id }) => id.server === spelling && id.kind === undefined);
  return only && more.length === 0 && isUsable(only, discovery) ? only : undefined;
}

function quoted(names: readonly string[]) {
  return names.map((name) => `'${name}'`).join(" or ");
}

function refuse(spelling: string, discovery: Discovery): never {
  const { visible, servers, trouble, requirement, nextRetryAt, operationCommand } = discovery;
  const command = operationCommand?.(spelling) ?? null;
  if (command !== null) throw isOperation(spelling, command);
  const troubles = servers()
    .map((server) => ({ server, why: trouble(server) }))
    .filter(({ why }) => why !== null);
  const blocked = troubles.filter(({ server }) =>
    mayMean(server, spelling, discovery.defaultServer),
  );
  for (const { server } of blocked) {
    const first = requirement(server);
    if (first) throw first;
  }
  if (blocked[0]) {
    const text = `Tool '${spelling}' cannot be looked up. ${blocked.map(({ why }) => why).join(" ")}`;
    const [{ server }] = blocked as [(typeof blocked)[0]];
    const retryAt = nextRetryAt?.(server) || undefined;
    const data = {
      tool: spelling,
      server,
      personHints: serverHints(blocked),
      ...withoutUndefined({ nextRetryAt: retryAt }),
    };
    throw new PlaneError("SERVER_UNAVAILABLE", text, { data });
  }
  const names = visible().map(({ name, modelName }) =>
    spelling.includes("__") ? modelName : name,
  );
  const nearestNames = nearest(spelling, names);
  // The name says whose tool it is, and that server was asked.
  const isOfAsked = servers().some((server) =>
    [".", "__"].some((mark) => spelling.startsWith(server + mark)),
  );
  const missing = isOfAsked ? [] : troubles;
  const unasked = missing.slice(0, maxTroubles).map(({ why }) => ` ${why}`);
  const moreCount = missing.length - unasked.length;
  if (moreCount > 0)
    unasked.push(` ${moreCount} more ${nounFor(moreCount, "is", "are")} not available.`);
  const remedy = `${hint(nearestNames, names.length)}${unasked.join("")}`;
  const personHints = [...Object.values(listHints), ...serverHints(missing)];
  throw new PlaneError("TOOL_NOT_FOUND", `No tool '${spelling}'. ${remedy}`, {
    data: { tool: spelling, nearest: nearestNames, hint: remedy, personHints },
  });
}

/** Operations are for people and programs: no model is offered one. */
function isOperation(spelling: string, command: string): PlaneError {
  const run = `Run it with '${command}', or let its extension add a tool.`;
  const text = `No tool '${spelling}'. An extension has an operation of this name, which is for people and programs. ${run}`;
  const data = { tool: spelling, nearest: [], hint: run, personHints: [run] };
  return new PlaneError("TOOL_NOT_FOUND", text, { data });
}

function hint(near: readonly string[], toolCount: number): string {
  if (near.length > 0) return `Did you mean ${quoted(near)}?`;
  if (toolCount > 0) return listHints.tools;
  return `The catalogue is empty; ${listHints.servers}`;
}

function spell({ server, tool }: ToolId): string {
  if (server === null) return tool;
  return `${server}.${tool}`;
}

const listHints = {
  tools: "'toolplane tools list' shows what there is.",
  servers: "'toolplane servers list' shows why.",
} as const;

function serverHints(troubles: readonly { server: string }[]): string[] {
  return [personHints.doctor, ...troubles.map(({ server }) => personHints.serverLogs(server))];
}
