import { createLazyHooks, namedConversation } from "../access/access.ts";
import { workingDirectory } from "../config/config.ts";
import { Cancellation } from "../lib/async/cancellation.ts";
import { runAll } from "../lib/async/once.ts";
import { createShortLivedMap } from "../lib/short-lived-map.ts";
import type { Grants } from "../model/access/grants.ts";
import type { Outcome, Requested } from "../model/calls/call.ts";
import type { AskHere, HeldOpen } from "../model/calls/held-call.ts";
import type { HeldCall } from "../model/calls/held-schema.ts";
import type { Relay } from "../model/calls/provider.ts";
import { shuttingDown } from "../model/errors.ts";
import type { JsonObject } from "../model/json.ts";
import type { Plane, PlaneCallOptions } from "../model/plane.ts";
import type { Inside } from "../model/principal.ts";
import { skillsExtension } from "../protocol/extensions.ts";
import type { Servers } from "../servers/servers.ts";
import { createSessionStore } from "../store/store.ts";
import { createActivity, withEnds } from "./activity.ts";
import { type Approvals, type CallContext, createLazyApprovals } from "./approve.ts";
import { sessionOwner } from "./attempt.ts";
import { accessRequestOf, requireGrant } from "./authorize.ts";
import { createReadCache } from "./cache/read-cache.ts";
import { type CallTool, createCallTool, requestCall } from "./call-tool.ts";
import { createEndRecorder, createRecordCloser } from "./held-record.ts";
import { createMayMake, createPolicyTest } from "./judge.ts";
import { createLookup, type Lookup } from "./lookup.ts";
import { createOfferVerbs } from "./offers/offers.ts";
import { createPayloads } from "./payloads.ts";
import { createPolicyPreview } from "./policy-preview.ts";
import { embedWith } from "./providers/model-endpoint.ts";
import { createProviders } from "./providers/providers.ts";
import { checkArguments, loadAndCheckSchema, schemaCheck } from "./schema/load-check.ts";
import { createSpans, type Spans } from "./spans.ts";
import { validate } from "./validate.ts";
import { type CallsContext, wirePath } from "./wire-path.ts";

export { requireGrant } from "./authorize.ts";
export { requestCall } from "./call-tool.ts";
export { createLimits } from "./limits/limits.ts";
export type { Lookup } from "./lookup.ts";
export { offerRequest } from "./offers/offer-tools.ts";
export { readResultManifest } from "./providers/builtin.ts";
export { explainModelFailure } from "./providers/http.ts";
export {
  endpointOf,
  type ModelEndpoint,
  modelTrouble,
  openChatModel,
} from "./providers/model-endpoint.ts";
export { loadRecordings } from "./recording/open-recordings.ts";
export { createResults } from "./results/results.ts";
export type { Otlp, OtlpPorts, RunBeginning, Spans, TelemetryPackage, TracedRun } from "./spans.ts";
export { type ArgumentProblem, type CheckArguments, validate } from "./validate.ts";

type CallVerbs = Approvals["verbs"] &
  ReturnType<typeof createOfferVerbs> &
  Inside<Pick<Plane, "call">> &
  Pick<Plane, "drain" | "endCalls"> & {
    policy: Inside<Plane["policy"]>;
    tools: Inside<Pick<Plane["tools"], "get" | "registerProvider">>;
    calls: Inside<Pick<Plane["calls"], "activity" | "payloads">>;
    clients: Pick<Plane["clients"], "sessions">;
    conversations: Inside<Pick<Plane["conversations"], "end">>;
  };
type Owner = Parameters<Parameters<Servers["release"]>[0]>[0];

export type Calls = Awaited<ReturnType<typeof createCalls>>;

export async function createCalls(context: CallsContext) {
  const { settings, environment, options, recorder, audit, access, servers, catalogue, limits } =
    context;
  const { config } = settings;
  const { registry, quality } = catalogue;
  const { grants, identity, defaults } = access;
  const { emit, store } = recorder;
  const { profile } = identity;
  const models = () => config().models;
  const lookup = createLookup({
    config,
    registry,
    servers,
    grants,
    catalogue: () => catalogue,
    quality,
    health: catalogue.health,
    recorder,
    loaded: catalogue.loaded,
    schemaCheck,
    operationCommand: (name) => context.extensions.operationCommand(name),
  });
  const providers = createProviders({
    servers,
    handWritten: catalogue.handWritten,
    reveal: settings.reveal,
    builtin: context.results.provider,
    egress: context.egress,
    models,
    keyOfModel: settings.keyOfModel,
  });
  const sessions = createSessionStore(recorder);
  const judging = { config, grants, registry, profile, defaults };
  const approvals = createLazyApprovals({
    config,
    store,
    emit,
    profile,
    livesAsBefore: async () => (await defaults.inForce("approvals.expireMs")) === "before",
    run: (call) => runner.run(call),
    recordEnd: createEndRecorder(recorder),
    closeRecords: createRecordCloser(recorder),
    isSessionOver: async (session) => (await sessions.find(session)) === null,
    checkArguments: (heldCall, args) => checkHeld(heldCall, args, grants, lookup),
    mayMake: createMayMake(judging, lookup),
    onChangedElsewhere: (listener) =>
      recorder.onNews((news) => {
        if (news.what === "heldCall") listener(news.id);
      }),
    fixedOf: registry.fixedOf,
    audit: audit.run,
  });
  const hooks = await createLazyHooks({
    settings: () => config().hooks,
    fileOf: (event, index) => settings.fileOf(["hooks", event, index]),
    functions: options.hooks,
    projectDirectory: options.projectDirectory ?? workingDirectory(),
    requireFiles: settings.requireHooks,
    environment,
    emit,
  });
  const payloads = createPayloads({ config, store });
  const activity = createActivity(payloads.note);
  const reads = createReadCache({
    config,
    servers,
    answer: context.answers.answer,
    tools: registry.all,
  });
  const spans = await createSpans({
    settings: settings.otlp,
    on: recorder.on,
    emit,
    packages: context.packages,
  });
  const path = wirePath(context, { lookup, providers, approvals, hooks, activity, reads, spans });
  const runner = createRunner(createCallTool(path), servers.stop, spans);
  const call: Inside<Plane>["call"] = (tool, args, options) =>
    runner.run(requestCall(tool, args, options), options);
  const verbs: CallVerbs = {
    ...approvals.verbs,
    ...createOfferVerbs({
      call,
      servers,
      config,
      packages: context.packages,
      pages: catalogue.pages,
      judge: quality.judge,
      skilled(principal) {
        const declared = (name: string) => servers.verbs.servers.extensions(name, { principal });
        return servers.names().filter((name) => Object.hasOwn(declared(name), skillsExtension));
      },
      discover: (principal, waitMs) => lookup.discover(null, principal, { waitMs }),
      onListChanged: (listener) =>
        servers.verbs.servers.onMessage(({ method }) => {
          if (method === "notifications/resources/list_changed") listener();
        }),
    }),
    call,
    drain: runner.drain,
    endCalls: runner.endCalls,
    policy: {
      test: createPolicyTest(judging, lookup),
      preview: createPolicyPreview({ ...judging, recorder }, lookup, payloads.read),
    },
    tools: { get: lookup.tool, registerProvider: providers.register },
    calls: {
      activity: async ({ principal }) =>
        withEnds(activity.entries(principal), async (id) => (await store()).call(id)),
      payloads: (ids, { principal }) => payloads.read(ids, principal),
    },
    clients: { sessions },
    conversations: {
      async end(conversation, { principal, goesOn = false }) {
        if (!goesOn) {
          await limits.endConversation(conversation, principal);
          await hooks.ended(conversation, principal);
          await access.conversations.end(namedConversation(conversation, principal));
          await approvals.conversationEnded(conversation, principal);
        }
        const conversationOwner = sessionOwner(principal, conversation);

        function isTheirs(owner: Owner) {
          return (
            owner.conversation === conversationOwner.conversation &&
            owner.user === conversationOwner.user
          );
        }

        return servers.release(isTheirs, "the conversation ended");
      },
    },
  };
  return {
    lookup,
    providerTrouble: providers.trouble,
    embedWith: (model: string, texts: readonly string[]) =>
      embedWith(model, { models: models(), keyOf: settings.keyOfModel }, texts),
    checkSchema: loadAndCheckSchema,
    guardPrompt: hooks.guardPrompt,
    verbs,
    run: (requested: Requested, signal?: AbortSignal) =>
      runner.run(requested, signal ? { signal } : {}),
    /** A server was restarted, or says that its lists have changed. */
    forgetReads: reads.forget,
    start: approvals.start,
    reconfigured: spans.apply,
    beginRunSpan: spans.beginRunSpan,
    stop: () => runAll([[approvals.stop, runner.stop], payloads.stop, spans.stop]),
  };
}

type RunOptions = Pick<
  PlaneCallOptions,
  "signal" | "cancellation" | "askHere" | "relay" | "heldOpen"
>;

/** A call under way, as its stages ask for it. */
class RunningCall extends Cancellation implements CallContext {
  readonly number: number;
  readonly stopping: AbortSignal;
  readonly askHere: AskHere | undefined;
  readonly heldOpen: HeldOpen | undefined;
  relay: Relay | undefined;
  done: Promise<Outcome> | undefined;

  constructor(number: number, options: RunOptions, stopping: AbortSignal) {
    super();
    this.number = number;
    // A signal may be made only when it is read.
    this.follow(options.cancellation ?? options.signal);
    this.stopping = stopping;
    this.askHere = options.askHere;
    this.heldOpen = options.heldOpen;
    this.relay = options.relay;
  }

  get cancellation(): Cancellation {
    return this;
  }

  goOnAlone(): void {
    this.unfollow();
  }
}

function createRunner(
  callTool: CallTool,
  stopServers: () => Promise<void>,
  { withSpan }: Pick<Spans, "withSpan">,
) {
  const active = createShortLivedMap<RunningCall>();
  let startedCalls = 0;
  const draining = new AbortController();
  let stopped: { reason: unknown } | null = null;
  const drain = () => draining.abort(new Error("the plane is stopping"));

  /** One turn, so that cancellations are sent before servers go. */
  async function abort() {
    drain();
    stopped ??= { reason: shuttingDown() };
    for (const call of active.values()) call.cancel(stopped.reason);
    await new Promise(setImmediate);
  }

  const ended = () => Promise.allSettled(active.values().map(({ done }) => done));
  return {
    run(requested: Requested, options: RunOptions = {}): Promise<Outcome> {
      const call = new RunningCall(++startedCalls, options, draining.signal);
      active.set(call.number, call);
      if (stopped) call.cancel(stopped.reason);
      call.done = withSpan(requested, call.relay, (traced) => {
        call.relay = traced;
        return callTool(requested, call);
      }).finally(() => {
        active.delete(call.number);
        call.unfollow();
      });
      return call.done;
    },
    drain,
    endCalls: () => runAll([abort, ended]),
    stop: () => runAll([abort, stopServers, ended]),
  };
}

async function checkHeld(
  heldCall: HeldCall,
  args: JsonObject,
  grants: Grants,
  lookup: Lookup,
): Promise<void> {
  const { callId, toolId, ...call } = heldCall;
  const tool = await lookup.toCall(toolId, call.principal);
  const grant = requireGrant(call.principal, tool, grants.grantFor, accessRequestOf(call.options));
  await validate(
    { ...call, id: callId, asked: { tool: toolId, arguments: args }, tool, grant },
    checkArguments,
  );
}
