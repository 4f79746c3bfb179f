import { createAccess, createAnswers } from "./access/access.ts";
import { createAgent } from "./agent/agent.ts";
import { createCalls, createLimits, createResults, loadRecordings } from "./calls/calls.ts";
import { createCatalogue } from "./catalogue/catalogue.ts";
import {
  createReload,
  type FindServers,
  loadSettings,
  processEnvironment,
  workingDirectory,
} from "./config/config.ts";
import { createExtensions, watchPackages } from "./extensions/extensions.ts";
import { madeInOrder } from "./lib/made-in-order.ts";
import { createEgress } from "./lib/net/egress.ts";
import { readProxiesFrom } from "./lib/net/proxy.ts";
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
import type { Context, Packages } from "./plane-context.ts";
import { createLifecycle, createStop } from "./plane-lifecycle.ts";
import { createServers } from "./servers/servers.ts";
import {
  createAudit,
  createHistory,
  createRecorder,
  createRoots,
  requireStoreAddress,
} from "./store/store.ts";
import { createWork } from "./work/work.ts";

export type { Packages } from "./plane-context.ts";
export { openState } from "./state.ts";

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
  const planeOfAnyCaller = {
    ...auditVerbs({ ...createVerbs(context), ...createLifecycle(context), stop }, record),
    as: (principal: Partial<Principal>, via: Pick<Caller, "face" | "address"> = {}) =>
      bindCaller(planeOfAnyCaller, { ...via, principal: wholePrincipal(principal) }),
    [Symbol.asyncDispose]: stop,
  };
  context.plane = planeOfAnyCaller.as(context.defaultPrincipal);
  await context.extensions.setUp(onSetup);
  return context.plane;
}

function sourceOf(
  { config = [], servers, extensions }: PlaneOptions,
  find: FindServers | undefined,
) {
  const sources = [
    ...(find === undefined ? [] : [find]),
    ...[config].flat(),
    ...(servers === undefined ? [] : [{ mcpServers: servers }]),
  ];
  // What a program brings is enough.
  return sources.length === 0 && extensions !== undefined ? [{}] : sources;
}

type Adapt = Context["recordings"]["adapt"];

function withPublicUrl(adapt: Adapt, publicUrl: string | undefined): Adapt {
  if (publicUrl === undefined) return adapt;
  return (config) => {
    const publicConfig = { ...config, auth: { ...config.auth, publicUrl } };
    if (adapt) return adapt(publicConfig);
    return publicConfig;
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
