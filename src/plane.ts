import { processEnvironment } from "./config/environment.ts";
import { keepGood } from "./config/keep-good.ts";
import { type ConfigSource, loadConfig, requireSafe } from "./config/load-config.ts";
import { resolveSecrets } from "./config/secrets/resolve-secrets.ts";
import { watchFiles } from "./config/watch-files.ts";
import { once } from "./lib/once.ts";
import { toPlaneError } from "./model/errors.ts";
import type { Plane } from "./model/plane.ts";
import { nobody, type Principal } from "./model/principal.ts";
import type { ServerDefinition } from "./model/server.ts";
import type { ToolId } from "./model/tool.ts";
import { requireGrant } from "./pipeline/authorize.ts";
import { createAnswers, type Sampling } from "./plane-answers.ts";
import { createCalls, createProviders } from "./plane-calls.ts";
import { createCatalogue } from "./plane-catalogue.ts";
import { createHandWritten } from "./plane-hand-written.ts";
import { createMemory } from "./plane-memory.ts";
import { createServerVerbs, identifyServer, withRoots } from "./plane-servers.ts";
import { accessOf, createTokenVerbs } from "./plane-tokens.ts";
import { grantFor } from "./policy/grant.ts";
import { findTool } from "./registry/find-tool.ts";
import { createRegistry } from "./registry/registry.ts";
import { createRouting } from "./registry/routing.ts";
import { translateTools } from "./registry/sources/mcp.ts";
import { createCredentials } from "./servers/auth/credentials.ts";
import { createServers } from "./servers/servers.ts";

export type PlaneOptions = {
  /** One or more files, or the configuration itself. */
  config: ConfigSource;
  /** Where state is kept; without it the state lives and dies with the plane. */
  dataDirectory?: string;
  /** Who calls when a call does not say. */
  principal?: Principal;
  /** Somebody answers what servers ask people: `questions` shows it, `answer` answers it. */
  answersQuestions?: boolean;
  /** Serves what servers ask of a model. */
  sampling?: Sampling;
  /** Start nothing and ask nobody: the catalogue of the last time has to do. */
  offline?: boolean;
  /** A call that runs as a background task is told to be one after this time; 10 s. */
  taskQuietMs?: number;
  /** Apply changes of the configuration files while running. */
  watch?: boolean;
};

/** Where the tools that people wrote come from; no server can have this name. */
const handWrittenSource = "";

/** Config in, wired plane out. Nothing is started before it is used. */
export async function createPlane(options: PlaneOptions): Promise<Plane> {
  const environment = processEnvironment();
  const load = async () => {
    const loaded = await loadConfig(options.config, environment);
    requireSafe(loaded.config);
    return loaded;
  };
  let { config, variables, directoryOf, sources } = await load();
  const everybody = options.principal ?? nobody;
  const memory = createMemory(options.dataDirectory);
  const { emit } = memory;

  const secretsOf = async (name: string, definition: ServerDefinition) =>
    withRoots(await resolveSecrets(definition, { directory: directoryOf(name) }), directoryOf(name));

  const schemaCheck = once(() => import("./pipeline/schema-check.ts"));
  const answers = createAnswers(options, {
    emit,
    problems: async (schema, value) =>
      (await schemaCheck())
        .checkSchema(schema, value)
        .map(({ path, message }) => `${path} ${message}`.trim()),
  });
  const registry = createRegistry((change) => emit({ type: "registry.changed", ...change }));
  const credentials = createCredentials({
    store: memory.store,
    directory: options.dataDirectory,
    clientName: "Toolplane",
    onChanged: (server, user) =>
      void servers.forgetUser(server, user, user === everybody.user).catch(() => undefined),
  });
  const servers = createServers({
    definitions: config.servers,
    broken: config.broken,
    environment,
    emit,
    isOffline: options.offline ?? false,
    isPersonal: credentials.isPersonal,
    // What servers offer is found out in the name of whoever the plane is for.
    access: (name, definition, user) => accessOf(credentials, name, definition, user ?? everybody.user),
    capabilities: answers.capabilities,
    taskQuietMs: options.taskQuietMs,
    resolveSecrets: secretsOf,
    secretValues: () => [...variables.values()],
    identify: (name, definition) => identifyServer(name, definition, directoryOf(name)),
    known: memory.knownServers,
    onKnown: memory.putKnownServer,
    onRemoved: registry.removeSource,
    onTools: (server, definition, listed, era) =>
      registry.setSource(server, translateTools(server, definition, listed, era)),
    listed: registry.listed,
  });
  const handWritten = createHandWritten({
    publish: (translation) => registry.setSource(handWrittenSource, translation),
    environment,
  });
  handWritten.apply(config);
  const find = (asked: string | ToolId, principal: Principal) =>
    findTool(asked, {
      snapshot: () => registry.snapshot(principal.persona),
      servers: servers.names,
      // A name that may be anybody's is not worth waiting for the slowest.
      discover: (names) =>
        servers.discover(names, { owner: ownerOf(principal), ...(names ? {} : { patienceMs: 5_000 }) }),
      trouble: servers.trouble,
      requirement: servers.requirement,
      visible: () => catalogue.visibleTo(principal),
    });
  const routing = createRouting();
  const providers = createProviders(servers, handWritten, environment);
  const catalogue = createCatalogue(
    {
      registry,
      discover(server, principal, patience) {
        const how = { ...patience, owner: ownerOf(principal) };
        return server === null ? servers.discover(undefined, how) : servers.discoverOne(server, how);
      },
      health: memory.health,
      routerState: routing.state,
      providerTrouble: providers.trouble,
      showProvider: handWritten.show,
      environment,
    },
    everybody,
  );

  const calls = createCalls({
    config: () => config,
    environment,
    everybody,
    memory,
    servers,
    catalogue,
    providers,
    routing,
    answers,
    schemaCheck,
    find,
  });
  const reload = async () => {
    const next = await load();
    const kept = keepGood(config, next.config);
    const change = await servers.apply({ definitions: kept.servers, broken: kept.broken });
    ({ variables, directoryOf, sources } = next);
    config = kept;
    handWritten.apply(config);
    emit({ type: "config.changed", ...change, problems: config.problems.length });
    return change;
  };
  const watching = options.watch
    ? watchFiles(
        () => sources(),
        () => {
          reload().catch((thrown) => emit({ type: "config.rejected", reason: toPlaneError(thrown).message }));
        },
      )
    : undefined;

  const plane: Plane = {
    config: () => config,
    reload,
    async doctor(server) {
      const { examineServers } = await import("./plane-doctor.ts");
      const names = server === undefined ? servers.names() : [servers.requireName(server)];
      return examineServers(names, config, { environment, secretsOf, secretValues: [...variables.values()] });
    },
    ...handWritten.verbs,
    start: () => void servers.start(),
    call: calls.call,
    tools: catalogue.tools,
    queryTools: catalogue.queryTools,
    registrySummary: catalogue.registrySummary,
    async tool(asked, { principal = everybody } = {}) {
      const tool = await find(asked, principal);
      requireGrant(principal, tool, grantFor);
      return catalogue.listing(tool);
    },
    async servers({ connect = false } = {}) {
      if (connect) await servers.probe();
      return servers.status();
    },
    ...createServerVerbs(servers, everybody),
    ...createTokenVerbs(credentials, everybody, async (name) =>
      secretsOf(servers.requireName(name), config.servers[name] as ServerDefinition),
    ),
    endConversation: (conversation, { principal = everybody } = {}) =>
      servers.release(
        (owner) => owner.conversation === conversation && owner.user === principal.user,
        "the conversation ended",
      ),
    questions: async ({ principal = everybody } = {}) => answers.questions.waiting(principal.user),
    answer: (id, answer, { principal = everybody } = {}) =>
      answers.questions.answer(id, answer, principal.user),
    calls: async (filter) => (await memory.store()).calls(filter),
    events: async (after, limit) => (await memory.store()).events(after, limit),
    lastEventId: async () => (await memory.store()).lastEventId(),
    onStored: memory.onStored,
    on: memory.on,
    stop: once(async () => {
      watching?.[Symbol.dispose]();
      await calls.stop();
      await memory.close();
    }),
    [Symbol.asyncDispose]: () => plane.stop(),
  };
  return plane;
}

const ownerOf = ({ user }: Principal) => ({ user, conversation: null });
