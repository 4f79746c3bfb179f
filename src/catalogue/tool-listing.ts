import type { AccessRequest } from "../model/call.ts";
import { PlaneError } from "../model/errors.ts";
import type { Grants } from "../model/grants.ts";
import { healthKey, toolSubject } from "../model/health.ts";
import type { Caller, LockedTool, Plane, ToolListing } from "../model/plane.ts";
import { type Face, type Principal, requireScope } from "../model/principal.ts";
import type { Tool } from "../model/tool.ts";
import { everyTool, type ToolQuery } from "../model/tool-query.ts";
import { createToolDescriptions, type DescribedParts } from "./describe-listing.ts";
import { createPersonaFilter, seenThrough } from "./persona-filter.ts";
import { queryTools } from "./query-tools.ts";
import type { Registry } from "./registry.ts";
import { createSeenTools } from "./seen-tools.ts";

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

export type Catalogue = Pick<Plane, "tools" | "queryTools"> & {
  visibleTo(principal: Principal, request?: AccessRequest): readonly Tool[];
  /** What somebody sees of those personas, or of his own, as far as it is known already. */
  lookAt(principal: Principal, personas: readonly string[], request?: AccessRequest): readonly Tool[];
  listing(tool: Tool, principal: Principal): Promise<ToolListing>;
  /** The tools of a server, or all, without what only people want to know about each. */
  meant(server: string | null, caller: Caller & { waitMs?: number }): Promise<readonly Tool[]>;
  /** Without the health of each provider. */
  listings(tools: readonly Tool[], principal: Principal): Promise<ToolListing[]>;
  /** What a model of ours may be told of, without what only people want to know: it is asked in every turn. */
  forModel(
    principal: Principal,
    request: AccessRequest,
    patience: { waitMs: number },
  ): Promise<readonly Tool[]>;
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
    tools: async ({ server = null, ...caller } = {}) =>
      (await catalogue.queryTools({ server }, caller)).tools,
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
