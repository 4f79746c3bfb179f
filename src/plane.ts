import { createAccess, createAnswers, impactOf, isOffered } from "./access/access.ts";
import { createAgent } from "./agent/agent.ts";
import { checkSchema, createCalls, createLimits, createResults, embedWith, openRecordings } from "./calls/calls.ts";
import { createCatalogue } from "./catalogue/catalogue.ts";
import { createReload, createSettings, processEnvironment, workingDirectory } from "./config/config.ts";
import { once, runAll } from "./lib/async/once.ts";
import { joinNamespaces } from "./lib/lazy-verbs.ts";
import { createEgress } from "./lib/net/egress.ts";
import { readProxiesFrom } from "./lib/net/proxy.ts";
import type { QuestionAnswer } from "./model/calls/provider.ts";
import type { Caller, Plane } from "./model/plane.ts";
import type { PlaneOptions } from "./model/plane-options.ts";
import { trusted, withListed } from "./model/principal.ts";
import type { ServerDefinition } from "./model/servers/server.ts";
import { auditVerbs } from "./operations/audit-verbs.ts";
import { accessOf, completeDefinition, createCredentials, createServers, createTokenVerbs } from "./servers/servers.ts";
import { createAudit, createHistory, createRecorder, requireStoreAddress } from "./store/store.ts";
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
  readProxiesFrom(environment);
  const { projectFiles: files = [] } = options;
  const recordings = await openRecordings(options, {
    secretValues: () => settings.secretValues(),
    config: () => settings.config(),
    tools: () => registry.all(),
  });
  const { projectDirectory: directory = workingDirectory() } = options;
  const place = { files, directory, dataDirectory: options.trustDirectory ?? options.dataDirectory };
  const settings = await createSettings(sourceOf(options), environment, place, recordings.adapt);
  const { config, directoryOf, secretsOf, secretValues } = settings;
  const local = trusted(options.principal);
  const defaultPrincipal = withListed(local, config().users);
  const memory = createRecorder(
    options.dataDirectory,
    requireStoreAddress(options.store ?? config().store),
    () => config().audit.required,
  );
  const { emit } = memory;
  const egress = createEgress({ allow: () => config().security.egress.allow });
  const { audit, run: record } = createAudit({
    memory,
    hmacKey: settings.hmacKey,
    defaultPrincipal,
    face: options.face ?? "library",
    retention: () => config().calls,
  });
  const { identity, grants } = createAccess({
    config,
    store: memory.store,
    emit,
    onNews: memory.onNews,
    egress,
    defaultPrincipal: local,
    exposed: options.exposed ?? false,
    tool: (id, caller) => registry.snapshot(caller).byId(id),
  });

  const limits = createLimits(config, emit, defaultPrincipal, memory);
  const agent = createAgent({
    config,
    defaultPrincipal,
    memory,
    profile: identity.profile,
    fileOf: settings.fileOf,
    given: options.models,
    plane: () => plane,
    catalogue: () => catalogue,
    servers: () => servers,
    guardPrompt: (...asked) => calls.guardPrompt(...asked),
    maySeeServer: (principal, server) => grants.maySeeServer(principal, server),
    beginRunSpan: (...begun) => calls.beginRunSpan(...begun),
  });
  const answers = createAnswers(agent.answering(options), {
    emit,
    problems: async (schema, value) =>
      (await checkSchema(schema, value)).map(({ path, message }) => `${path} ${message}`.trim()),
  });
  const fileOfModel = (name: string) => settings.fileOf(["models", name]);
  const results = createResults({ config, store: memory.store, defaultPrincipal });
  const catalogue = createCatalogue({
    builtin: results.builtin,
    checkTool: settings.checkTool,
    memory,
    directory: options.dataDirectory,
    directoryOf,
    environment,
    embed: options.embed,
    embedWith: (model, texts) => embedWith(model, { models: config().models, fileOfModel }, texts),
    defaultPrincipal,
    config,
    grants,
    servers: () => servers,
    isOffered: (tool) => isOffered(tool, config().policy),
    impactOf: (tool) => impactOf(tool, config().policy.effects),
    discover: (server, principal, wait) => calls.lookup.discover(server, principal, wait),
    providerTrouble: (spec) => calls.providerTrouble(spec),
    tool: (asked, caller) => plane.tools.get(asked, caller),
    listOffers: (server, caller) => servers.listOffers(server, caller),
    listOwner: (server, { user }) => servers.listOwner(server, { user, conversation: null }),
    schedulesOf: (listed) => work.schedulesOf(listed),
    onEntries: () => work.changed(),
  });
  const { registry, handWritten, quality, health } = catalogue;
  const credentials = createCredentials({
    store: memory.store,
    directory: options.dataDirectory,
    vaultKey: settings.vaultKey,
    clientName: "Toolplane",
    egress,
    onChanged: (server, user) =>
      void servers.forgetUser(server, user, user === defaultPrincipal.user).catch(() => undefined),
  });
  const servers = createServers({
    definitions: config().servers,
    broken: config().broken,
    untrusted: config().untrusted,
    environment,
    emit,
    isOffline: options.offline === true || recordings.isOffline,
    isPersonal: credentials.isPersonal,
    opensForUser: credentials.opensForUser,
    // Servers list what they offer for the default principal.
    access: (name, definition, user) => ({
      ...accessOf(credentials, name, definition, user ?? defaultPrincipal.user),
      namedBy: egress.namedBy,
      requireDocument: (place) => settings.requireDocument(name, place),
    }),
    capabilities: answers.capabilities,
    ownCapabilities: answers.ownCapabilities,
    taskQuietMs: options.taskQuietMs,
    resolveSecrets: secretsOf,
    secretValues,
    directoryOf,
    defaultPrincipal,
    maySee: (principal, server) => grants.maySeeServer(principal, server),
    trust: limits.trust,
    onRenewed: (server) => calls.forgetReads(server),
    ...catalogue.forServers,
    ...recordings.watch(catalogue.forServers, defaultPrincipal.user),
    listed: (server) => ({ ...registry.listed(server), ...limits.circuitOf(server) }),
  });
  handWritten.apply(config());
  const calls = await createCalls({
    config,
    environment,
    defaultPrincipal,
    profile: identity.profile,
    currentPrincipal: identity.current,
    memory,
    audit: record,
    otlp: settings.otlp,
    health,
    servers,
    catalogue: () => catalogue,
    registry,
    handWritten,
    routing: catalogue.routing,
    answers,
    limits,
    results,
    recordings,
    grants,
    quality,
    loaded: catalogue.loaded,
    egress,
    fileOfModel,
    hooks: options.hooks,
    fileOfHook: (event, at) => settings.fileOf(["hooks", event, at]),
    hookPlace: { projectDirectory: directory ?? workingDirectory(), requireFiles: settings.requireHooks },
    keepFailed: (call, record, error) => work.keepFailed(call, record, error),
    keepAnswer: agent.keepAnswer,
  });
  const work = createWork({
    config,
    memory,
    written: catalogue,
    defaultPrincipal,
    currentPrincipal: identity.current,
    modelTrouble: agent.modelTrouble,
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
    settings,
    applyServers: servers.apply,
    emit,
    watch: options.watch ?? false,
    reload: () => plane.reload(),
    async apply(change) {
      limits.apply(change);
      handWritten.apply(config());
      await catalogue.reload();
      await calls.reconfigured();
      work.changed();
    },
  });

  const stop = once(() =>
    runAll([
      [following.stop, results.stop],
      work.halt,
      [agent.stop, work.stopJobs],
      [work.stopDeadLetters, calls.stop],
      work.stop,
      limits.stop,
      catalogue.settled,
      [memory.close, recordings.close],
    ]),
  );
  const verbs = joinNamespaces(
    catalogue.verbs,
    calls.verbs,
    servers.verbs,
    limits.verbs,
    identity.verbs,
    results.verbs,
    work.verbs,
    agent.verbs,
    { audit },
    createHistory({
      memory,
      defaultPrincipal,
      maySeeServer: grants.maySeeServer,
      countTools: (principal) => catalogue.visibleTo(principal).length,
      onRead: answers.questions.noteListener,
    }),
    {
      config,
      trust: {
        list: settings.trust.list,
        approve: (hashes: readonly string[]) => settings.trust.approve(hashes).then(following.reload),
        revoke: () => settings.trust.revoke().then(following.reload),
      },
      reload: following.reload,
      readiness: memory.readiness,
      async doctor(server?: string) {
        const examined = await servers.verbs.doctor(server);
        if (server === undefined) await memory.examine();
        const readiness = await memory.readiness();
        const toolsets = server === undefined ? await agent.examineToolsets() : [];
        // A store that cannot be read is what the report says.
        const stored = server === undefined ? await memory.stored(config()).catch(() => undefined) : undefined;
        const report = { ...examined, ...(toolsets.length > 0 && { toolsets }), ...(stored && { stored }) };
        return readiness.ready ? report : { ...report, store: { ok: false, detail: readiness.reason } };
      },
      on: memory.on,
      start() {
        void servers.start();
        calls.start();
        work.start();
        results.start();
        memory.listen({
          entries: catalogue.reload,
          pins: quality.pinsChanged,
          deadLetters: work.wake,
          dueWork: work.wake,
        });
      },
      stop,
      identity: { usualCaller: () => defaultPrincipal },
      servers: {
        locked: async ({ principal = defaultPrincipal }: Caller = {}) =>
          servers.names().flatMap((name) => grants.lockedServer(principal, name) ?? []),
      },
      tokens: createTokenVerbs(credentials, defaultPrincipal, async (name) =>
        completeDefinition(
          name,
          await secretsOf(servers.requireName(name), config().servers[name] as ServerDefinition),
          egress.namedBy,
        ),
      ),
      questions: {
        list: async ({ principal = defaultPrincipal }: Caller = {}) => answers.questions.waiting(principal),
        answer: (id: string, answer: QuestionAnswer, { principal = defaultPrincipal }: Caller = {}) =>
          answers.questions.answer(id, answer, principal),
      },
      events: { lastId: async () => (await memory.store()).lastEventId(), onStored: memory.onStored },
    },
  );
  const plane: Plane = { ...auditVerbs(verbs, record), [Symbol.asyncDispose]: stop };
  return plane;
}

function sourceOf({ config = [], servers }: PlaneOptions) {
  const given = servers === undefined ? [] : [{ mcpServers: servers }];
  return [...(Array.isArray(config) ? config : [config]), ...given];
}
