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
import type { LockedTool, ToolListing } from "../model/plane-tools.ts";
import { type Face, type Principal, requireScope } from "../model/principal.ts";
import type { Verbs } from "../model/verbs.ts";
import { missingCredentials, sharedTrouble } from "./health/availability.ts";
import type { Health } from "./health/health.ts";
import { createPersonaFilter, seenThrough } from "./persona-filter.ts";
import { queryTools } from "./query-tools.ts";
import type { Registry } from "./registry.ts";

type Known = {
  health: Pick<Health, "summary" | "last" | "recent">;
  routerState(key: string, provider: string): ProviderState;
};

const never = Object.freeze([]);

/** How a tool did, told to `viewer`: beside what is so for all a single persona is told its own part. */
function describeHealth(
  tool: Tool,
  { health, routerState }: Known,
  {
    viewer,
    withProviders,
    shown = tool.providers,
  }: { viewer: string | null; withProviders: boolean; shown?: readonly ProviderSpec[] },
): ToolHealth {
  const key = healthKey(tool);
  const all = toolSubject(key);
  const labels = tool.providers
    .filter((spec) => shown.includes(spec))
    .map((spec) => providerLabel(spec, tool.providers));
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
  // What belongs to a persona is used by nobody else.
  const own = tool.persona === null && viewer !== null ? personaSubject(key, viewer) : all;
  return {
    ...health.summary(all),
    providers: withProviders ? Object.fromEntries(labels.map((label) => [label, ofProvider(label)])) : {},
    last_invocation: last && { ...last, selected: labels.find(answered) ?? null },
    recent: last === null ? never : health.recent(all),
    ...(viewer === null ? {} : { persona: { name: viewer, ...health.summary(own) } }),
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

type DescribedParts = {
  health(): Promise<Pick<Health, "summary" | "last" | "recent">>;
  /** `key` is what `healthKey` says of the tool. */
  routerState(key: string, provider: string): ProviderState;
  providerTrouble(provider: ProviderSpec): string | null;
  /** Without what only its execution needs to know. */
  showProvider(provider: ProviderSpec): ProviderSpec;
  environment: Environment;
  /** Those whose tools could not be listed again. */
  staleServers?(): ReadonlySet<string>;
  /** What is to be said against a tool's definition. */
  review?(tool: Tool): ToolReview | null;
  grants: Grants;
};

type Wanted = { viewer?: string | null; withProviders?: boolean };

/** Tools with how well they do, what they lack and what is said against them, as this caller may know it. */
function createToolDescriptions(parts: DescribedParts) {
  const { environment, grants } = parts;
  return async (
    tools: readonly Tool[],
    principal: Principal,
    { viewer = principal.persona, withProviders = true }: Wanted,
  ): Promise<ToolListing[]> => {
    const facts = { health: await parts.health(), routerState: parts.routerState };
    const stale = parts.staleServers?.();
    return tools.map((tool) => {
      // Where a tool leads that its caller may not go is not told.
      const providers = tool.providers.filter((spec) => {
        const refused = grants.refuseProvider(principal, spec);
        return refused === null || (refused.why === "persona" && principal.persona === null);
      });
      return {
        ...tool,
        providers: providers.map(parts.showProvider),
        health: describeHealth(tool, facts, { viewer, withProviders, shown: providers }),
        credentials: credentialsOf(tool, environment),
        unavailable: missingCredentials(tool, environment) ?? sharedTrouble(providers.map(parts.providerTrouble)),
        ...(tool.id.server !== null && stale?.has(tool.id.server) ? { stale: true } : {}),
        ...withReview(parts.review?.(tool) ?? null),
      };
    });
  };
}

function withReview(review: ToolReview | null): Pick<ToolListing, "review"> {
  const isQuiet = review?.held === null && review.change === null && review.findings.length === 0;
  return review === null || isQuiet ? {} : { review };
}

/** The variables a tool names, and whether they are set; never what they hold. */
function credentialsOf({ metadata }: Tool, environment: Environment): ToolListing["credentials"] {
  const named = Object.entries(metadata.auth.envs ?? {});
  return Object.fromEntries(
    named.map(([name, { required }]) => [
      name,
      { required: required === true, configured: Boolean(environment[name]) },
    ]),
  );
}

/** In how many ways one caller looks at the catalogue at a time. */
const minWays = 20;

type Seen = { of: readonly Tool[]; by: object; visible: readonly Tool[] };

/** Of those who ask again and again, what they were shown last, as long as nothing has changed. */
function createSeenTools() {
  const known = new WeakMap<Principal, Lru<Seen>>();
  return (
    principal: Principal,
    request: object | undefined,
    of: readonly Tool[],
    by: object,
    look: () => readonly Tool[],
  ): readonly Tool[] => {
    const ways = known.get(principal) ?? createLru<Seen>(minWays);
    known.set(principal, ways);
    const key = request === undefined ? "{}" : JSON.stringify(request);
    const before = ways.get(key);
    if (before?.of === of && before.by === by) return before.visible;
    const visible = look();
    ways.set(key, { of, by, visible });
    return visible;
  };
}

type Parts = DescribedParts & {
  registry: Pick<Registry, "snapshot" | "all">;
  /** Makes one server, or all of them, list their tools. */
  discover(server: string | null, principal: Principal, patience: { waitMs?: number }): Promise<void>;
  /** Once it is done `review` knows about all that is listed. */
  loaded?(): Promise<void>;
  /** What models may read of a list. */
  withoutHeld?(tools: readonly Tool[]): readonly Tool[];
  /** Does the mode that is in force leave it in the list? */
  isOffered(tool: Tool): boolean;
  /** What grants depend on; another object when it is different. */
  config(): object;
};

export type Catalogue = Pick<Verbs, "tools" | "queryTools"> & {
  visibleTo(principal: Principal, request?: AccessRequest): readonly Tool[];
  /** What somebody sees of those personas, or of his own, as far as it is known already. */
  lookAt(principal: Principal, personas: readonly string[], request?: AccessRequest): readonly Tool[];
  listing(tool: Tool, principal: Principal): Promise<ToolListing>;
  /** The tools of a server, or all, without what only people want to know about each. */
  meant(server: string | null, caller: Caller & { waitMs?: number }): Promise<readonly Tool[]>;
  /** Without the health of each provider. */
  listings(tools: readonly Tool[], principal: Principal): Promise<ToolListing[]>;
  /** What a model of ours may be told of, without what only people want to know: it is asked in every turn. */
  forModel(principal: Principal, request: AccessRequest, patience: { waitMs: number }): Promise<readonly Tool[]>;
};

/** What there is, for whom, and how well it does. */
export function createCatalogue(parts: Parts, defaultPrincipal: Principal): Catalogue {
  const { registry, grants } = parts;
  const mayUse = (principal: Principal, tool: Tool, request?: AccessRequest) =>
    parts.isOffered(tool) && !("refused" in grants.grantFor(principal, tool, request));
  const known = createSeenTools();
  const visibleTo = (principal: Principal, request?: AccessRequest): readonly Tool[] => {
    const { tools } = registry.snapshot(principal.persona);
    return known(principal, request, tools, parts.config(), () =>
      tools.filter((tool) => mayUse(principal, tool, request)),
    );
  };
  /** Somebody who is no persona may look at what any of them has; calling it is another matter. */
  const lookAt = (principal: Principal, personas: readonly string[], request?: AccessRequest) => {
    if (principal.persona !== null || personas.length === 0) return visibleTo(principal, request);
    const tools = registry.all();
    return known(principal, { ...request, personas }, tools, parts.config(), () => {
      const as = new Map<string | null, Principal>();
      return seenThrough(createPersonaFilter(personas), tools, (persona, tool) => {
        const viewer = as.get(persona) ?? { ...principal, persona };
        as.set(persona, viewer);
        return mayUse(viewer, tool, request);
      });
    });
  };

  const forPeople = new WeakMap<readonly Tool[], readonly Tool[]>();
  /** Tools of our own are for models. Anybody may call them by name, and nobody else looks for them in a list. */
  const forFace = (tools: readonly Tool[], face: Face | undefined): readonly Tool[] => {
    // A definition that may be poisoned is for people to read and not for models.
    if (face === "mcp" || face === "agent") return parts.withoutHeld?.(tools) ?? tools;
    const known = forPeople.get(tools) ?? tools.filter(({ source }) => source !== "builtin");
    forPeople.set(tools, known);
    return known;
  };

  const describe = createToolDescriptions(parts);
  const catalogue: Catalogue = {
    visibleTo,
    lookAt,
    async listing(tool, principal) {
      await parts.loaded?.();
      return (await describe([tool], principal, {}))[0] as ToolListing;
    },
    async meant(server, { principal = defaultPrincipal, face, waitMs }) {
      requireScope(principal, "read", "look at tools");
      await parts.discover(server, principal, waitMs === undefined ? {} : { waitMs });
      await parts.loaded?.();
      const shown = forFace(visibleTo(principal, {}), face);
      return server === null ? shown : shown.filter(({ id }) => id.server === server);
    },
    async listings(tools, principal) {
      await parts.loaded?.();
      return describe(tools, principal, { withProviders: false });
    },
    async forModel(principal, request, patience) {
      requireScope(principal, "read", "look at tools");
      requireGroups(principal, request, grants);
      await parts.discover(null, principal, patience);
      await parts.loaded?.();
      return forFace(visibleTo(principal, request), "agent");
    },
    tools: async ({ server = null, ...caller } = {}) => (await catalogue.queryTools({ server }, caller)).tools,
    async queryTools(asked, { principal = defaultPrincipal, face, waitMs } = {}) {
      requireScope(principal, "read", "look at tools");
      const query: ToolQuery = { ...everyTool, ...asked };
      const request = requestOf(query);
      requireGroups(principal, request, grants);
      await parts.discover(query.server, principal, waitMs === undefined ? {} : { waitMs });
      await parts.loaded?.();
      const { summary } = await parts.health();
      const shown = forFace(lookAt(principal, query.personas, request), face);
      const page = queryTools(shown, query, (tool) => summary(toolSubject(healthKey(tool))));
      const viewer = principal.persona ?? createPersonaFilter(query.personas).only;
      const withProviders = query.includeProviderHealth;
      const locked = query.cursor === null && grants.hasLocks() ? lockedTools() : [];
      return {
        ...page,
        tools: await describe(page.tools, principal, { viewer, withProviders }),
        ...(locked.length === 0 ? {} : { locked }),
      };

      function lockedTools(): LockedTool[] {
        const { tools: all } = registry.snapshot(principal.persona);
        const refused = all.filter((tool) => lockOf(principal, tool, grants) !== null);
        const meant = queryTools(refused, { ...query, limit: null }, () => neverCalled).tools;
        return meant.flatMap((tool) => lockOf(principal, tool, grants) ?? []);
      }
    },
  };
  return catalogue;
}

const neverCalled = { total: 0, success_rate: 0 };

/** All that somebody is told of a tool whose server is not for them and may be told of. */
function lockOf(principal: Principal, tool: Tool, { grantFor }: Grants): LockedTool | null {
  const grant = grantFor(principal, tool);
  if (!("refused" in grant) || !grant.locked) return null;
  return { name: tool.name, description: tool.description, contact: grant.locked, locked: true };
}

function requestOf({ groups, state }: ToolQuery): AccessRequest {
  return {
    ...(groups === null ? {} : { toolGroups: groups }),
    ...(state === null ? {} : { state }),
  };
}

function requireGroups(principal: Principal, request: AccessRequest, { refuseGroups }: Grants): void {
  const refused = refuseGroups(principal, request);
  if (refused === null) return;
  const who = principal.user ?? "An anonymous caller";
  throw new PlaneError("FORBIDDEN", `${who} may not look at these tools: ${refused}.`);
}
