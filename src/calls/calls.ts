import { type Answers, createHooks, effectOf, type Hooks, type Profile } from "../access/access.ts";
import type { Catalogue, HealthFeed, PlaneQuality, Registry, Routing } from "../catalogue/catalogue.ts";
import { providerScore } from "../catalogue/catalogue.ts";
import type { Environment } from "../config/config.ts";
import { andThen } from "../lib/async/and-then.ts";
import { runAll } from "../lib/async/once.ts";
import { createJoinedSignals } from "../lib/async/signals.ts";
import { createBriefMap } from "../lib/brief-map.ts";
import { sameJson, withoutUndefined } from "../lib/json/plain-data.ts";
import type { LibraryHooks } from "../model/access/hook.ts";
import type { PlaneAudit } from "../model/audit.ts";
import type { Outcome, Requested } from "../model/calls/call.ts";
import type { AskHere } from "../model/calls/held-call.ts";
import type { HeldCall } from "../model/calls/held-schema.ts";
import { type Relay, readProgress } from "../model/calls/provider.ts";
import { providerSubject } from "../model/catalogue/health.ts";
import type { OtlpSettings } from "../model/config/config.ts";
import { shuttingDown, toPlaneError } from "../model/errors.ts";
import type { JsonObject } from "../model/json.ts";
import type { Plane } from "../model/plane.ts";
import type { Principal } from "../model/principal.ts";
import type { Servers } from "../servers/servers.ts";
import { createKeptSessions, type Recorder } from "../store/store.ts";
import { type Activity, createActivity } from "./activity.ts";
import { type Approvals, createApprovals } from "./approve.ts";
import { sessionOwner } from "./attempt.ts";
import { accessOf, requireGrant } from "./authorize.ts";
import { createSharedReads, type SharedReads } from "./cache/shared-reads.ts";
import { type CallTool, createCallTool, createGoOn, type Path, requestCall } from "./call-tool.ts";
import type { ExecuteOptions } from "./execute.ts";
import { createInjection } from "./inject.ts";
import { createMayMake, createPolicyTest, policyOf } from "./judge.ts";
import type { CallLimits } from "./limits/limits.ts";
import { createLookup, type Lookup, type LookupParts } from "./lookup.ts";
import { createOfferVerbs } from "./offers.ts";
import { createPayloads } from "./payloads.ts";
import { createPlans, type PlanPorts } from "./plan.ts";
import type { PlannedCall } from "./planned-call.ts";
import { createPolicyPreview } from "./policy-preview.ts";
import { createProviders, type ProviderParts, type Providers } from "./providers/providers.ts";
import { createRecorder, type RecordOptions } from "./record.ts";
import type { Recordings } from "./recording/recordings.ts";
import type { Results } from "./results/results.ts";
import type { RouteOptions } from "./route.ts";
import { checkArguments, checkOutputNow, schemaCheck, withEngine } from "./schema/load-check.ts";
import { createSpans, type Spans } from "./spans/spans.ts";
import { validate } from "./validate.ts";

export { requireGrant } from "./authorize.ts";
export { requestCall } from "./call-tool.ts";
export { createLimits } from "./limits/limits.ts";
export type { Lookup } from "./lookup.ts";
export { readResultManifest } from "./providers/builtin.ts";
export { explainModelFailure } from "./providers/http.ts";
export { embedWith, endpointOf, modelTrouble } from "./providers/model-endpoint.ts";
export { openRecordings } from "./recording/open-recordings.ts";
export { createResults } from "./results/results.ts";
export { checkSchema } from "./schema/load-check.ts";
export type { Spans } from "./spans/spans.ts";
export { type ArgumentProblem, type CheckArguments, validate } from "./validate.ts";

type CallParts = Omit<LookupParts, "schemaCheck" | "catalogue" | "quality" | "registry" | "servers" | "memory"> &
  Pick<ProviderParts, "handWritten" | "fileOfModel" | "egress"> & {
    environment: Environment;
    profile(): Profile | Promise<Profile>;
    currentPrincipal(principal: Principal): Promise<Principal>;
    memory: Recorder;
    /** Where spans and metrics are sent, with secrets in their places. */
    otlp(): Promise<OtlpSettings | null>;
    /** Leaves a record of a change. */
    audit: PlaneAudit["run"];
    health: HealthFeed;
    servers: Servers;
    catalogue(): Catalogue;
    routing: Routing;
    answers: Answers;
    limits: CallLimits;
    results: Pick<Results, "present" | "provider">;
    registry: Pick<Registry, "fixedOf" | "snapshot" | "all">;
    quality: Pick<PlaneQuality, "requireTrusted" | "heldProvider" | "isHeld" | "standing">;
    recordings: Pick<Recordings, "around">;
    hooks: LibraryHooks | undefined;
    fileOfHook(event: string, at: number): string | undefined;
    hookPlace: Pick<Parameters<typeof createHooks>[0], "projectDirectory" | "requireFiles">;
    keepFailed: NonNullable<RecordOptions["keepFailed"]>;
    /** Of a call that was approved and belongs to a program, which may wait for it. */
    keepAnswer(approval: string, outcome: Outcome): Promise<void>;
  };

type CallVerbs = Approvals["verbs"] &
  ReturnType<typeof createOfferVerbs> &
  Pick<Plane, "call" | "policy" | "drain" | "endCalls"> & {
    tools: Pick<Plane["tools"], "get" | "registerProvider">;
    calls: Pick<Plane["calls"], "activity" | "payloads">;
    clients: Pick<Plane["clients"], "sessions">;
    conversations: Pick<Plane["conversations"], "end">;
  };
type Owner = Parameters<Parameters<Servers["release"]>[0]>[0];

export async function createCalls(parts: CallParts) {
  const { config, environment, defaultPrincipal, memory, servers, registry, limits } = parts;
  const { emit, store } = memory;
  const lookup = createLookup({ ...parts, schemaCheck });
  const models = () => config().models;
  const providers = createProviders({ ...parts, models, builtin: parts.results.provider });
  const approvals = createApprovals({
    config,
    store,
    emit,
    defaultPrincipal,
    run: (call) => runner.run(call),
    checkArguments: (held, args) => checkHeld(held, args, parts, lookup),
    mayMake: createMayMake(parts, lookup),
    onChangedElsewhere: (listener) => memory.onNews((news) => news.what === "heldCall" && listener(news.id)),
    fixedOf: registry.fixedOf,
    audit: parts.audit,
  });
  const hooks = await createHooks({
    settings: () => config().hooks,
    fileOf: parts.fileOfHook,
    functions: parts.hooks,
    ...parts.hookPlace,
    environment,
    emit,
  });
  const payloads = createPayloads({ config, store });
  const activity = createActivity(payloads.note);
  const reads = createSharedReads({ config, servers, answer: parts.answers.answer, tools: registry.all });
  const spans = await createSpans({ settings: parts.otlp, on: memory.on, emit });
  const path = wirePath(parts, { lookup, providers, approvals, hooks, activity, reads, spans });
  const runner = createRunner(createCallTool(path), servers.stop, () => plans.running(), spans);
  const plans = createPlans(planPorts(parts, path, { lookup, activity, spans, goOn: runner.goOn(createGoOn(path)) }));
  const call: Plane["call"] = (asked, args, options = {}) =>
    plans.run(asked, args, options, options.principal ?? defaultPrincipal) ??
    runner.run(requestCall(asked, args, options, defaultPrincipal), options.signal, options.askHere, options.relay);
  const verbs: CallVerbs = {
    ...approvals.verbs,
    ...createOfferVerbs({ call, servers, defaultPrincipal, config }),
    call,
    drain: runner.drain,
    endCalls: runner.endCalls,
    policy: { test: createPolicyTest(parts, lookup), preview: createPolicyPreview(parts, lookup, payloads.read) },
    tools: { get: lookup.tool, registerProvider: providers.register },
    calls: {
      activity: async ({ principal = defaultPrincipal } = {}) => activity.entries(principal),
      payloads: (ids, { principal = defaultPrincipal } = {}) => payloads.read(ids, principal),
    },
    clients: { sessions: createKeptSessions(memory) },
    conversations: {
      async end(conversation, { principal = defaultPrincipal, goesOn = false } = {}) {
        if (!goesOn) {
          await limits.endConversation(conversation, principal);
          await hooks.ended(conversation, principal);
        }
        const theirs = sessionOwner(principal, conversation);
        const isTheirs = (owner: Owner) => owner.conversation === theirs.conversation && owner.user === theirs.user;
        return servers.release(isTheirs, "the conversation ended");
      },
    },
  };
  return {
    lookup,
    providerTrouble: providers.trouble,
    guardPrompt: hooks.guardPrompt,
    verbs,
    run: (requested: Requested, signal?: AbortSignal) => runner.run(requested, signal),
    /** A server was restarted, or says that its lists have changed. */
    forgetReads: reads.forget,
    start: approvals.start,
    reconfigured: spans.apply,
    beginRunSpan: spans.beginRunSpan,
    stop: () => runAll([[approvals.stop, runner.stop], payloads.stop, spans.stop]),
  };
}

type Stages = {
  lookup: Lookup;
  providers: Providers;
  approvals: Approvals;
  hooks: Hooks;
  activity: Activity;
  reads: SharedReads;
  spans: Spans;
};

function wirePath(parts: CallParts, { lookup, providers, approvals, hooks, activity, reads, spans }: Stages): Path {
  const { config, environment, servers, catalogue, grants, quality, registry, memory, profile } = parts;
  const decide = policyOf(parts);
  return {
    around: (tool) => parts.recordings.around(tool, reads.around(tool)),
    currentPrincipal: parts.currentPrincipal,
    findTool: lookup.findTool,
    grantFor: grants.grantFor,
    checkArguments,
    onlyReads: (tool) => effectOf(tool, config().policy.effects).effect === "read",
    valueFor: createInjection({
      config,
      // A planner does not wait for the slowest server.
      discover: ({ user }) => servers.discover(undefined, { owner: { user, conversation: null }, waitMs: 10_000 }),
      visibleTo(principal, request) {
        const visible = catalogue().visibleTo(principal, request);
        return visible.filter((tool) => !quality.isHeld(tool));
      },
      mayUse: (principal, tool, request) => !("refused" in grants.grantFor(principal, tool, request)),
      verdictOn: async (call, tool) =>
        decide({ ...call, tool, input: { arguments: {}, repaired: false, dropped: [] } }, await profile()),
      fixedOf: registry.fixedOf,
      environment,
    }),
    approval: {
      decide: (call) => andThen(profile(), (current) => decide(call, current)),
      ...approvals.stage,
    },
    hooks: hooks.stages,
    routing: routeOptions(parts, providers),
    execution: executeOptions(parts, providers, spans),
    record: createRecorder({
      begin: memory.begin,
      emitClean: memory.emitClean,
      write: memory.record,
      keepFailed: parts.keepFailed,
      async onApprovedEnd(yes, outcome, { options: { run } }) {
        if (run?.startsWith("code-")) await parts.keepAnswer(yes.id, outcome);
        await approvals.onApprovedEnd(yes, outcome);
      },
      present: parts.results.present,
      onEnded(call, outcome, stages) {
        activity.note(call, outcome);
        spans.tellSpan(call, stages);
      },
    }),
  };
}

/** What plans are made and run with; they fall with the configuration, the catalogue, the pins and the profile. */
function planPorts(
  parts: CallParts,
  path: Path,
  { lookup, activity, spans, goOn }: Pick<Stages, "lookup" | "activity" | "spans"> & Pick<PlanPorts, "goOn">,
): PlanPorts {
  const { config, registry, quality, servers, memory, profile, limits, results } = parts;
  return {
    path,
    config,
    profile,
    goOn,
    isTraced: spans.isTraced,
    execution: path.execution,
    limits: limits.path,
    snapshot: registry.snapshot,
    standing: quality.standing,
    isHeld: quality.isHeld,
    recall: lookup.recall,
    isSettled: servers.isSettled,
    isCalm: memory.isCalm,
    send: servers.begin,
    begin: memory.begin,
    emitClean: memory.emitClean,
    write: memory.record,
    present: results.present,
    checkOutput: checkOutputNow,
    onEnded: (call, outcome) => activity.note(call, outcome),
  };
}

function routeOptions(parts: CallParts, providers: Providers): RouteOptions {
  const { config, environment, quality, routing, health, grants } = parts;
  return {
    environment,
    unavailable: (spec) => quality.heldProvider(spec) ?? providers.trouble(spec),
    resting: routing.cooldown,
    score: (tool, provider) =>
      providerScore(health.known.summary(providerSubject(tool, provider)), routing.state(tool, provider).failures),
    serverLimitMs: (server) => config().servers[server]?.timeoutMs,
    mayReach: ({ principal, options, input, injected }, provider) => {
      const request = { ...accessOf(options), arguments: { ...input.arguments, ...injected.values } };
      return grants.refuseProvider(principal, provider, request) === null;
    },
  };
}

function executeOptions(parts: CallParts, providers: Providers, spans: Spans): Omit<ExecuteOptions, "signal"> {
  const { registry, quality, answers, routing, memory } = parts;
  return {
    provider: (kind) => spans.withAttemptSpans(providers.of(kind)),
    isCurrent({ tool, principal }, spec) {
      const now = registry.snapshot(principal).byId(tool.id);
      return (now === tool || sameJson(now, tool)) && quality.heldProvider(spec, principal.user) === null;
    },
    async checkOutput(schema, result) {
      const loaded = await schemaCheck();
      return withEngine(() => loaded.checkOutput(schema, result));
    },
    answer: answers.answer,
    fit: answers.fit,
    samples: answers.samples,
    limits: parts.limits.path,
    routing: {
      ...routing,
      async check(tool, provider, spec, signal) {
        try {
          if (routing.takeCheck(tool, provider, spec)) await providers.check(spec, signal);
          return null;
        } catch (thrown) {
          return toPlaneError(thrown).message;
        }
      },
    },
    retryFor({ config: { server } }) {
      const { retry, servers } = parts.config();
      return { ...retry, ...withoutUndefined(servers[String(server)]?.retry ?? {}) };
    },
    ...providers.readiness,
    onRetry: ({ id, tool }, retry) => memory.emit({ type: "tool.retry", callId: id, tool: tool.name, ...retry }),
    onProgress: ({ id, tool }, progress) =>
      memory.emit({ type: "tool.progress", callId: id, tool: tool.name, ...readProgress(progress) }),
    onTask: ({ id, tool }, task) => memory.emit({ type: "tool.task", callId: id, tool: tool.name, ...task }),
  };
}

function createRunner(
  callTool: CallTool,
  stopServers: () => Promise<void>,
  planned: () => PlannedCall[],
  { withSpan }: Pick<Spans, "withSpan">,
) {
  const active = createBriefMap<Promise<Outcome>>();
  let lastRun = 0;
  const stopping = new AbortController();
  const draining = new AbortController();
  const ending = createJoinedSignals(stopping.signal);
  const drain = () => draining.abort(new Error("the plane is stopping"));
  /** One turn, so that cancellations are sent before servers go. */
  const abort = async () => {
    drain();
    stopping.abort(shuttingDown());
    for (const call of planned()) call.cancel(stopping.signal.reason);
    await new Promise(setImmediate);
  };
  const ended = () => Promise.allSettled(active.values());
  const run = (given: AbortSignal | undefined, start: (signal: AbortSignal) => Promise<Outcome>) => {
    const { signal, leave } = ending.join(given);
    const running = start(signal);
    const key = ++lastRun;
    active.set(key, running);
    return running.finally(() => {
      active.delete(key);
      leave();
    });
  };
  return {
    run: (requested: Requested, given?: AbortSignal, askHere?: AskHere, relay?: Relay): Promise<Outcome> =>
      run(given, (signal) =>
        withSpan(requested, relay, (traced) =>
          callTool(requested, { signal, stopping: draining.signal, askHere, relay: traced }),
        ),
      ),
    /** Planned calls that go on along the stages. */
    goOn:
      (goOn: ReturnType<typeof createGoOn>): PlanPorts["goOn"] =>
      (call, begun, recorded, { signal: given, relay }) =>
        run(given, (signal) => goOn(call, begun, recorded, { signal, relay })),
    drain,
    endCalls: () => runAll([abort, ended]),
    stop: () => runAll([abort, stopServers, ended]),
  };
}

async function checkHeld(held: HeldCall, args: JsonObject, { grants }: CallParts, lookup: Lookup): Promise<void> {
  const { callId, toolId, ...call } = held;
  const tool = await lookup.toCall(toolId, call.principal);
  const grant = requireGrant(call.principal, tool, grants.grantFor, accessOf(call.options));
  await validate({ ...call, id: callId, asked: { tool: toolId, arguments: args }, tool, grant }, checkArguments);
}
