import { createAnswers } from "./access/approvals/answers.ts";
import { createIdentity } from "./access/identity/identity.ts";
import { isOffered } from "./access/policy/effect.ts";
import { createGrants } from "./access/policy/grant.ts";
import { createAgent } from "./agent/agent.ts";
import { checkSchema, createCalls, createLimits, createResults } from "./calls/calls.ts";
import { createWritten } from "./catalogue/changes/written-entries.ts";
import { createHealthFeed } from "./catalogue/health/health-feed.ts";
import { createRouting } from "./catalogue/health/routing.ts";
import { createPlaneQuality } from "./catalogue/quality/quality.ts";
import { createSearchWhenNeeded } from "./catalogue/search/search-verbs.ts";
import { translateTools } from "./catalogue/sources/mcp.ts";
import { createCatalogue } from "./catalogue/tool-listing.ts";
import { createWorkVerbs } from "./catalogue/work.ts";
import { processEnvironment } from "./config/environment.ts";
import { createReload } from "./config/reload.ts";
import { createSettings } from "./config/settings.ts";
import { once } from "./lib/once.ts";
import { runAll } from "./lib/run-all.ts";
import type { Plane } from "./model/plane.ts";
import type { PlaneOptions } from "./model/plane-options.ts";
import { trusted, withListed } from "./model/principal.ts";
import type { ServerDefinition } from "./model/server.ts";
import { createCredentials } from "./servers/auth/credentials.ts";
import { accessOf, createTokenVerbs } from "./servers/auth/tokens.ts";
import { createServers } from "./servers/servers.ts";
import { createHistory, createRecorder, requireStoreAddress } from "./store/store.ts";
import { createWork } from "./work/work.ts";

export { openState } from "./state.ts";

/**
 * Makes a plane of a configuration. Servers start when they are used. Throws a `PlaneError` where nothing could be read, or
 * where a part that guards something cannot be understood.
 *
 * @example
 * await using plane = await createPlane({
 *   config: { mcpServers: { files: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."] } } },
 * });
 * const outcome = await plane.call("files.read_file", { path: "notes.txt" });
 */
export async function createPlane(options: PlaneOptions): Promise<Plane> {
  const environment = processEnvironment();
  const settings = await createSettings(options.config, environment);
  const { config, directoryOf, secretsOf, secretValues } = settings;
  const local = trusted(options.principal);
  const defaultPrincipal = withListed(local, config().users);
  const memory = createRecorder(options.dataDirectory, requireStoreAddress(options.store ?? config().store));
  const { emit } = memory;
  const health = createHealthFeed(memory.newSamples);
  memory.onSamples(health.changed);
  const identity = createIdentity({
    ...{ config, store: memory.store, emit, onNews: memory.onNews },
    defaultPrincipal: local,
    exposed: options.exposed ?? false,
  });

  const limits = createLimits(config, emit, defaultPrincipal, memory);
  const agent = createAgent({
    ...{
      config,
      defaultPrincipal,
      memory,
      profile: identity.profile,
      fileOf: settings.fileOf,
      given: options.models,
    },
    ...{ plane: () => plane, catalogue: () => catalogue, servers: () => servers },
    maySeeServer: (principal, server) => grants.maySeeServer(principal, server),
  });
  const answers = createAnswers(agent.answering(options), {
    emit,
    problems: async (schema, value) =>
      (await checkSchema(schema, value)).map(({ path, message }) => `${path} ${message}`.trim()),
  });
  const results = createResults({ config, store: memory.store, defaultPrincipal });
  const written = createWritten({
    builtin: results.builtin,
    memory,
    directory: options.dataDirectory,
    environment,
    defaultPrincipal,
    config,
    servers: () => servers,
    // What is configured no longer is as secret as it was.
    maySeeServer: (principal, server) =>
      config().servers[server] === undefined || grants.maySeeServer(principal, server),
    onEntries: () => work.changed(),
  });
  const { registry, tools: handWritten } = written;
  const credentials = createCredentials({
    ...{ store: memory.store, directory: options.dataDirectory, vaultKey: settings.vaultKey },
    clientName: "Toolplane",
    onChanged: (server, user) =>
      void servers.forgetUser(server, user, user === defaultPrincipal.user).catch(() => undefined),
  });
  const quality = createPlaneQuality({
    config,
    ...{ store: memory.store, emit, defaultPrincipal },
    directoryOf,
    tools: registry.all,
    revision: () => registry.snapshot().revision,
  });
  const servers = createServers({
    definitions: config().servers,
    broken: config().broken,
    environment,
    emit,
    isOffline: options.offline ?? false,
    isPersonal: credentials.isPersonal,
    // What servers offer is found out in the name of whoever the plane is for.
    access: (name, definition, user) => accessOf(credentials, name, definition, user ?? defaultPrincipal.user),
    capabilities: answers.capabilities,
    ownCapabilities: answers.ownCapabilities,
    taskQuietMs: options.taskQuietMs,
    resolveSecrets: secretsOf,
    secretValues,
    directoryOf,
    defaultPrincipal,
    maySee: (principal, server) => grants.maySeeServer(principal, server),
    trust: limits.trust,
    fitAnswer: answers.fit,
    takeTools: translateTools,
    known: written.known,
    ...quality.watching({
      onKnown: written.onKnown,
      onRemoved: registry.removeSource,
      onTools: (server, definition, listed, era) =>
        registry.setSource(server, translateTools(server, definition, listed, era)),
    }),
    listed: (server) => ({ ...registry.listed(server), ...limits.circuitOf(server) }),
  });
  handWritten.apply(config());
  const grants = createGrants({ config, tool: (id) => registry.snapshot().byId(id) });
  const routing = createRouting();
  const calls = await createCalls({
    config,
    environment,
    defaultPrincipal,
    profile: identity.profile,
    currentPrincipal: identity.current,
    memory,
    health,
    servers,
    catalogue: () => catalogue,
    registry,
    handWritten,
    routing,
    answers,
    limits,
    results,
    grants,
    quality,
    loaded: written.loaded,
    fileOfModel: (name) => settings.fileOf(["models", name]),
    hooks: options.hooks,
    fileOfHook: (event, at) => settings.fileOf(["hooks", event, at]),
    keepFailed: (call, record, error) => work.keepFailed(call, record, error),
  });
  const catalogue = createCatalogue(
    {
      registry,
      discover: calls.lookup.discover,
      health: health.read,
      routerState: routing.state,
      providerTrouble: (spec) => quality.heldProvider(spec) ?? calls.providerTrouble(spec),
      loaded: quality.loaded,
      review: quality.review,
      withoutHeld: quality.withoutHeld,
      staleServers: () => new Set(servers.status().flatMap(({ name, stale }) => (stale ? name : []))),
      showProvider: handWritten.show,
      environment,
      grants,
      isOffered: (tool) => isOffered(tool, config().policy),
      config,
    },
    defaultPrincipal,
  );
  const work = createWork({
    config,
    memory,
    written,
    defaultPrincipal,
    currentPrincipal: identity.current,
    modelTrouble: agent.modelTrouble,
    healthChanged: health.changed,
    run: calls.run,
    serverNames: servers.names,
    tools: registry.all,
    find: calls.lookup,
    grants,
    quality,
    checkArguments: checkSchema,
    schedules: options.schedules === true,
    plane: () => plane,
  });
  const following = createReload({
    ...{ settings, applyServers: servers.apply, emit, watch: options.watch ?? false },
    async apply(change) {
      limits.apply(change);
      handWritten.apply(config());
      await written.reload();
      work.changed();
    },
  });

  const plane: Plane = {
    config,
    reload: following.reload,
    doctor: servers.doctor,
    ...written.verbs,
    ...quality.verbs(() => ({ queryTools: plane.queryTools, tool: plane.tool, meant: catalogue.meant })),
    readiness: memory.readiness,
    start() {
      void servers.start();
      calls.start();
      work.start();
      results.start();
      memory.listen({
        ...{ entries: written.reload, pins: quality.pinsChanged },
        ...{ deadLetters: work.wake, dueWork: work.wake },
      });
    },
    ...calls.verbs,
    tools: catalogue.tools,
    queryTools: catalogue.queryTools,
    ...createSearchWhenNeeded(options, {
      ...{ config, defaultPrincipal, emit, registry, catalogue, find: calls.lookup, quality, servers, grants },
    }),
    ...written.whenLoaded(
      createWorkVerbs(
        {
          ...{ manifests: written.manifests, snapshot: registry.snapshot, catalogue },
          ...{ health: health.read, schedulesOf: work.schedulesOf },
          problems: () => config().problems,
        },
        defaultPrincipal,
      ),
    ),
    lockedServers: async ({ principal = defaultPrincipal } = {}) =>
      servers.names().flatMap((name) => grants.lockedServer(principal, name) ?? []),
    ...servers.verbs,
    ...limits.verbs,
    usualCaller: () => defaultPrincipal,
    ...identity.verbs,
    ...createTokenVerbs(credentials, defaultPrincipal, async (name) =>
      secretsOf(servers.requireName(name), config().servers[name] as ServerDefinition),
    ),
    questions: async ({ principal = defaultPrincipal } = {}) => answers.questions.waiting(principal.user),
    answer: (id, answer, { principal = defaultPrincipal } = {}) => answers.questions.answer(id, answer, principal.user),
    ...{ ...results.verbs, ...work.verbs, ...agent.verbs },
    ...createHistory({
      memory,
      defaultPrincipal,
      maySeeServer: grants.maySeeServer,
      countTools: (principal) => catalogue.visibleTo(principal).length,
      onRead: ({ user }) => answers.questions.noteListener(user),
    }),
    lastEventId: async () => (await memory.store()).lastEventId(),
    onStored: memory.onStored,
    on: memory.on,
    drain: calls.drain,
    stop: once(() =>
      runAll([
        [following.stop, results.stop],
        work.halt,
        [agent.stop, work.stopJobs],
        [work.stopDeadLetters, calls.stop],
        work.stop,
        limits.stop,
        [written.settled, quality.settled],
        memory.close,
      ]),
    ),
    [Symbol.asyncDispose]: () => plane.stop(),
  };
  return plane;
}
