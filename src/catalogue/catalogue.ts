import type { Grants } from "../model/access/grants.ts";
import type { ListOwner } from "../model/catalogue/list-owner.ts";
import type { Finding } from "../model/catalogue/quality-schema.ts";
import type { Embed } from "../model/catalogue/search.ts";
import type { FoundTool } from "../model/catalogue/search-schema.ts";
import type { ProviderSpec, Tool } from "../model/catalogue/tool.ts";
import type { ToolImpact } from "../model/catalogue/tool-schema.ts";
import type { Config } from "../model/config/config.ts";
import type { UnknownObject } from "../model/json.ts";
import type { CataloguePackages } from "../model/packages.ts";
import type { PlaneOptions } from "../model/plane-options.ts";
import type { PlaneTools } from "../model/plane-tools.ts";
import type { PlaneSkills } from "../model/plane-work.ts";
import type { Inside, Principal } from "../model/principal.ts";
import type { KnownServer, ServerDefinition } from "../model/servers/server.ts";
import type { ServerStatus } from "../model/servers/server-schema.ts";
import { ownerOfCaller, type Servers } from "../servers/servers.ts";
import type { Recorder } from "../store/store.ts";
import { type CatalogueEntriesPorts, createCatalogueEntries } from "./changes/catalogue-entries.ts";
import { createHealthFeed } from "./health/health.ts";
import { createRouting } from "./health/routing.ts";
import { createPageJudge } from "./quality/pages.ts";
import { createQuality, createQualityVerbs } from "./quality/quality.ts";
import { createSearchVerbs, type SearchPackage, type SearchPorts } from "./search.ts";
import { translateTools } from "./sources/mcp.ts";
import { createToolListings } from "./tool-listing.ts";
import { createSkillListingVerbs, createWorkVerbs, type WorkPorts } from "./work.ts";

export { appliesHere, type Configuration, ownedBy } from "./changes/entry-origin.ts";
export { missingCredentials } from "./health/credentials.ts";
export { failurePenalty, type HealthFeed } from "./health/health.ts";
export { createInventory, type ListedServer } from "./inventory.ts";
export { unlistedServers } from "./overlays/overlay.ts";
export type { PageJudge } from "./quality/pages.ts";
export type { PlaneQuality } from "./quality/quality.ts";
export type { Registry, Snapshot } from "./registry.ts";
export type { LearningSearch, SearchPackage, SearchPorts } from "./search.ts";
export { type HandWrittenTools, translateManifests } from "./sources/hand-written.ts";
export { rulesFor } from "./sources/injection.ts";
export { type NamelessTool, translateTools } from "./sources/mcp.ts";
export { jobsFor, visibleWork, workNotFound } from "./visible-work.ts";

/** What the catalogue needs of the plane. Rooms above this one are described by what they do for it. */
type CatalogueContext = {
  readonly settings: {
    config(): Config;
    directoryOf(server: string): string;
    directories: { home: string | null };
    checkTool: CatalogueEntriesPorts["checkTool"];
  };
  readonly options: Pick<PlaneOptions, "dataDirectory" | "embed">;
  readonly environment: CatalogueEntriesPorts["environment"];
  readonly packages: CataloguePackages & { search(): Promise<SearchPackage> };
  readonly defaultPrincipal: Principal;
  readonly recorder: CatalogueEntriesPorts["recorder"] &
    Pick<Recorder, "newSamples" | "onSamples" | "on" | "isInformed" | "configuration">;
  readonly servers: Servers;
  readonly access: {
    grants: Grants;
    isOffered(tool: Tool): boolean;
    impactOf(tool: Tool): ToolImpact;
  };
  readonly results: Pick<CatalogueEntriesPorts, "builtin">;
  readonly calls: {
    lookup: {
      discover(
        server: string | null,
        principal: Principal,
        wait: { waitMs?: number },
      ): Promise<void>;
      tool: Inside<PlaneTools>["get"];
    };
    providerTrouble(spec: ProviderSpec): string | null;
    /** Vectors by a configured model. */
    embedWith(model: string, texts: readonly string[]): ReturnType<Embed>;
    verbs: { skills: Pick<Inside<PlaneSkills>, "published"> };
  };
  readonly work: { schedulesOf: WorkPorts["schedulesOf"]; changed(): void };
  readonly extensions: {
    scan(entry: UnknownObject): readonly Finding[];
    embedder(): { name: string; embed: Embed } | undefined;
    rank(query: string, found: readonly FoundTool[]): Promise<readonly FoundTool[]>;
  };
};

export type Catalogue = ReturnType<typeof createCatalogue>;

/** Which tools exist, for whom, how well they do, and which of them fits. */
export function createCatalogue(context: CatalogueContext) {
  const { settings, options, environment, defaultPrincipal, recorder, access } = context;
  const { config, directoryOf } = settings;
  const { grants } = access;
  const { store, emit } = recorder;
  const servers = () => context.servers;
  const discover: CatalogueContext["calls"]["lookup"]["discover"] = (...request) =>
    context.calls.lookup.discover(...request);
  const health = createHealthFeed(recorder.newSamples);
  recorder.onSamples(health.changed);
  const routing = createRouting();
  const entries = createCatalogueEntries({
    recorder,
    directory: options.dataDirectory,
    environment,
    checkTool: settings.checkTool,
    defaultPrincipal,
    config,
    builtin: context.results.builtin,
    onEntries: () => context.work.changed(),
    servers,
    home: settings.directories.home,
    // A server that is no longer configured is not secret.
    maySeeServer: (principal, server) =>
      config().servers[server] === undefined || grants.maySeeServer(principal, server),
  });
  const { registry, handWritten } = entries;
  const guardPorts = {
    config,
    store,
    isInformed: recorder.isInformed,
    emit,
    directoryOf,
    tools: registry.all,
    isWritten: registry.isWritten,
    ownersOf: registry.ownersOf,
    usualUser: defaultPrincipal.user,
    home: settings.directories.home,
    scanAdded: (entry: UnknownObject) => context.extensions.scan(entry),
  };
  const quality = createQuality(guardPorts, context.packages);
  const listings = createToolListings({
    config,
    environment,
    registry,
    grants,
    discover,
    isOffered: access.isOffered,
    impactOf: access.impactOf,
    health: health.read,
    routerState: routing.state,
    serverTimeoutMs: (server) => config().servers[server]?.timeoutMs,
    providerTrouble: (spec) => quality.heldProvider(spec) ?? context.calls.providerTrouble(spec),
    loaded: quality.loaded,
    review: quality.review,
    withoutHeld: quality.withoutHeld,
    staleServers: () => staleAmong(context.servers.status()),
    showProvider: handWritten.show,
  });
  const { loaded, reload, manifests } = entries;
  const { snapshot } = registry;
  const work: WorkPorts = {
    manifests,
    snapshot,
    listings,
    health: health.read,
    schedulesOf: (jobs) => context.work.schedulesOf(jobs),
    problems: () => config().problems,
  };
  const workVerbs = whenLoaded(
    { ...createSkillListingVerbs(work), ...createWorkVerbs(work) },
    loaded,
  );
  const qualityVerbs = createQualityVerbs({
    ...guardPorts,
    listings,
    revision: () => snapshot().revision,
    tool: (...request) => context.calls.lookup.tool(...request),
    guard: quality.open,
    maySeeServer: grants.maySeeServer,
    async listOffers(server, caller) {
      const { principal, waitMs = defaultOfferWaitMs } = caller;
      const serverChoice = server === undefined ? {} : { servers: [server] };
      await Promise.all([
        context.servers.listOffers(server, caller),
        context.calls.verbs.skills.published({ principal, waitMs, ...serverChoice }),
      ]);
    },
    listOwner: (server, principal) => context.servers.listOwner(server, ownerOfCaller(principal)),
  });
  const searchPorts: SearchPorts = {
    config,
    embed: () => options.embed ?? context.extensions.embedder()?.embed,
    rank: (query, found) => context.extensions.rank(query, found),
    embedWith: (model, texts) => context.calls.embedWith(model, texts),
    recorder,
    registry,
    listings,
    discover,
    quality,
    servers,
    grants,
    skills: async (principal) => (await context.calls.verbs.skills.published({ principal })).skills,
  };
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
    pages: createPageJudge(quality.judge),
    forServers: createServerPorts(entries, quality),
    verbs: {
      ...createSearchVerbs(searchPorts, context.packages.search),
      stats: qualityVerbs.stats,
      pins: qualityVerbs.pins,
      clients: qualityVerbs.clients,
      tools: {
        ...entries.verbs.tools,
        ...qualityVerbs.tools,
        list: listings.tools,
        page: listings.queryTools,
      },
      registry: { ...entries.verbs.registry, summary: workVerbs.registrySummary },
      skills: { page: workVerbs.skills, get: workVerbs.skill },
      jobs: { list: workVerbs.jobs, page: workVerbs.queryJobs },
      tasks: { list: workVerbs.tasks, page: workVerbs.queryTasks, get: workVerbs.task },
    },
    /** Changes and pins are written. */
    settled: [entries.settled, quality.settled],
  };
}

/** For servers that are not there yet, before something they offer is decided about. */
const defaultOfferWaitMs = 5_000;

function staleAmong(servers: readonly ServerStatus[]): Map<string, string> {
  return new Map(
    servers.flatMap(({ name, stale, error }) => (stale ? [[name, error ?? ""] as const] : [])),
  );
}

function createServerPorts(
  { registry, known, onKnown }: ReturnType<typeof createCatalogueEntries>,
  quality: ReturnType<typeof createQuality>,
) {
  return {
    takeTools: translateTools,
    judge: quality.judge,
    known,
    onKnown(knownServer: KnownServer, server: string, definition: ServerDefinition): void {
      onKnown(knownServer, server, definition);
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
      owner?: ListOwner,
    ): void {
      quality.onListed(server, definition, listed, owner);
      registry.setSource(server, translateTools(server, definition, listed, era), owner);
    },
    onToolsGone(server: string, owner: ListOwner): void {
      quality.onRemoved(server, owner);
      registry.removeSource(server, owner);
    },
  };
}

function whenLoaded<T extends object>(verbs: T, loaded: () => Promise<void>): T {
  const waitingVerbs = Object.entries(verbs).map(([name, verb]) => [
    name,
    async (...args: unknown[]) => {
      await loaded();
      return (verb as (...args: unknown[]) => unknown)(...args);
    },
  ]);
  return Object.fromEntries(waitingVerbs) as T;
}
