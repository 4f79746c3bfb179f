import { askForApproval } from "./approvals/approvals.ts";
import { processEnvironment } from "./config/environment.ts";
import { keepGood } from "./config/keep-good.ts";
import { type ConfigSource, loadConfig, requireSafe } from "./config/load-config.ts";
import { resolveSecrets } from "./config/secrets/resolve-secrets.ts";
import { revealConfig } from "./config/secrets/reveal-config.ts";
import { watchFiles } from "./config/watch-files.ts";
import { once } from "./lib/once.ts";
import type { Outcome, Requested } from "./model/call.ts";
import { toPlaneError } from "./model/errors.ts";
import type { Json } from "./model/json.ts";
import type { Plane } from "./model/plane.ts";
import { nobody, type Principal } from "./model/principal.ts";
import type { ServerDefinition } from "./model/server.ts";
import type { ProviderSpec, ToolId } from "./model/tool.ts";
import { mayBelongTo } from "./model/tool-name.ts";
import { requireGrant } from "./pipeline/authorize.ts";
import { createCallTool } from "./pipeline/call-tool.ts";
import { readProgress } from "./pipeline/read-progress.ts";
import { createRecorder } from "./pipeline/record.ts";
import { requestCall } from "./pipeline/request.ts";
import { createAnswers, type Sampling } from "./plane-answers.ts";
import { createCatalogue } from "./plane-catalogue.ts";
import { createHandWritten } from "./plane-hand-written.ts";
import { createMemory } from "./plane-memory.ts";
import { createServerVerbs, identifyServer, withRoots } from "./plane-servers.ts";
import { accessOf, createTokenVerbs } from "./plane-tokens.ts";
import { decide } from "./policy/decide.ts";
import { grantFor } from "./policy/grant.ts";
import { createFunctionProvider } from "./providers/function.ts";
import { createHttpProvider } from "./providers/http.ts";
import { createMcpProvider } from "./providers/mcp.ts";
import { findTool } from "./registry/find-tool.ts";
import { renderInventory } from "./registry/inventory.ts";
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
  const describeServer = (server: string) => config.servers[server]?.description ?? "";
  const injectables: Record<string, (call: Requested) => Json | undefined | Promise<Json>> = {
    username: ({ principal }) => principal.user ?? undefined,
    _mcp_data: async ({ principal }) => {
      await servers.discover();
      return renderInventory(catalogue.visibleTo(principal), describeServer);
    },
  };
  const routing = createRouting();
  const providers = new Map([
    ["mcp", createMcpProvider(servers.request)],
    ["http", createHttpProvider((spec) => revealConfig(spec, environment))],
    ["function", createFunctionProvider(handWritten.run)],
  ]);
  const providerTrouble = (spec: ProviderSpec) => {
    const { name, config: where } = spec;
    if (!providers.has(name)) return `no provider of kind '${name}' is known`;
    const isConfigured = name !== "mcp" || servers.names().includes(String(where.server));
    return isConfigured ? handWritten.trouble(spec) : `server '${where.server}' is not configured`;
  };

  const catalogue = createCatalogue(
    {
      registry,
      discover(server, principal, patience) {
        const how = { ...patience, owner: ownerOf(principal) };
        return server === null ? servers.discover(undefined, how) : servers.discoverOne(server, how);
      },
      health: memory.health,
      routerState: routing.state,
      providerTrouble,
      showProvider: handWritten.show,
      environment,
    },
    everybody,
  );

  // A turn later the tool's server is starting, and what the later stages need is loaded meanwhile.
  const warmUp = once(async () => {
    await new Promise(setImmediate);
    await Promise.all([memory.open(), schemaCheck(), import("node:crypto")]);
  });
  const callTool = createCallTool({
    async findTool(asked, principal) {
      if (typeof asked === "string") servers.warm(servers.names().filter((name) => mayBelongTo(name, asked)));
      const [tool] = await Promise.all([find(asked, principal), warmUp()]);
      return tool;
    },
    grantFor,
    checkArguments: async (schema, args) => (await schemaCheck()).checkSchema(schema, args),
    valueFor: (parameter, call) => injectables[parameter]?.(call),
    decide: (call) => decide(call, config.policy),
    ask: (call, verdict) => askForApproval(call, verdict, { store: memory.addApproval, emit }),
    routing: {
      environment,
      unavailable: providerTrouble,
      resting: routing.resting,
      serverLimitMs: (server) => config.servers[server]?.timeoutMs,
    },
    execution: {
      provider: (name) => providers.get(name),
      checkOutput: async (schema, result) => (await schemaCheck()).checkOutput(schema, result),
      answer: answers.answer,
      routing: {
        failed: routing.failed,
        worked: routing.worked,
        async check(tool, provider, spec, signal) {
          if (spec.name !== "mcp" || !routing.takeCheck(tool, provider, spec)) return null;
          const checked = servers.check(String(spec.config.server), signal);
          return checked.then(
            () => null,
            (thrown) => toPlaneError(thrown).message,
          );
        },
      },
      onRetry: ({ id, tool }, retry) => emit({ type: "tool.retry", callId: id, tool: tool.name, ...retry }),
      onProgress: ({ id, tool }, progress) =>
        emit({ type: "tool.progress", callId: id, tool: tool.name, ...readProgress(progress) }),
      onTask: ({ id, tool }, task) => emit({ type: "tool.task", callId: id, tool: tool.name, ...task }),
    },
    record: createRecorder({ emit, write: memory.record }),
  });

  const active = new Set<Promise<Outcome>>();
  const stopping = new AbortController();
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
    call(asked, args, callOptions = {}) {
      const { signal } = callOptions;
      const ending = signal ? AbortSignal.any([signal, stopping.signal]) : stopping.signal;
      const running = callTool(requestCall(asked, args, callOptions, everybody), ending);
      active.add(running);
      return running.finally(() => active.delete(running));
    },
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
      stopping.abort(new Error("the plane is stopping"));
      // A turn for what has to be said to servers before they go.
      await new Promise(setImmediate);
      await servers.stop();
      await Promise.allSettled(active);
      await memory.close();
    }),
    [Symbol.asyncDispose]: () => plane.stop(),
  };
  return plane;
}

const ownerOf = ({ user }: Principal) => ({ user, conversation: null });
