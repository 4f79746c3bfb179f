import { withoutUndefined } from "../lib/json/plain-data.ts";
import { createLru, type Lru } from "../lib/lru.ts";
import type { Grants } from "../model/access/grants.ts";
import type { AccessRequest } from "../model/calls/call.ts";
import {
  healthKey,
  personaSubject,
  providerSubject,
  toolSubject,
} from "../model/catalogue/health.ts";
import type {
  ProviderHealth,
  ProviderState,
  ToolHealth,
} from "../model/catalogue/health-schema.ts";
import type { ToolReview } from "../model/catalogue/quality-schema.ts";
import { type ProviderSpec, providerLabel, type Tool } from "../model/catalogue/tool.ts";
import { isForModels } from "../model/catalogue/tool-page.ts";
import { type ToolQuery, unfilteredQuery } from "../model/catalogue/tool-query.ts";
import type { ToolImpact } from "../model/catalogue/tool-schema.ts";
import { PlaneError } from "../model/errors.ts";
import type { LockedTool, PlaneTools, ShownTool, ToolListing } from "../model/plane-tools.ts";
import {
  type Face,
  type Inside,
  type KnownCaller,
  type Principal,
  requireScope,
} from "../model/principal.ts";
import { defaultTimeoutMs } from "../model/servers/server.ts";
import { missingCredentials } from "./health/credentials.ts";
import type { Health } from "./health/health.ts";
import { createPersonaFilter, seenThrough } from "./persona-filter.ts";
import { queryTools } from "./query-tools.ts";
import type { Registry } from "./registry.ts";

type Environment = Readonly<Record<string, string | undefined>>;

type KnownHealth = Pick<Health, "summary" | "last" | "lastSuccess" | "recent">;

type DescriptionPorts = {
  health(): Promise<KnownHealth>;
  /** `key` is the tool's `healthKey`. */
  routerState(key: string, provider: string): ProviderState;
  providerTrouble(provider: ProviderSpec): string | null;
  /** Without what only its execution needs. */
  showProvider(provider: ProviderSpec): ProviderSpec;
  serverTimeoutMs?(server: string): number | undefined;
  environment: Environment;
  /** Servers whose tools could not be listed again, with the reason. */
  staleServers?(): ReadonlyMap<string, string>;
  review?(tool: Tool): ToolReview | null;
  impactOf(tool: Tool): ToolImpact;
  grants: Grants;
};

type ListingPorts = DescriptionPorts & {
  registry: Pick<Registry, "snapshot" | "all" | "isListedFor">;
  discover(server: string | null, principal: Principal, wait: { waitMs?: number }): Promise<void>;
  loaded?(): Promise<void>;
  /** Drops quarantined tools, which models must not read. */
  withoutHeld?(tools: readonly Tool[]): readonly Tool[];
  isOffered(tool: Tool): boolean;
  /** What grants depend on; a new object after each change. */
  config(): { readonly personas?: object };
};

type ListRequest = { server?: string | null; waitMs?: number; brief?: boolean };

export type ToolListings = ReturnType<typeof createToolListings>;

/** Which tools exist, for whom, and how well they do. */
export function createToolListings(ports: ListingPorts) {
  const { registry, grants } = ports;
  const { visibleTo, visibleAs } = createVisibility(ports);
  const personasOf = createPersonaNames();
  const forFace = createFaceFilter(ports.withoutHeld, createRunnableFilter(ports));
  const describe = createToolDescriptions(ports);
  const loaded = async () => ports.loaded?.();
  /** Refuses what the caller may not look at, and has the servers list their tools. */
  const discover = async (
    server: string | null,
    principal: Principal,
    waitMs: number | undefined,
    request?: AccessRequest,
  ) => {
    requireScope(principal, "read", "look at tools");
    if (request) requireGroups(principal, request, grants);
    await ports.discover(server, principal, withoutUndefined({ waitMs }));
    await loaded();
  };
  /** Over HTTP a caller without persona sees shared tools and those of all personas. */
  const everyPersona = (face: Face | undefined): readonly string[] =>
    face === "http" ? [...new Set([...personasOf(registry.all()), ...configuredPersonas()])] : [];
  const configuredPersonas = () => Object.keys(ports.config().personas ?? {});
  /** As the configuration spells them: flags belong to a name. */
  const asConfigured = (personas: readonly string[]) => {
    const byLowerCase = new Map(configuredPersonas().map((name) => [name.toLowerCase(), name]));
    return personas.map((name) => byLowerCase.get(name.toLowerCase()) ?? name);
  };
  const query: Inside<PlaneTools>["page"] = async (filters, { principal, face, waitMs }) => {
    const query: ToolQuery = { ...unfilteredQuery, ...filters };
    const { groups, state, personas } = query;
    const request = withoutUndefined({ toolGroups: groups ?? undefined, ...inState(state) });
    await discover(query.server, principal, waitMs, request);
    const { summary } = await ports.health();
    const requested = personas.length > 0 ? asConfigured(personas) : everyPersona(face);
    const shown = forFace(visibleAs(principal, requested, request), face);
    const facts = {
      ...ports,
      isQuarantined: (tool: Tool) => (ports.review?.(tool)?.held ?? null) !== null,
    };
    const page = queryTools(shown, query, (tool) => summary(toolSubject(healthKey(tool))), facts);
    const viewer = principal.persona ?? createPersonaFilter(personas).only;
    const tools = await describe(page.tools, principal, {
      viewer,
      withProviders: query.includeProviderHealth,
    });
    if (query.cursor !== null || !grants.hasLocks()) return { ...page, tools };
    const locked = lockedTools(registry.snapshot(principal).tools, query, principal, grants);
    if (locked.length === 0) return { ...page, tools };
    return { ...page, tools, locked };
  };

  /** What a model reads of the same tools, in the same order. */
  const shownTools = async (
    server: string | null,
    { principal, face, waitMs }: KnownCaller & ListRequest,
  ) => {
    const request = withoutUndefined(inState(unfilteredQuery.state));
    await discover(server, principal, waitMs, request);
    const shown = forFace(visibleAs(principal, everyPersona(face), request), face);
    const stale = ports.staleServers?.();
    const requested = server === null ? shown : shown.filter(({ id }) => id.server === server);
    if (!stale?.size) return requested;
    return requested.map((tool): ShownTool => ({ ...tool, ...staleOf(tool, stale) }));
  };

  return {
    visibleTo,
    visibleAs,
    async listing(tool: Tool, principal: Principal): Promise<ToolListing> {
      await loaded();
      return (await describe([tool], principal, {}))[0] as ToolListing;
    },
    /** The tools of a server, or all, without health and review. */
    async toolsOf(
      server: string | null,
      { principal, face, waitMs }: KnownCaller & { waitMs?: number },
    ) {
      await discover(server, principal, waitMs);
      const shown = forFace(visibleTo(principal, {}), face);
      if (server === null) return shown;
      return shown.filter(({ id }) => id.server === server);
    },
    /** Without the health of each provider. */
    async listings(tools: readonly Tool[], principal: Principal): Promise<ToolListing[]> {
      await loaded();
      return describe(tools, principal, { withProviders: false });
    },
    /** The tools for a model's next turn, without details. */
    async forModel(principal: Principal, request: AccessRequest, { waitMs }: { waitMs: number }) {
      await discover(null, principal, waitMs, request);
      return forFace(visibleTo(principal, request), "agent");
    },
    tools: (async ({ server = null, brief = false, ...caller }: KnownCaller & ListRequest) => {
      if (brief) return shownTools(server, caller);
      return (await query({ server }, caller)).tools;
    }) as Inside<PlaneTools>["list"],
    queryTools: query,
  };
}

function inState(
  state: ToolQuery["state"],
): Pick<AccessRequest, "anyState"> & { state?: string | undefined } {
  if (state === "*") return { anyState: true };
  return { state: state ?? undefined };
}

/** The personas that have tools of their own; found once for each state of the catalogue. */
function createPersonaNames() {
  const namesByList = new WeakMap<readonly Tool[], readonly string[]>();
  return (tools: readonly Tool[]): readonly string[] => {
    const names = namesByList.get(tools) ?? [
      ...new Set(tools.flatMap(({ persona }) => persona ?? [])),
    ];
    namesByList.set(tools, names);
    return names;
  };
}

const maxRequests = 20;

type VisibleTools = { listed: readonly Tool[]; settings: object; visible: readonly Tool[] };

/** Which tools a caller sees, remembered until the catalogue or the configuration changes. */
function createVisibility({ registry, grants, isOffered, config }: ListingPorts) {
  const requestsByPrincipal = new WeakMap<Principal, Lru<VisibleTools>>();
  const mayUse = (principal: Principal, tool: Tool, request?: AccessRequest) =>
    isOffered(tool) && !("refused" in grants.grantFor(principal, tool, request));
  const remember = (
    principal: Principal,
    request: object,
    listed: readonly Tool[],
    findVisible: () => readonly Tool[],
  ) => {
    const requests = requestsByPrincipal.get(principal) ?? createLru<VisibleTools>(maxRequests);
    requestsByPrincipal.set(principal, requests);
    const key = JSON.stringify(request);
    const settings = config();
    const previous = requests.get(key);
    if (previous?.listed === listed && previous.settings === settings) return previous.visible;
    const visible = findVisible();
    requests.set(key, { listed, settings, visible });
    return visible;
  };
  const visibleTo = (principal: Principal, request?: AccessRequest): readonly Tool[] => {
    const { tools } = registry.snapshot(principal);
    return remember(principal, request ?? {}, tools, () =>
      tools.filter((tool) => mayUse(principal, tool, request)),
    );
  };
  /** A caller without persona may look at what any of them has; calling it is another matter. */
  const visibleAs = (
    principal: Principal,
    personas: readonly string[],
    request?: AccessRequest,
  ) => {
    if (principal.persona !== null || personas.length === 0) return visibleTo(principal, request);
    const allTools = registry.all();
    return remember(principal, { ...request, personas }, allTools, () => {
      const tools = allTools.filter((tool) => registry.isListedFor(tool, principal));
      const viewers = new Map<string | null, Principal>();
      return seenThrough(createPersonaFilter(personas), tools, (persona, tool) => {
        const viewer = viewers.get(persona) ?? { ...principal, persona };
        viewers.set(persona, viewer);
        return mayUse(viewer, tool, request);
      });
    });
  };
  return { visibleTo, visibleAs };
}

/** The same list for the same tools. */
function createModelFilter() {
  const filteredLists = new WeakMap<readonly Tool[], readonly Tool[]>();
  return (tools: readonly Tool[]): readonly Tool[] => {
    const previous = filteredLists.get(tools);
    if (previous) return previous;
    const filtered = tools.every(isForModels) ? tools : tools.filter(isForModels);
    filteredLists.set(tools, filtered);
    return filtered;
  };
}

type RunnablePorts = Pick<DescriptionPorts, "environment" | "providerTrouble">;

/** Without what no call could run: each of its providers lacks a credential, or leads nowhere. The same list for the same tools. */
function createRunnableFilter({ environment, providerTrouble }: RunnablePorts) {
  const runnableLists = new WeakMap<readonly Tool[], readonly Tool[]>();
  const canRun = (tool: Tool): boolean => {
    const { id, providers, metadata } = tool;
    // A server's tool leads to its server.
    if (id.server !== null && metadata.auth.envs === undefined) return true;
    const isUsable = (spec: ProviderSpec) =>
      missingCredentials(tool, spec, environment) === null && providerTrouble(spec) === null;
    return providers.some(isUsable);
  };
  return (tools: readonly Tool[]): readonly Tool[] => {
    const runnable = tools.filter(canRun);
    if (runnable.length === tools.length) return tools;
    const previous = runnableLists.get(tools);
    const isSame =
      previous?.length === runnable.length &&
      previous.every((tool, index) => tool === runnable[index]);
    if (isSame) return previous;
    runnableLists.set(tools, runnable);
    return runnable;
  };
}

/** Models get no quarantined tools and none that cannot run; people get no built-in ones, which any caller may still call by name. */
function createFaceFilter(
  withoutHeld: ListingPorts["withoutHeld"],
  runnable: (tools: readonly Tool[]) => readonly Tool[],
) {
  const forPeople = new WeakMap<readonly Tool[], readonly Tool[]>();
  const forModels = createModelFilter();
  return (tools: readonly Tool[], face: Face | undefined): readonly Tool[] => {
    if (face === "mcp") return runnable(withoutHeld?.(tools) ?? tools);
    if (face === "agent") return forModels(runnable(withoutHeld?.(tools) ?? tools));
    const listed = forPeople.get(tools) ?? tools.filter(({ source }) => source !== "builtin");
    forPeople.set(tools, listed);
    return listed;
  };
}

/** Tools with health, missing credentials and review, as this caller may know them. */
function createToolDescriptions(ports: DescriptionPorts) {
  const { environment, grants } = ports;
  return async (
    tools: readonly Tool[],
    principal: Principal,
    {
      viewer = principal.persona,
      withProviders = true,
    }: { viewer?: string | null; withProviders?: boolean },
  ): Promise<ToolListing[]> => {
    const facts = { health: await ports.health(), routerState: ports.routerState };
    const stale = ports.staleServers?.();
    return tools.map((tool) => {
      // A provider that the caller may not use is not shown.
      const providers = tool.providers.filter((spec) => {
        const refusal = grants.refuseProvider(principal, spec);
        return refusal === null || (refusal.why === "persona" && principal.persona === null);
      });
      const troubles = providers.map(
        (spec) => missingCredentials(tool, spec, environment) ?? ports.providerTrouble(spec),
      );
      return {
        ...withTimeout(tool, ports.serverTimeoutMs),
        providers: providers.map(ports.showProvider),
        health: describeHealth(tool, facts, { viewer, withProviders, shown: providers, troubles }),
        credentials: credentialsOf(tool, environment),
        unavailable:
          tool.providers.length === 0 ? undeclared(tool, environment) : sharedTrouble(troubles),
        ...staleOf(tool, stale),
        ...withReview(ports.review?.(tool) ?? null),
        impact: ports.impactOf(tool),
      };
    });
  };
}

/** A server's tool without a limit of its own has its server's. */
function withTimeout(tool: Tool, limitOf: DescriptionPorts["serverTimeoutMs"]): Tool {
  const { id, metadata } = tool;
  if (id.server === null || metadata.default_timeout !== undefined) return tool;
  const ms = limitOf?.(id.server) ?? defaultTimeoutMs;
  // Whole seconds, where 0 is no limit at all.
  const seconds = ms === 0 ? 0 : Math.max(1, Math.floor(ms / 1000));
  return { ...tool, metadata: { ...metadata, default_timeout: seconds } };
}

const undeclaredProvider = "it declares no provider";
const undeclared = (tool: Tool, environment: Environment) =>
  missingCredentials(tool, null, environment) ?? undeclaredProvider;

function staleOf({ id: { server } }: Tool, stale: ReadonlyMap<string, string> | undefined) {
  const error = server === null ? undefined : stale?.get(server);
  if (error === undefined) return {};
  return { stale: true as const, error };
}

/** A tool is unavailable only if all of its providers are. */
function sharedTrouble(troubles: readonly (string | null)[]): string | null {
  if (troubles.length === 0) return undeclaredProvider;
  return troubles.includes(null) ? null : troubles.join("; ");
}

const noRuns = Object.freeze([]);

type HealthView = {
  viewer: string | null;
  withProviders: boolean;
  shown: readonly ProviderSpec[];
  /** Why each of those shown cannot run, or null. */
  troubles: readonly (string | null)[];
};

/** The health of a tool; a single persona also gets its own part. */
function describeHealth(
  tool: Tool,
  { health, routerState }: Pick<DescriptionPorts, "routerState"> & { health: KnownHealth },
  { viewer, withProviders, shown, troubles }: HealthView,
): ToolHealth {
  const key = healthKey(tool);
  const subject = toolSubject(key);
  const labels = shown.map((spec) => providerLabel(spec, tool.providers));
  const ofProvider = (label: string, index: number): ProviderHealth => ({
    metrics: health.summary(providerSubject(key, label)),
    router: withTrouble(routerState(key, label), troubles[index] ?? null),
    last_call: health.last(providerSubject(key, label)),
  });
  const last = health.last(subject);
  /** A failure since then does not make it forgotten. */
  const [selected] = labels
    .flatMap((label) => {
      const succeededAt = health.lastSuccess(providerSubject(key, label));
      return succeededAt === null ? [] : [{ label, succeededAt }];
    })
    .sort((a, b) => b.succeededAt.localeCompare(a.succeededAt));
  const listing: ToolHealth = {
    ...health.summary(subject),
    providers: withProviders
      ? Object.fromEntries(labels.map((label, index) => [label, ofProvider(label, index)]))
      : {},
    last_invocation: last && {
      ...last,
      selected: selected?.label ?? null,
      last_success: selected?.succeededAt ?? null,
    },
    recent: last === null ? noRuns : health.recent(subject),
  };
  if (viewer === null) return listing;
  // A persona's own tool is used by no other persona.
  const viewerSubject = tool.persona === null ? personaSubject(key, viewer) : subject;
  return { ...listing, persona: { name: viewer, ...health.summary(viewerSubject) } };
}

/** A provider that cannot run is not healthy, even if it was never tried. */
function withTrouble(state: ProviderState, trouble: string | null): ProviderState {
  if (trouble === null) return state;
  return { ...state, healthy: false, last_error: trouble };
}

function withReview(review: ToolReview | null): Pick<ToolListing, "review"> {
  if (review === null) return {};
  const { held, change, findings } = review;
  if (held !== null || change !== null || findings.length > 0) return { review };
  return {};
}

/** The environment variables that a tool names and whether they are set; never their values. */
function credentialsOf({ metadata }: Tool, environment: Environment): ToolListing["credentials"] {
  const credentials = Object.entries(metadata.auth.envs ?? {}).map(([name, { required }]) => {
    return [name, { required: required === true, configured: Boolean(environment[name]) }];
  });
  return Object.fromEntries(credentials);
}

const neverCalled = { total: 0, success_rate: 0 };

/** Tools of servers that are locked for the caller: name, description and contact only. */
function lockedTools(
  tools: readonly Tool[],
  query: ToolQuery,
  principal: Principal,
  grants: Grants,
): LockedTool[] {
  const contactOf = (tool: Tool) => {
    const grant = grants.grantFor(principal, tool);
    return "refused" in grant ? grant.locked : undefined;
  };
  const locked = tools.filter((tool) => contactOf(tool));
  return queryTools(locked, { ...query, limit: null }, () => neverCalled).tools.flatMap((tool) => {
    const contact = contactOf(tool);
    if (!contact) return [];
    return [{ name: tool.name, description: tool.description, contact, locked: true as const }];
  });
}

function requireGroups(
  principal: Principal,
  request: AccessRequest,
  { refuseGroups }: Grants,
): void {
  const refusal = refuseGroups(principal, request);
  if (refusal === null) return;
  const caller = principal.user ?? "An anonymous caller";
  throw new PlaneError("FORBIDDEN", `${caller} may not look at these tools: ${refusal}.`);
}
