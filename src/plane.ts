import { createAccess, createAnswers, isOffered } from "./access/access.ts";
import { createAgent } from "./agent/agent.ts";
import { createRuns } from "./agent/trace/runs.ts";
import { createConversationVerbs } from "./calls/conversations.ts";
import { createExecution } from "./calls/execution.ts";
import { createFind, createShowTool } from "./calls/find.ts";
import { createPlaneLimits } from "./calls/limits/shared-limits.ts";
import { createProviders } from "./calls/providers/providers.ts";
import { createPlaneResults } from "./calls/results/result-verbs.ts";
import { createCatalogue } from "./catalogue/catalogue.ts";
import { processEnvironment } from "./config/environment.ts";
import { createReload } from "./config/reload.ts";
import { createSettings } from "./config/settings.ts";
import { once } from "./lib/async/once.ts";
import { runAll } from "./lib/async/once.ts";
import type { Plane } from "./model/plane.ts";
import type { PlaneOptions } from "./model/plane-options.ts";
import { trusted, withListed } from "./model/principal.ts";
import { groupVerbs } from "./model/verbs.ts";
import type { ServerDefinition } from "./model/servers/server.ts";
import { createCredentials } from "./servers/auth/credentials.ts";
import { accessOf, createTokenVerbs } from "./servers/auth/tokens.ts";
import { createServers } from "./servers/servers.ts";
import { createHistory, createRecorder, requireStoreAddress } from "./store/store.ts";
import { createDeadLettersWhenNeeded } from "./work/dead-letters/dead-letter-verbs.ts";
import { createPlaneDueWork } from "./work/jobs/due-work.ts";
import { createJobsWhenNeeded } from "./work/jobs/jobs.ts";
import { createToolPlanVerbs } from "./work/planner/planner.ts";

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
  const { identity, grants } = createAccess({
    ...{ config, store: memory.store, emit, onNews: memory.onNews },
    defaultPrincipal: local,
    exposed: options.exposed ?? false,
    tool: (id) => registry.snapshot().byId(id),
  });

  const limits = createPlaneLimits(config, emit, defaultPrincipal, memory);
  const runs = createRuns({ memory, defaultPrincipal });
  const agent = createAgent({
    ...{
      config,
      defaultPrincipal,
      emit,
      profile: identity.profile,
      fileOf: settings.fileOf,
      given: options.models,
    },
    ...{ plane: () => plane, catalogue: () => catalogue, servers: () => servers, keepRun: runs.keep },
    maySeeServer: (principal, server) => grants.maySeeServer(principal, server),
  });
  const schemaCheck = once(() => import("./calls/schema-check.ts"));
  const answers = createAnswers(agent.answering(options), {
    emit,
    problems: async (schema, value) =>
      (await schemaCheck()).checkSchema(schema, value).map(({ path, message }) => `${path} ${message}`.trim()),
  });
  const results = createPlaneResults({ config, store: memory.store, defaultPrincipal });
  const catalogue = createCatalogue({
    builtin: results.builtin,
    checkTool: settings.checkTool,
    memory,
    directory: options.dataDirectory,
    directoryOf,
    environment,
    embed: options.embed,
    defaultPrincipal,
    config,
    grants,
    servers: () => servers,
    isOffered: (tool) => isOffered(tool, config().policy),
    discover: (server, principal, wait) => find.discover(server, principal, wait),
    providerTrouble: (spec) => providers.trouble(spec),
    tool: (asked, caller) => plane.tools.get(asked, caller),
    schedulesOf: (listed) => jobs.schedulesOf(listed),
    onEntries: () => jobs.changed(),
  });
  const { registry, handWritten, quality, health } = catalogue;
  const credentials = createCredentials({
    ...{ store: memory.store, directory: options.dataDirectory, vaultKey: settings.vaultKey },
    clientName: "Toolplane",
    onChanged: (server, user) =>
      void servers.forgetUser(server, user, user === defaultPrincipal.user).catch(() => undefined),
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
    ...catalogue.forServers,
    listed: (server) => ({ ...registry.listed(server), ...limits.circuitOf(server) }),
  });
  handWritten.apply(config());
  const find = createFind({ registry, servers, grants, catalogue: () => catalogue, loaded: catalogue.loaded });
  const providers = createProviders({
    servers,
    handWritten,
    builtin: results.provider,
    environment,
    models: () => config().models,
    fileOfModel: (name) => settings.fileOf(["models", name]),
  });

  const execution = await createExecution({
    config,
    environment,
    defaultPrincipal,
    profile: identity.profile,
    currentPrincipal: identity.current,
    memory,
    health,
    servers,
    catalogue,
    providers,
    routing: catalogue.routing,
    answers,
    schemaCheck,
    limits: limits.path,
    present: results.present,
    grants,
    find: find.toCall,
    quality,
    registry,
    hooks: options.hooks,
    fileOfHook: (event, at) => settings.fileOf(["hooks", event, at]),
    keepFailed: (call, record, error) => deadLetters.keep(call, record, error),
  });
  const deadLetters = createDeadLettersWhenNeeded({
    ...{ store: memory.store, run: execution.calls.run, emit, defaultPrincipal },
    serverNames: servers.names,
    tools: registry.all,
    onDue: () => dueWork.wake(),
  });
  const dueWork = createPlaneDueWork(memory);
  const isScheduling = () => options.schedules === true && dueWork.isRunning();
  const jobs = createJobsWhenNeeded(
    {
      ...{
        config,
        memory,
        written: catalogue,
        identity,
        defaultPrincipal,
        modelTrouble: agent.modelTrouble,
        healthChanged: health.changed,
      },
      loop: { ...dueWork, isRunning: isScheduling },
    },
    () => plane,
  );
  const following = createReload({
    ...{ settings, applyServers: servers.apply, emit, watch: options.watch ?? false },
    async apply(change) {
      limits.apply(change);
      handWritten.apply(config());
      await catalogue.reload();
      jobs.changed();
    },
  });

  const plane: Plane = groupVerbs({
    config,
    reload: following.reload,
    doctor: servers.doctor,
    ...catalogue.verbs,
    activity: async ({ principal = defaultPrincipal } = {}) => execution.calls.activity(principal),
    readiness: memory.readiness,
    start() {
      void servers.start();
      execution.start();
      dueWork.start([deadLetters.handler, ...(options.schedules ? [jobs.dueRuns] : [])]);
      results.start();
      memory.listen({
        ...{ entries: catalogue.reload, pins: quality.pinsChanged },
        ...{ deadLetters: dueWork.wake, dueWork: dueWork.wake },
      });
    },
    ...execution.verbs,
    ...deadLetters.verbs,
    ...createToolPlanVerbs({
      ...{ find, grants, quality, defaultPrincipal, testPolicy: execution.verbs.testPolicy },
      checkArguments: async (schema, args) => (await schemaCheck()).checkSchema(schema, args),
    }),
    registerProvider: providers.register,
    tool: createShowTool(find, grants, catalogue, defaultPrincipal),
    lockedServers: async ({ principal = defaultPrincipal } = {}) =>
      servers.names().flatMap((name) => grants.lockedServer(principal, name) ?? []),
    ...servers.verbs,
    ...limits.verbs,
    usualCaller: () => defaultPrincipal,
    ...identity.verbs,
    ...createTokenVerbs(credentials, defaultPrincipal, async (name) =>
      secretsOf(servers.requireName(name), config().servers[name] as ServerDefinition),
    ),
    ...createConversationVerbs({ memory, limits, hooks: execution.hooks, servers, defaultPrincipal }),
    questions: async ({ principal = defaultPrincipal } = {}) => answers.questions.waiting(principal.user),
    answer: (id, answer, { principal = defaultPrincipal } = {}) => answers.questions.answer(id, answer, principal.user),
    ...{ ...results.verbs, ...runs.verbs, ...jobs.verbs, ...agent.verbs },
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
    drain: execution.calls.drain,
    stop: once(() =>
      runAll([
        [following.stop, results.stop],
        dueWork.halt,
        [agent.stop, jobs.stop],
        [deadLetters.stop, execution.stop],
        dueWork.stop,
        limits.stop,
        catalogue.settled,
        memory.close,
      ]),
    ),
  });
  return plane;
}
