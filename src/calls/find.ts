import { findTool } from "../catalogue/find-tool.ts";
import { unlistedServers } from "../catalogue/catalogue.ts";
import type { Registry } from "../catalogue/registry.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Grants } from "../model/access/grants.ts";
import type { Refused } from "../model/calls/call.ts";
import type { Relay } from "../model/calls/provider.ts";
import type { Tool, ToolId } from "../model/catalogue/tool.ts";



import type { Plane } from "../model/plane.ts";
import { mayDo, type Principal, requireScope } from "../model/principal.ts";
import { type Servers, unknownServer } from "../servers/servers.ts";
import { requireGrant } from "./authorize.ts";
import { findMetaTool } from "./meta-tools.ts";

/** A name that may be anybody's is not worth waiting for the slowest. */
const waitMs = 5_000;

export type FindParts = {
  registry: Pick<Registry, "snapshot">;
  servers: Pick<Servers, "names" | "discover" | "discoverOne" | "trouble" | "requirement" | "status">;
  grants: Grants;
  catalogue(): Pick<Catalogue, "visibleTo">;
  /** What people set is in the catalogue. */
  loaded(): Promise<void>;
};

export type Find = {
  /** Makes one server, or all of them, list their tools for this caller. */
  discover(server: string | null, principal: Principal, patience: { waitMs?: number }): Promise<void>;
  /** Whoever calls a tool by its full name is told when it is not for them, and it is on record that they tried. */
  toCall(asked: string | ToolId, principal: Principal, onProgress?: Relay["onProgress"]): Promise<Tool>;
  /** Who only looks learns no more of a tool that is not for them than of one that is not there. */
  toShow(asked: string | ToolId, principal: Principal): Promise<Tool>;
};

type Looking = {
  names: readonly string[];
  shows(tool: Tool): boolean;
  onProgress?: Relay["onProgress"] | undefined;
};

export function createFind({ registry, servers, grants, catalogue, loaded }: FindParts): Find {
  const find = async (asked: string | ToolId, principal: Principal, { names, shows, onProgress }: Looking) => {
    await loaded();
    const owner = { user: principal.user, conversation: null };
    const maySee = (server: string) => grants.maySeeServer(principal, server);
    const found = await findTool(asked, {
      snapshot: () => registry.snapshot(principal.persona),
      servers: () => [...names],
      discover: (some) =>
        servers.discover(
          some?.filter((name) => names.includes(name)),
          { owner, among: names, ...(some ? {} : { waitMs }), ...(onProgress ? { onProgress } : {}) },
        ),
      trouble: (server) => (maySee(server) ? servers.trouble(server) : null),
      requirement: (server) => (maySee(server) ? servers.requirement(server) : null),
      visible: () => catalogue().visibleTo(principal),
      mayUse: (tool) => !isHidden(grants.grantFor(principal, tool)),
      shows,
    });
    const { byId } = registry.snapshot(principal.persona);
    const unlisted = unlistedServers(found, byId);
    if (unlisted.length === 0) return found;
    // One that has just failed is not waited for: the tool may have another way.
    const failing = new Set(servers.status().flatMap(({ name, error }) => (error === null ? [] : [name])));
    const askable = unlisted.filter((name) => servers.names().includes(name) && !failing.has(name));
    // What a tool of ours calls has to be known before it is known what only the system sets there.
    if (askable.length > 0) await servers.discover(askable, { owner, waitMs });
    return registry.snapshot(principal.persona).byId(found.id) ?? found;
  };
  const knownTo = (principal: Principal) =>
    servers.names().filter((name) => grants.maySeeServer(principal, name) || grants.lockedServer(principal, name));
  return {
    async discover(server, principal, patience) {
      await loaded();
      const how = { ...patience, owner: { user: principal.user, conversation: null } };
      const names = knownTo(principal);
      if (server === null) return servers.discover(undefined, { ...how, among: names });
      // What is not for the caller is asked for nothing, and is not told from what is not there.
      if (!names.includes(server) && !mayDo(principal, "admin")) throw unknownServer(server);
      return servers.discoverOne(server, how);
    },
    toCall: async (asked, principal, onProgress) =>
      findMetaTool(asked) ??
      find(asked, principal, {
        onProgress,
        names: servers.names(),
        // A bare name does not say whose tool is meant, so it means none that is not for the caller.
        shows: (tool) =>
          asked !== tool.id.tool || tool.id.server === null || !isHidden(grants.grantFor(principal, tool)),
      }),
    toShow: (asked, principal) =>
      find(asked, principal, {
        names: knownTo(principal),
        shows: (tool) => {
          const grant = grants.grantToSee(principal, tool);
          return !isHidden(grant) || isOpenSecret(principal, grant);
        },
      }),
  };
}

/** One tool in full, for whoever may know of it. */
export function createShowTool(
  find: Find,
  grants: Grants,
  catalogue: Pick<Catalogue, "listing">,
  defaultPrincipal: Principal,
): Plane["tools"]["get"] {
  return async (asked, { principal = defaultPrincipal } = {}) => {
    requireScope(principal, "read", "look at tools");
    const tool = await find.toShow(asked, principal);
    requireGrant(principal, tool, (who, what) => grants.grantToSee(who, what));
    return catalogue.listing(tool, principal);
  };
}

function isHidden(grant: ReturnType<Grants["grantFor"]>): grant is Refused {
  return "refused" in grant;
}

/** What is locked may be told of, and who is no persona may look at what any of them has. */
function isOpenSecret(principal: Principal, { locked, why }: Refused): boolean {
  return locked !== undefined || (why === "persona" && principal.persona === null);
}
