import { joinNamespaces } from "../lib/lazy-verbs.ts";
import type { Grants } from "../model/access/grants.ts";
import type { Embed } from "../model/catalogue/search.ts";
import type { ProviderSpec, Tool } from "../model/catalogue/tool.ts";
import type { ToolImpact } from "../model/catalogue/tool-schema.ts";
import type { PlaneTools } from "../model/plane-tools.ts";
import type { Principal, WaitingCaller } from "../model/principal.ts";
import type { KnownServer, ServerDefinition } from "../model/servers/server.ts";
import type { ServerStatus } from "../model/servers/server-schema.ts";
import type { Session } from "../protocol/session.ts";
import type { Recorder } from "../store/store.ts";
import { type CatalogueEntriesPorts, createCatalogueEntries } from "./changes/catalogue-entries.ts";
import { createHealthFeed } from "./health/health.ts";
import { createRouting } from "./health/routing.ts";
import { createQuality, createQualityVerbs } from "./quality/quality.ts";
import { createSearchVerbs } from "./search/search-verbs.ts";
import { translateTools } from "./sources/mcp.ts";
import { createToolListings } from "./tool-listing.ts";
import { createSkillVerbs, createWorkVerbs, type WorkPorts } from "./work.ts";

export { missingCredentials } from "./health/credentials.ts";
export { type HealthFeed, providerScore } from "./health/health.ts";
export type { Routing } from "./health/routing.ts";
export { createInventory, type ListedServer } from "./inventory.ts";
export { unlistedServers } from "./overlays/overlay.ts";
export { scanDefinition } from "./quality/poisoning/scan-definition.ts";
export type { PlaneQuality } from "./quality/quality.ts";
export type { Registry, Snapshot } from "./registry.ts";
export { type HandWrittenTools, translateManifests } from "./sources/hand-written.ts";
export { rulesFor } from "./sources/injection.ts";
export { type NamelessTool, translateTools } from "./sources/mcp.ts";
export { jobsFor, visibleWork, workNotFound } from "./visible-work.ts";

type Servers = ReturnType<CatalogueEntriesPorts["servers"]> & {
  status(): readonly ServerStatus[];
  session(name: string): Session | null;
};

/** The functions that return rooms above or beside this one are called when the plane is complete. */
export type CataloguePorts = Omit<CatalogueEntriesPorts, "memory" | "maySeeServer" | "servers"> & {
  memory: CatalogueEntriesPorts["memory"] & Pick<Recorder, "newSamples" | "onSamples" | "on">;
  embed: Embed | undefined;
  /** Vectors by a configured model. */
  embedWith(model: string, texts: readonly string[]): ReturnType<Embed>;
  directoryOf(server: string): string;
  servers(): Servers;
  grants: Grants;
  isOffered(tool: Tool): boolean;
  impactOf(tool: Tool): ToolImpact;
  discover(server: string | null, principal: Principal, wait: { waitMs?: number }): Promise<void>;
  providerTrouble(spec: ProviderSpec): string | null;
  tool: PlaneTools["get"];
  listOffers(server: string | undefined, caller: WaitingCaller): Promise<void>;
  listOwner(server: string, principal: Principal): { user: string | null } | undefined;
  schedulesOf: WorkPorts["schedulesOf"];
};

export type Catalogue = ReturnType<typeof createCatalogue>;

/** Which tools exist, for whom, how well they do, and which of them fits. */
export function createCatalogue(ports: CataloguePorts) {
  const { config, memory, defaultPrincipal, directoryOf, grants } = ports;
  const { store, emit } = memory;
  const health = createHealthFeed(memory.newSamples);
  memory.onSamples(health.changed);
  const routing = createRouting();
  const entries = createCatalogueEntries({
    ...ports,
    // A server that is no longer configured is not secret.
    maySeeServer: (principal, server) =>
      config().servers[server] === undefined || grants.maySeeServer(principal, server),
  });
  const { registry, handWritten } = entries;
  const guardPorts = {
    config,
    store,
    emit,
    directoryOf,
    tools: registry.all,
    isWritten: registry.isWritten,
    ownersOf: registry.ownersOf,
    usualUser: defaultPrincipal.user,
  };
  const quality = createQuality(guardPorts);
  const listings = createToolListings(
    {
      ...ports,
      registry,
      health: health.read,
      routerState: routing.state,
      serverTimeoutMs: (server) => config().servers[server]?.timeoutMs,
      providerTrouble: (spec) => quality.heldProvider(spec) ?? ports.providerTrouble(spec),
      loaded: quality.loaded,
      review: quality.review,
      withoutHeld: quality.withoutHeld,
      staleServers: () => staleAmong(ports.servers().status()),
      showProvider: handWritten.show,
    },
    defaultPrincipal,
  );
  const { loaded, reload, manifests } = entries;
  const { snapshot } = registry;
  const work: WorkPorts = {
    manifests,
    snapshot,
    listings,
    health: health.read,
    schedulesOf: ports.schedulesOf,
    problems: () => config().problems,
  };
  const written = whenLoaded(
    { ...createSkillVerbs(work, defaultPrincipal), ...createWorkVerbs(work, defaultPrincipal) },
    loaded,
  );
  return {
    ...listings,
    registry,
    handWritten,
    health,
    routing,
    quality,
    loaded,
    reload,
    manifests,
    forServers: createServerPorts(entries, quality),
    verbs: joinNamespaces(
      entries.verbs,
      createQualityVerbs({
        ...guardPorts,
        defaultPrincipal,
        listings,
        revision: () => snapshot().revision,
        tool: ports.tool,
        guard: quality.open,
        maySeeServer: grants.maySeeServer,
        listOffers: ports.listOffers,
        listOwner: ports.listOwner,
      }),
      createSearchVerbs({ ...ports, registry, listings, quality }),
      {
        tools: { list: listings.tools, page: listings.queryTools },
        registry: { summary: written.registrySummary },
        skills: { page: written.skills, get: written.skill },
        jobs: { list: written.jobs, page: written.queryJobs },
        tasks: { list: written.tasks, page: written.queryTasks, get: written.task },
      },
    ),
    /** Changes and pins are written. */
    settled: [entries.settled, quality.settled],
  };
}

function staleAmong(servers: readonly ServerStatus[]): Map<string, string> {
  return new Map(servers.flatMap(({ name, stale, error }) => (stale ? [[name, error ?? ""] as const] : [])));
}

function createServerPorts(
  { registry, known, onKnown }: ReturnType<typeof createCatalogueEntries>,
  quality: ReturnType<typeof createQuality>,
) {
  return {
    takeTools: translateTools,
    judge: quality.judge,
    known,
    onKnown(known: KnownServer, server: string, definition: ServerDefinition): void {
      onKnown(known, server, definition);
      quality.onAsked(server);
    },
    onRemoved(server: string): void {
      quality.onRemoved(server);
      registry.removeSource(server);
    },
    onTools(
      server: string,
      definition: ServerDefinition,
      listed: unknown[],
      era: "legacy" | "modern",
      owner?: { user: string | null },
    ): void {
      quality.onListed(server, definition, listed, owner);
      registry.setSource(server, translateTools(server, definition, listed, era), owner);
    },
    onToolsGone(server: string, owner: { user: string | null }): void {
      quality.onRemoved(server, owner);
      registry.removeSource(server, owner);
    },
  };
}

function whenLoaded<T extends object>(verbs: T, loaded: () => Promise<void>): T {
  const waiting = Object.entries(verbs).map(([name, verb]) => [
    name,
    async (...args: unknown[]) => {
      await loaded();
      return (verb as (...args: unknown[]) => unknown)(...args);
    },
  ]);
  return Object.fromEntries(waiting) as T;
}
