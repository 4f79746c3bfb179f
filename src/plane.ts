import { createAccess, createAnswers } from "./access/access.ts";
import { type AgentPackage, type CodePackage, createAgent } from "./agent/agent.ts";
import {
  createCalls,
  createLimits,
  createResults,
  loadRecordings,
  type TelemetryPackage,
} from "./calls/calls.ts";
import { createCatalogue, type SearchPackage } from "./catalogue/catalogue.ts";
import {
  createReload,
  type FindServers,
  type ImportPackage,
  loadSettings,
  processEnvironment,
  workingDirectory,
} from "./config/config.ts";
import { createExtensions, type PackageState, watchPackages } from "./extensions/extensions.ts";
import { once, runAll } from "./lib/async/once.ts";
import { madeInOrder } from "./lib/made-in-order.ts";
import { createEgress } from "./lib/net/egress.ts";
import { readProxiesFrom } from "./lib/net/proxy.ts";
import type { SignInPackage } from "./model/access/sign-in.ts";
import type { CataloguePackages, ResultPackages, StorePackages } from "./model/packages.ts";
import type { Plane } from "./model/plane.ts";
import type { PlaneOptions } from "./model/plane-options.ts";
import {
  type Caller,
  type KnownCaller,
  type Principal,
  trusted,
  wholePrincipal,
  withListed,
} from "./model/principal.ts";
import { auditVerbs } from "./operations/audit-verbs.ts";
import { bindCaller } from "./operations/bind-caller.ts";
import { createServers, type DoctorPackage, type ServerPackages } from "./servers/servers.ts";
import {
  createAudit,
  createHistory,
  createRecorder,
  createRoots,
  requireStoreAddress,
} from "./store/store.ts";
import { createWork, type WorkPackage } from "./work/work.ts";

export { openState } from "./state.ts";

/** What is not part of the core. Each is loaded when it is used. */
export type Packages = ServerPackages &
  CataloguePackages &
  ResultPackages &
  StorePackages & {
    agent(): Promise<AgentPackage>;
    code(): Promise<CodePackage>;
    doctor(): Promise<DoctorPackage>;
    import(): Promise<ImportPackage>;
    search(): Promise<SearchPackage>;
    signIn(): Promise<SignInPackage>;
    telemetry(): Promise<TelemetryPackage>;
    work(): Promise<WorkPackage>;
  };

/** The rooms of a plane. Each takes the whole context and reads of it what it uses, when it uses it. */
type Context = {
  options: PlaneOptions;
  packages: Packages;
  packageStates: () => PackageState[];
  environment: ReturnType<typeof processEnvironment>;
  recordings: Awaited<ReturnType<typeof loadRecordings>>;
  settings: Awaited<ReturnType<typeof loadSettings>>;
  egress: ReturnType<typeof createEgress>;
  /** The caller of those who name none. */
  defaultPrincipal: Principal;
  recorder: ReturnType<typeof createRecorder>;
  audit: ReturnType<typeof createAudit>["audit"];
  access: ReturnType<typeof createAccess>;
  limits: ReturnType<typeof createLimits>;
  results: ReturnType<typeof createResults>;
  roots: ReturnType<typeof createRoots>;
  agent: ReturnType<typeof createAgent>;
  answers: ReturnType<typeof createAnswers>;
  extensions: ReturnType<typeof createExtensions>;
  catalogue: ReturnType<typeof createCatalogue>;
  servers: ReturnType<typeof createServers>;
  calls: Awaited<ReturnType<typeof createCalls>>;
  work: ReturnType<typeof createWork>;
  config: ReturnType<typeof createReload>;
  plane: Plane;
};

/** What only the plane of the person at this machine has. */
type LocalParts = {
  /** Gets the name of each extension before its setup. */
  onSetup?: ((extension: string) => void) | undefined;
  /** Finds servers of other programs, which have less weight than any file. */
  find?: FindServers | undefined;
};

/** The plane of the core with these packages. */
export async function createPlane(
  options: PlaneOptions,
  packages: Packages,
  { onSetup, find }: LocalParts = {},
): Promise<Plane> {
  const context = madeInOrder<Context>([
    "options",
    "packages",
    "packageStates",
    "environment",
    "recordings",
    "settings",
    "egress",
    "defaultPrincipal",
    "recorder",
    "audit",
    "access",
    "limits",
    "results",
    "roots",
    "agent",
    "answers",
    "extensions",
    "catalogue",
    "servers",
    "calls",
    "work",
    "config",
    "plane",
  ]);
  context.options = options;
  const watched = watchPackages(packages);
  context.packages = watched.packages;
  context.packageStates = watched.states;
  context.environment = processEnvironment();
  readProxiesFrom(context.environment);
  context.recordings = await loadRecordings(context);
  context.settings = await loadSettings(
    sourceOf(options, find),
    context.environment,
    placeOf(options),
    withPublicUrl(context.recordings.adapt, options.publicUrl),
    options.extensions,
  );
  const { config, hmacKey } = context.settings;
  const stopping = new AbortController();
  context.egress = createEgress({
    allow: () => config().security.egress.allow,
    stopping: stopping.signal,
  });
  context.defaultPrincipal = withListed(trusted(options.principal), config().users);
  const recorder = createRecorder(options.dataDirectory, {
    address: requireStoreAddress(options.store ?? config().store),
    isRequired: () => config().audit.required,
    packages,
    settings: {
      durability: config().durability ?? null,
      vaultKey: context.settings.vaultKey,
    },
    planeFiles: context.settings.planeFiles,
  });
  context.recorder = recorder;
  const { audit, run: record } = createAudit({
    recorder,
    hmacKey,
    defaultPrincipal: context.defaultPrincipal,
    face: options.face ?? "library",
    retention: () => config().calls,
  });
  context.audit = audit;
  context.access = createAccess(context);
  context.limits = createLimits(context);
  context.results = createResults(context);
  context.roots = createRoots(context);
  context.agent = createAgent(context);
  context.answers = createAnswers(context);
  context.extensions = createExtensions(context);
  context.catalogue = createCatalogue(context);
  context.servers = createServers(context);
  context.catalogue.handWritten.apply(config());
  context.calls = await createCalls(context);
  context.work = createWork(context);
  context.config = createReload(context);

  const stop = createStop(context, () => stopping.abort());
  const own = {
    ...auditVerbs({ ...createVerbs(context), ...createLifecycle(context), stop }, record),
    as: (principal: Partial<Principal>, via: Pick<Caller, "face" | "address"> = {}) =>
      bindCaller(own, { ...via, principal: wholePrincipal(principal) }),
    [Symbol.asyncDispose]: stop,
  };
  context.plane = own.as(context.defaultPrincipal);
  await context.extensions.setUp(onSetup);
  return context.plane;
}

function sourceOf(
  { config = [], servers, extensions }: PlaneOptions,
  find: FindServers | undefined,
) {
  const given = servers === undefined ? [] : [{ mcpServers: servers }];
  const found = find === undefined ? [] : [find];
  const all = [...found, ...(Array.isArray(config) ? config : [config]), ...given];
  // What a program brings is enough.
  return all.length === 0 && extensions !== undefined ? [{}] : all;
}

type Adapt = Context["recordings"]["adapt"];

function withPublicUrl(adapt: Adapt, publicUrl: string | undefined): Adapt {
  if (publicUrl === undefined) return adapt;
  return (config) => {
    const known = { ...config, auth: { ...config.auth, publicUrl } };
    return adapt ? adapt(known) : known;
  };
}

function placeOf({
  projectFiles = [],
  projectDirectory,
  trustDirectory,
  dataDirectory,
}: PlaneOptions) {
  return {
    files: projectFiles,
    directory: projectDirectory === undefined ? workingDirectory() : projectDirectory,
    dataDirectory: trustDirectory ?? dataDirectory,
  };
}

/** The methods of the plane, by the room that has them. */
function createVerbs(context: Context) {
  const {
    access,
    agent,
    answers,
    audit,
    calls,
    catalogue,
    config,
    extensions,
    limits,
    recorder,
    results,
    roots,
    servers,
    settings,
    work,
  } = context;
  const history = createHistory(context);
  return {
    ...agent.verbs,
    audit,
    approvals: calls.verbs.approvals,
    call: calls.verbs.call,
    calls: { ...history.calls, ...calls.verbs.calls, ...results.verbs.calls, ...roots.verbs },
    clients: { ...catalogue.verbs.clients, ...calls.verbs.clients },
    config: settings.config,
    conversations: { ...calls.verbs.conversations, ...limits.verbs.conversations },
    deadLetters: work.verbs.deadLetters,
    defaults: access.defaults.verbs,
    events: {
      ...history.events,
      lastId: async () => (await recorder.store()).lastEventId(),
      onStored: recorder.onStored,
    },
    evaluateSearch: catalogue.verbs.evaluateSearch,
    extensions: extensions.verbs,
    forgetSearches: catalogue.verbs.forgetSearches,
    grants: access.signIn.grants,
    identity: { ...access.identity.verbs.identity, usualCaller: () => context.defaultPrincipal },
    jobs: { ...catalogue.verbs.jobs, ...work.verbs.jobs },
    keys: access.identity.verbs.keys,
    people: access.signIn.people,
    pins: catalogue.verbs.pins,
    plans: { ...calls.verbs.plans, ...work.verbs.plans },
    policy: calls.verbs.policy,
    prompts: { ...servers.verbs.prompts, ...calls.verbs.prompts },
    questions: answers.verbs,
    recommend: catalogue.verbs.recommend,
    registry: catalogue.verbs.registry,
    resources: { ...servers.verbs.resources, ...calls.verbs.resources },
    results: results.verbs.results,
    search: catalogue.verbs.search,
    servers: { ...servers.verbs.servers, ...calls.verbs.servers },
    skills: { ...catalogue.verbs.skills, ...work.verbs.skills, ...calls.verbs.skills },
    stats: catalogue.verbs.stats,
    tasks: catalogue.verbs.tasks,
    tokens: servers.verbs.tokens,
    tools: { ...catalogue.verbs.tools, ...calls.verbs.tools },
    trust: {
      list: settings.trust.list,
      approve: (hashes: readonly string[], { principal }: KnownCaller) =>
        settings.trust.approve(hashes, principal.directory).then(config.reload),
      unanswered: ({ principal }: KnownCaller) => settings.trust.unanswered(principal.directory),
      decline: (hashes: readonly string[], { principal }: KnownCaller) =>
        settings.trust.decline(hashes, principal.directory),
      revoke: () => settings.trust.revoke().then(config.reload),
    },
  };
}

/** Starting, looking after and ending. */
function createLifecycle({
  access,
  agent,
  calls,
  catalogue,
  config,
  extensions,
  recorder,
  results,
  roots,
  servers,
  settings,
  work,
}: Context) {
  return {
    on: recorder.on,
    readiness: recorder.readiness,
    async reload() {
      const change = await config.reload();
      access.signIn.reload();
      await extensions.reload();
      return change;
    },
    drain: calls.verbs.drain,
    endCalls: calls.verbs.endCalls,
    async doctor(server?: string) {
      const examined = await servers.verbs.doctor(server);
      if (server === undefined) await recorder.examine();
      const readiness = await recorder.readiness();
      const toolsets = server === undefined ? await agent.examineToolsets() : [];
      // A store that cannot be read is what the report says.
      const stored =
        server === undefined
          ? await recorder.stored(settings.config()).catch(() => undefined)
          : undefined;
      const extended = server === undefined ? await extensions.examine() : [];
      const defaults =
        server === undefined
          ? await access.defaults.verbs.list().catch(() => undefined)
          : undefined;
      const report = {
        ...examined,
        ...(toolsets.length > 0 && { toolsets }),
        ...(extended.length > 0 && { extensions: extended }),
        ...(stored && { stored }),
        ...(defaults !== undefined && defaults.changes.length > 0 ? { defaults } : {}),
      };
      return readiness.ready
        ? report
        : { ...report, store: { ok: false, detail: readiness.reason } };
    },
    start() {
      void servers.start();
      calls.start();
      work.start();
      results.start();
      roots.start();
      extensions.start();
      recorder.listen({
        entries: catalogue.reload,
        pins: catalogue.quality.pinsChanged,
        deadLetters: work.wake,
        dueWork: work.wake,
      });
    },
  };
}

/** Room by room: what calls is ended before what it calls, and what records comes last. */
function createStop(
  {
    agent,
    calls,
    catalogue,
    config,
    extensions,
    limits,
    recorder,
    recordings,
    results,
    roots,
    work,
  }: Context,
  endRequests: () => void,
) {
  return once(() =>
    runAll([
      [config.stop, results.stop, endRequests],
      extensions.stop,
      work.halt,
      [agent.stop, work.stopJobs],
      [work.stopDeadLetters, calls.stop],
      work.stop,
      limits.stop,
      catalogue.settled,
      roots.stop,
      [recorder.close, recordings.close],
    ]),
  );
}
