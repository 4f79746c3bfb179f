import { type Answers, createPolicy, effectOf, type Hooks, type Profile } from "../access/access.ts";
import type { HealthFeed } from "../catalogue/health/health-feed.ts";
import { providerScore } from "../catalogue/health/provider-score.ts";
import type { Routing } from "../catalogue/health/routing.ts";
import type { PlaneQuality } from "../catalogue/quality/quality.ts";
import type { Registry } from "../catalogue/registry.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { runAll } from "../lib/async/once.ts";
import { createJoinedSignals } from "../lib/async/signals.ts";




import { requireIsolation } from "../access/policy/decide.ts";

import { createBriefMap } from "../lib/brief-map.ts";
import { sameJson } from "../lib/json/plain-data.ts";
import type { Grants } from "../model/access/grants.ts";
import type { Outcome, Requested } from "../model/calls/call.ts";
import type { AskHere, HeldCall } from "../model/calls/held-call.ts";
import type { ProgressReport, Relay } from "../model/calls/provider.ts";
import { providerSubject } from "../model/catalogue/health.ts";
import type { Tool, ToolId } from "../model/catalogue/tool.ts";
import type { Config } from "../model/config/config.ts";
import { toPlaneError } from "../model/errors.ts";
import { isObject, type JsonObject, type UnknownObject } from "../model/json.ts";
import type { Plane } from "../model/plane.ts";
import type { Principal } from "../model/principal.ts";

import type { Verbs } from "../model/verbs.ts";
import type { Servers } from "../servers/servers.ts";
import type { Recorder } from "../store/store.ts";
import { type Activity, createActivity } from "./activity.ts";
import type { Approvals } from "./approvals.ts";
import { accessOf, requireGrant } from "./authorize.ts";
import { createCallTool } from "./call-tool.ts";
import { createInjection } from "./injection.ts";
import type { Limits } from "./limits/limits.ts";
import type { Providers } from "./providers/providers.ts";
import { createRecorder, type RecordOptions } from "./record.ts";
import { requestCall } from "./request.ts";
import { tellSpan, withAttemptSpans, withSpan } from "./spans/spans.ts";
import { createToolFinder } from "./tool-finder.ts";
import { type CheckArguments, validate } from "./validate.ts";

const updateMark = "MCP_UPDATE:";

type ProgressRead = ProgressReport & { percentage: number | null; update?: UnknownObject };

/** Progress as it is told: with its share of the whole, and with the structured update some servers put into the text. */
function readProgress({ progress, total, message }: ProgressReport): ProgressRead {
  const percentage = total !== null && total > 0 ? Math.min(100, Math.max(0, (progress / total) * 100)) : null;
  const update = message?.startsWith(updateMark) ? parseUpdate(message.slice(updateMark.length)) : null;
  const told = { progress, total, percentage };
  return update === null ? { ...told, message } : { ...told, message: textOf(update), update };
}

function parseUpdate(text: string): UnknownObject | null {
  try {
    const update: unknown = JSON.parse(text);
    return isObject(update) && typeof update.type === "string" ? update : null;
  } catch {
    return null;
  }
}

function textOf({ message, progress_message }: UnknownObject): string {
  const text = progress_message ?? message;
  return typeof text === "string" ? text : "Processing...";
}

type Environment = Readonly<Record<string, string | undefined>>;
type SchemaCheck = typeof import("./schema-check.ts");

export type CallParts = {
  config(): Config;
  environment: Environment;
  defaultPrincipal: Principal;
  /** What is asked about where no rule matches. */
  profile(): Profile | Promise<Profile>;
  /** A caller with the rights of today. */
  currentPrincipal(principal: Principal): Promise<Principal>;
  memory: Recorder;
  health: HealthFeed;
  servers: Servers;
  catalogue: Catalogue;
  providers: Providers;
  routing: Routing;
  answers: Answers;
  limits: Limits;
  schemaCheck(): Promise<SchemaCheck>;
  keepFailed: NonNullable<RecordOptions["keepFailed"]>;
  approval: Approvals["stage"];
  hooks: Hooks["stages"];
  onApprovedEnd: Approvals["onApprovedEnd"];
  present: NonNullable<RecordOptions["present"]>;
  find(asked: string | ToolId, principal: Principal): Promise<Tool>;
  registry: Pick<Registry, "snapshot">;
  quality: Pick<PlaneQuality, "requireTrusted" | "heldProvider" | "isHeld">;
  grants: Grants;
  /** What is sent with each call of a tool, because the configuration says so. */
  fixedOf(tool: Tool): JsonObject;
};

/** The one path, wired. */
export function createCalls(parts: CallParts): Pick<Verbs, "testPolicy"> &
  Pick<Plane, "call"> & {
    /** Throws what is wrong with the arguments that a held call was changed to. */
    checkArguments(held: HeldCall, args: JsonObject): Promise<void>;
    /** A call that is asked for already. */
    run(requested: Requested, signal?: AbortSignal): Promise<Outcome>;
    /** The last calls in short, as far as this principal may see them. */
    activity: Activity["entries"];
    /** What waits for a person is left to other planes from now on, or to the next start. */
    drain(): void;
    stop(): Promise<void>;
  } {
  const { config, environment, defaultPrincipal, health, memory, servers, catalogue, providers, routing, answers } =
    parts;
  const { schemaCheck, find, grants, quality, registry } = parts;
  const { emit } = memory;
  const decide = createPolicy({
    policy: () => config().policy,
    isIsolated: (server) => config().servers[server]?.isolated === true,
  });
  let checks: SchemaCheck | undefined;
  const checkArguments: CheckArguments = (schema, args) => {
    if (checks) return checks.checkSchema(schema, args);
    return schemaCheck().then((loaded) => {
      checks = loaded;
      return loaded.checkSchema(schema, args);
    });
  };
  const valueFor = createInjection({
    config,
    // A planner that waits for the slowest server is of no use to anybody.
    discover: ({ user }) => servers.discover(undefined, { owner: { user, conversation: null }, waitMs: 10_000 }),
    visibleTo: (principal, request) => catalogue.visibleTo(principal, request).filter((tool) => !quality.isHeld(tool)),
    mayUse: (principal, tool, request) => !("refused" in grants.grantFor(principal, tool, request)),
    verdictOn: async (call, tool) =>
      decide({ ...call, tool, input: { arguments: {}, repaired: false, dropped: [] } }, await parts.profile()),
    fixedOf: parts.fixedOf,
    environment,
  });
  const activity = createActivity();
  const callTool = createCallTool({
    currentPrincipal: parts.currentPrincipal,
    findTool: createToolFinder(parts),
    grantFor: grants.grantFor,
    checkArguments,
    onlyReads: (tool) => effectOf(tool, config().policy.effects).effect === "read",
    valueFor,
    approval: {
      decide(call) {
        const profile = parts.profile();
        return typeof profile === "string" ? decide(call, profile) : profile.then((now) => decide(call, now));
      },
      ...parts.approval,
    },
    hooks: parts.hooks,
    routing: {
      environment,
      unavailable: (spec) => quality.heldProvider(spec) ?? providers.trouble(spec),
      resting: routing.cooldown,
      score: (tool, provider) =>
        providerScore(health.known.summary(providerSubject(tool, provider)), routing.state(tool, provider).failures),
      serverLimitMs: (server) => config().servers[server]?.timeoutMs,
      mayReach: ({ principal, options }, provider) =>
        grants.refuseProvider(principal, provider, accessOf(options)) === null,
    },
    execution: {
      provider: (kind) => withAttemptSpans(providers.of(kind)),
      isCurrent({ tool, principal }, spec) {
        const now = registry.snapshot(principal.persona).byId(tool.id);
        return (now === tool || sameJson(now, tool)) && quality.heldProvider(spec) === null;
      },
      checkOutput: async (schema, result) => (await schemaCheck()).checkOutput(schema, result),
      answer: answers.answer,
      fit: answers.fit,
      limits: parts.limits,
      routing: {
        failed: routing.failed,
        worked: routing.worked,
        async check(tool, provider, spec, signal) {
          const asked = routing.takeCheck(tool, provider, spec) ? providers.check(spec, signal) : null;
          if (asked === null) return null;
          return asked.then(
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
    record: createRecorder({
      emit,
      write: memory.record,
      keepFailed: parts.keepFailed,
      onApprovedEnd: parts.onApprovedEnd,
      present: parts.present,
      onEnded(call, outcome) {
        activity.note(call, outcome);
        tellSpan(call);
      },
    }),
  });

  const active = createBriefMap<Promise<Outcome>>();
  let lastRun = 0;
  const stopping = new AbortController();
  const draining = new AbortController();
  const ending = createJoinedSignals(stopping.signal);
  const run = (requested: Requested, given?: AbortSignal, askHere?: AskHere, relay?: Relay) => {
    const { signal, leave } = ending.join(given);
    const running = withSpan(requested, relay, (traced) =>
      callTool(requested, { signal, stopping: draining.signal, askHere, relay: traced }),
    );
    const key = ++lastRun;
    active.set(key, running);
    return running.finally(() => {
      active.delete(key);
      leave();
    });
  };
  return {
    call: (asked, args, callOptions = {}) =>
      run(
        requestCall(asked, args, callOptions, defaultPrincipal),
        callOptions.signal,
        callOptions.askHere,
        callOptions.relay,
      ),
    run,
    async checkArguments({ callId, at, toolId, ...held }, args) {
      const tool = await find(toolId, held.principal);
      const asked = { tool: toolId, arguments: args };
      const grant = requireGrant(held.principal, tool, grants.grantFor, accessOf(held.options));
      await validate({ ...held, id: callId, at, asked, tool, grant }, checkArguments);
    },
    testPolicy: createPolicyTest({ config, find, grants, decide, profile: parts.profile, defaultPrincipal }),
    activity: activity.entries,
    drain: () => draining.abort(new Error("the plane is stopping")),
    async stop() {
      draining.abort(new Error("the plane is stopping"));
      stopping.abort(new Error("the plane is stopping"));
      // A turn for what has to be said to servers before they go.
      await new Promise(setImmediate);
      await runAll([servers.stop, () => Promise.allSettled(active.values())]);
    },
  };
}

type Parts = {
  config(): Config;
  find(asked: string | ToolId, principal: Principal): Promise<Tool>;
  grants: Grants;
  decide: ReturnType<typeof createPolicy>;
  profile(): Profile | Promise<Profile>;
  defaultPrincipal: Principal;
};

/** What the policy says about a call that nobody makes. */
function createPolicyTest({ config, find, grants, decide, profile, defaultPrincipal }: Parts): Plane["policy"]["test"] {
  return async (asked, args = {}, { principal = defaultPrincipal, face = "library", mode } = {}) => {
    const tool = await find(asked, principal);
    const grant = grants.grantToSee(principal, tool, args);
    const { known: _, ...effect } = effectOf(tool, config().policy.effects);
    if ("refused" in grant) return { verdict: "deny", origin: "grant", reason: grant.refused, tool: tool.name, effect };
    const requested = requestCall(asked, args, { principal, face, ...(mode && { mode }) }, defaultPrincipal);
    const input = { arguments: args, repaired: false, dropped: [] };
    const verdict = await decide({ ...requested, tool, grant, input }, await profile());
    return { ...verdict, tool: tool.name, effect };
  };
}
