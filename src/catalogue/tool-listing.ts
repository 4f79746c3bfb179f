import { withoutUndefined } from "../lib/json/plain-data.ts";
import { createLru, type Lru } from "../lib/lru.ts";
import type { Grants } from "../model/access/grants.ts";
import type { AccessRequest } from "../model/calls/call.ts";
import {
  healthKey,
  type ProviderHealth,
  type ProviderState,
  personaSubject,
  providerSubject,
  type ToolHealth,
  toolSubject,
} from "../model/catalogue/health.ts";
import type { ToolReview } from "../model/catalogue/quality.ts";
import { type ProviderSpec, providerLabel, type Tool } from "../model/catalogue/tool.ts";
import { everyTool, type ToolQuery } from "../model/catalogue/tool-query.ts";
import { PlaneError } from "../model/errors.ts";
import type { Caller } from "../model/plane.ts";
import type { LockedTool, PlaneTools, ToolListing } from "../model/plane-tools.ts";
import { type Face, type Principal, requireScope } from "../model/principal.ts";
import { type Health, missingCredentials } from "./health/health.ts";
import { createPersonaFilter, seenThrough } from "./persona-filter.ts";
import { queryTools } from "./query-tools.ts";
import type { Registry } from "./registry.ts";

type Environment = Readonly<Record<string, string | undefined>>;

type DescriptionPorts = {
  health(): Promise<Pick<Health, "summary" | "last" | "recent">>;
  /** `key` is the tool's `healthKey`. */
  routerState(key: string, provider: string): ProviderState;
  providerTrouble(provider: ProviderSpec): string | null;
  /** Without what only its execution needs. */
  showProvider(provider: ProviderSpec): ProviderSpec;
  environment: Environment;
  /** Servers whose tools could not be listed again. */
  staleServers?(): ReadonlySet<string>;
  review?(tool: Tool): ToolReview | null;
  grants: Grants;
};

type ListingPorts = DescriptionPorts & {
  registry: Pick<Registry, "snapshot" | "all">;
  /** Makes one server, or all of them, list their tools. */
  discover(server: string | null, principal: Principal, wait: { waitMs?: number }): Promise<void>;
  /** After it `review` knows all listed tools. */
  loaded?(): Promise<void>;
  /** Drops quarantined tools, which models must not read. */
  withoutHeld?(tools: readonly Tool[]): readonly Tool[];
  /** Does the policy mode leave the tool in the list? */
  isOffered(tool: Tool): boolean;
  /** What grants depend on; a new object after each change. */
  config(): object;
};

export type ToolListings = {
  tools: PlaneTools["list"];
  queryTools: PlaneTools["page"];
  visibleTo(principal: Principal, request?: AccessRequest): readonly Tool[];
  /** The known tools that the caller sees as these personas, or as its own. */
  visibleAs(principal: Principal, personas: readonly string[], request?: AccessRequest): readonly Tool[];
  listing(tool: Tool, principal: Principal): Promise<ToolListing>;
  /** The tools of a server, or all, without health and review. */
  toolsOf(server: string | null, caller: Caller & { waitMs?: number }): Promise<readonly Tool[]>;
  /** Without the health of each provider. */
  listings(tools: readonly Tool[], principal: Principal): Promise<ToolListing[]>;
  /** The tools for a model's next turn, without details. */
  forModel(principal: Principal, request: AccessRequest, wait: { waitMs: number }): Promise<readonly Tool[]>;
};

/** Which tools exist, for whom, and how well they do. */
export function createToolListings(ports: ListingPorts, defaultPrincipal: Principal): ToolListings {
  const { registry, grants, discover } = ports;
  const { visibleTo, visibleAs } = createVisibility(ports);
  const forFace = createFaceFilter(ports.withoutHeld);
  const describe = createToolDescriptions(ports);
  const loaded = async () => ports.loaded?.();

  const listings: ToolListings = {
    visibleTo,
    visibleAs,
    async listing(tool, principal) {
      await loaded();
      return (await describe([tool], principal, {}))[0] as ToolListing;
    },
    async toolsOf(server, { principal = defaultPrincipal, face, waitMs }) {
      requireScope(principal, "read", "look at tools");
      await discover(server, principal, withoutUndefined({ waitMs }));
      await loaded();
      const shown = forFace(visibleTo(principal, {}), face);
      return server === null ? shown : shown.filter(({ id }) => id.server === server);
    },
    async listings(tools, principal) {
      await loaded();
      return describe(tools, principal, { withProviders: false });
    },
    async forModel(principal, request, wait) {
      requireScope(principal, "read", "look at tools");
      requireGroups(principal, request, grants);
      await discover(null, principal, wait);
      await loaded();
      return forFace(visibleTo(principal, request), "agent");
    },
    tools: async ({ server = null, ...caller } = {}) => (await listings.queryTools({ server }, caller)).tools,
    async queryTools(asked, { principal = defaultPrincipal, face, waitMs } = {}) {
      requireScope(principal, "read", "look at tools");
      const query: ToolQuery = { ...everyTool, ...asked };
      const { groups, state } = query;
      const request = withoutUndefined({ toolGroups: groups ?? undefined, state: state ?? undefined });
      requireGroups(principal, request, grants);
      await discover(query.server, principal, withoutUndefined({ waitMs }));
      await loaded();
      const { summary } = await ports.health();
      const shown = forFace(visibleAs(principal, query.personas, request), face);
      const page = queryTools(shown, query, (tool) => summary(toolSubject(healthKey(tool))));
      const viewer = principal.persona ?? createPersonaFilter(query.personas).only;
      const withProviders = query.includeProviderHealth;
      const all = registry.snapshot(principal.persona).tools;
      const locked = query.cursor === null && grants.hasLocks() ? lockedTools(all, query, principal, grants) : [];
      return {
        ...page,
        tools: await describe(page.tools, principal, { viewer, withProviders }),
        ...(locked.length === 0 ? {} : { locked }),
      };
    },
  };
  return listings;
}

/** Remembered requests per caller. */
const maxRequests = 20;

type Seen = { of: readonly Tool[]; by: object; visible: readonly Tool[] };

/** Which tools a caller sees, remembered until the catalogue or the configuration changes. */
function createVisibility({ registry, grants, isOffered, config }: ListingPorts) {
  const known = new WeakMap<Principal, Lru<Seen>>();
  const mayUse = (principal: Principal, tool: Tool, request?: AccessRequest) =>
    isOffered(tool) && !("refused" in grants.grantFor(principal, tool, request));
  const remember = (
    principal: Principal,
    request: object | undefined,
    of: readonly Tool[],
    look: () => readonly Tool[],
  ): readonly Tool[] => {
    const requests = known.get(principal) ?? createLru<Seen>(maxRequests);
    known.set(principal, requests);
    const key = request === undefined ? "{}" : JSON.stringify(request);
    const by = config();
    const before = requests.get(key);
    if (before?.of === of && before.by === by) return before.visible;
    const visible = look();
    requests.set(key, { of, by, visible });
    return visible;
  };
  const visibleTo = (principal: Principal, request?: AccessRequest): readonly Tool[] => {
    const { tools } = registry.snapshot(principal.persona);
    return remember(principal, request, tools, () => tools.filter((tool) => mayUse(principal, tool, request)));
  };
  /** A caller without persona may look at what any of them has; calling it is another matter. */
  const visibleAs = (principal: Principal, personas: readonly string[], request?: AccessRequest) => {
    if (principal.persona !== null || personas.length === 0) return visibleTo(principal, request);
    const tools = registry.all();
    return remember(principal, { ...request, personas }, tools, () => {
      const as = new Map<string | null, Principal>();
      return seenThrough(createPersonaFilter(personas), tools, (persona, tool) => {
        const viewer = as.get(persona) ?? { ...principal, persona };
        as.set(persona, viewer);
        return mayUse(viewer, tool, request);
      });
    });
  };
  return { visibleTo, visibleAs };
}

/** Models get no quarantined tools; people get no built-in ones, which any caller may still call by name. */
function createFaceFilter(withoutHeld: ListingPorts["withoutHeld"]) {
  const forPeople = new WeakMap<readonly Tool[], readonly Tool[]>();
  return (tools: readonly Tool[], face: Face | undefined): readonly Tool[] => {
    if (face === "mcp" || face === "agent") return withoutHeld?.(tools) ?? tools;
    const known = forPeople.get(tools) ?? tools.filter(({ source }) => source !== "builtin");
    forPeople.set(tools, known);
    return known;
  };
}

/** Tools with health, missing credentials and review, as this caller may know them. */
function createToolDescriptions(ports: DescriptionPorts) {
  const { environment, grants } = ports;
  return async (
    tools: readonly Tool[],
    principal: Principal,
    { viewer = principal.persona, withProviders = true }: { viewer?: string | null; withProviders?: boolean },
  ): Promise<ToolListing[]> => {
    const facts = { health: await ports.health(), routerState: ports.routerState };
    const stale = ports.staleServers?.();
    return tools.map((tool) => {
      // A provider that the caller may not use is not shown.
      const providers = tool.providers.filter((spec) => {
        const refused = grants.refuseProvider(principal, spec);
        return refused === null || (refused.why === "persona" && principal.persona === null);
      });
      return {
        ...tool,
        providers: providers.map(ports.showProvider),
        health: describeHealth(tool, facts, { viewer, withProviders, shown: providers }),
        credentials: credentialsOf(tool, environment),
        unavailable: missingCredentials(tool, environment) ?? sharedTrouble(providers.map(ports.providerTrouble)),
        ...(tool.id.server !== null && stale?.has(tool.id.server) ? { stale: true } : {}),
        ...withReview(ports.review?.(tool) ?? null),
      };
    });
  };
}

/** A tool is unavailable only if all of its providers are. */
function sharedTrouble(troubles: readonly (string | null)[]): string | null {
  if (troubles.length === 0) return "it declares no provider";
  return troubles.includes(null) ? null : troubles.join("; ");
}

const noRuns = Object.freeze([]);

/** The health of a tool; a single persona also gets its own part. */
function describeHealth(
  tool: Tool,
  {
    health,
    routerState,
  }: Pick<DescriptionPorts, "routerState"> & { health: Pick<Health, "summary" | "last" | "recent"> },
  { viewer, withProviders, shown }: { viewer: string | null; withProviders: boolean; shown: readonly ProviderSpec[] },
): ToolHealth {
  const key = healthKey(tool);
  const all = toolSubject(key);
  const labels = shown.map((spec) => providerLabel(spec, tool.providers));
  const ofProvider = (label: string): ProviderHealth => ({
    metrics: health.summary(providerSubject(key, label)),
    router: routerState(key, label),
    last_call: health.last(providerSubject(key, label)),
  });
  const last = health.last(all);
  const answered = (label: string) => {
    const run = health.last(providerSubject(key, label));
    return run?.ok === true && run.at === last?.at;
  };
  // A persona's own tool is used by no other persona.
  const own = tool.persona === null && viewer !== null ? personaSubject(key, viewer) : all;
  return {
    ...health.summary(all),
    providers: withProviders ? Object.fromEntries(labels.map((label) => [label, ofProvider(label)])) : {},
    last_invocation: last && { ...last, selected: labels.find(answered) ?? null },
    recent: last === null ? noRuns : health.recent(all),
    ...(viewer === null ? {} : { persona: { name: viewer, ...health.summary(own) } }),
  };
}

function withReview(review: ToolReview | null): Pick<ToolListing, "review"> {
  const isQuiet = review?.held === null && review.change === null && review.findings.length === 0;
  return review === null || isQuiet ? {} : { review };
}

/** The environment variables that a tool names and whether they are set; never their values. */
function credentialsOf({ metadata }: Tool, environment: Environment): ToolListing["credentials"] {
  const named = Object.entries(metadata.auth.envs ?? {});
  return Object.fromEntries(
    named.map(([name, { required }]) => [
      name,
      { required: required === true, configured: Boolean(environment[name]) },
    ]),
  );
}

const neverCalled = { total: 0, success_rate: 0 };

/** Tools of servers that are locked for the caller: name, description and contact only. */
function lockedTools(all: readonly Tool[], query: ToolQuery, principal: Principal, grants: Grants): LockedTool[] {
  const contactOf = (tool: Tool) => {
    const grant = grants.grantFor(principal, tool);
    return "refused" in grant ? grant.locked : undefined;
  };
  const locked = all.filter((tool) => contactOf(tool));
  return queryTools(locked, { ...query, limit: null }, () => neverCalled).tools.flatMap((tool) => {
    const contact = contactOf(tool);
    return contact ? [{ name: tool.name, description: tool.description, contact, locked: true as const }] : [];
  });
}

function requireGroups(principal: Principal, request: AccessRequest, { refuseGroups }: Grants): void {
  const refused = refuseGroups(principal, request);
  if (refused === null) return;
  const who = principal.user ?? "An anonymous caller";
  throw new PlaneError("FORBIDDEN", `${who} may not look at these tools: ${refused}.`);
}
