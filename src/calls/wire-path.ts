import { type Access, type Answers, effectOf, type Hooks } from "../access/access.ts";
import { type Catalogue, failurePenalty } from "../catalogue/catalogue.ts";
import type { Environment, Settings } from "../config/config.ts";
import { andThen } from "../lib/async/and-then.ts";
import { createTimeWheel } from "../lib/async/time-wheel.ts";
import { sameJson, withoutUndefined } from "../lib/json/plain-data.ts";
import type { Egress } from "../lib/net/egress.ts";
import type { PlaneAudit } from "../model/audit.ts";
import type { Outcome } from "../model/calls/call.ts";
import { describeProgress } from "../model/calls/provider.ts";
import { providerSubject } from "../model/catalogue/health.ts";
import type { ProviderSpec } from "../model/catalogue/tool.ts";
import { PlaneError, toPlaneError } from "../model/errors.ts";
import type { ExecuteStage } from "../model/extensions/extension.ts";
import type { CataloguePackages } from "../model/packages.ts";
import type { PlaneOptions } from "../model/plane-options.ts";
import { ownerOfCaller, type Servers } from "../servers/servers.ts";
import type { Recorder } from "../store/store.ts";
import type { Activity } from "./activity.ts";
import { aroundStages } from "./added-stages.ts";
import type { Approvals } from "./approve.ts";
import { accessRequestOf } from "./authorize.ts";
import type { ReadCache } from "./cache/read-cache.ts";
import type { CallStages } from "./call-tool.ts";
import type { ExecuteOptions } from "./execute.ts";
import { createInjection } from "./inject.ts";
import { policyOf } from "./judge.ts";
import type { CallLimits } from "./limits/limits.ts";
import type { Lookup } from "./lookup.ts";
import type { Providers } from "./providers/providers.ts";
import { createCallRecorder, type RecordOptions } from "./record.ts";
import type { Recordings } from "./recording/recordings.ts";
import type { Results } from "./results/results.ts";
import type { RouteOptions } from "./route.ts";
import { checkArguments, schemaCheck, withEngine } from "./schema/load-check.ts";
import type { Spans, TelemetryPackage } from "./spans.ts";

/** What calls need of the plane. Rooms above this one are described by what they do for it. */
export type CallsContext = {
  readonly settings: Pick<
    Settings,
    "config" | "fileOf" | "keyOfModel" | "otlp" | "requireHooks" | "reveal"
  >;
  readonly environment: Environment;
  readonly packages: Pick<CataloguePackages, "scan"> & { telemetry(): Promise<TelemetryPackage> };
  readonly options: Pick<PlaneOptions, "hooks" | "projectDirectory">;
  readonly recorder: Recorder;
  readonly audit: Pick<PlaneAudit, "run">;
  readonly egress: Egress;
  readonly access: Access;
  readonly answers: Answers;
  readonly limits: CallLimits;
  readonly results: Pick<Results, "present" | "provider">;
  readonly recordings: Pick<Recordings, "around">;
  readonly catalogue: Catalogue;
  readonly servers: Servers;
  /** Of a call that was approved and belongs to a program, which may wait for it. */
  readonly agent: { keepAnswer(approval: string, outcome: Outcome): Promise<void> };
  readonly extensions: {
    stages(): readonly ExecuteStage[];
    operationCommand(name: string): string | null;
  };
  readonly work: Required<Pick<RecordOptions, "keepFailed" | "accept">>;
};

export type Stages = {
  lookup: Lookup;
  providers: Providers;
  approvals: Approvals;
  hooks: Hooks;
  activity: Activity;
  reads: ReadCache;
  spans: Spans;
};

export function wirePath(context: CallsContext, stages: Stages): CallStages {
  const { settings, environment, servers, catalogue, access, recorder } = context;
  const { lookup, providers, approvals, hooks, activity, reads, spans } = stages;
  const { config } = settings;
  const { quality, registry } = catalogue;
  const { grants, identity } = access;
  const { profile } = identity;
  const decide = policyOf({ config, registry, defaults: access.defaults });
  return {
    around: (tool) =>
      aroundStages(
        context.extensions.stages(),
        context.recordings.around(tool, reads.around(tool)),
      ),
    currentPrincipal: identity.current,
    findTool: lookup.findTool,
    grantFor: grants.grantFor,
    checkArguments,
    async hasOther({ tool, principal }, thrown) {
      const { server } = tool.id;
      if (server === null || !(thrown instanceof PlaneError) || thrown.code !== "INVALID_ARGUMENTS")
        return false;
      // One that only has nothing to do is not started for a call that is refused.
      const hasCrashed = servers.status().some(({ name, state, error }) => {
        return name === server && state !== "connected" && error !== null;
      });
      if (!hasCrashed) return false;
      await servers.connect(server).catch(() => undefined);
      return registry.snapshot(principal).byId(tool.id) !== tool;
    },
    onlyReads: (tool) => effectOf(tool, config().policy.effects).effect === "read",
    valueFor: createInjection({
      config,
      // A planner does not wait for the slowest server.
      discover: (principal) =>
        servers.discover(undefined, { owner: ownerOfCaller(principal), waitMs: 10_000 }),
      visibleTo(principal, request) {
        const visible = catalogue.visibleTo(principal, request);
        return visible.filter((tool) => !quality.isHeld(tool));
      },
      mayUse: (principal, tool, request) =>
        !("refused" in grants.grantFor(principal, tool, request)),
      verdictOn: async (call, tool) =>
        decide(
          { ...call, tool, input: { arguments: {}, repaired: false, dropped: [] } },
          await profile(),
        ),
      fixedOf: registry.fixedOf,
      environment,
    }),
    approval: {
      decide: (call) => andThen(profile(), (current) => decide(call, current)),
      ...approvals.stage,
    },
    hooks: hooks.stages,
    routing: routeOptions(context, providers),
    execution: executeOptions(context, providers, spans),
    record: createCallRecorder({
      begin: recorder.begin,
      emitClean: recorder.emitClean,
      write: recorder.record,
      keepFailed: (...failed) => context.work.keepFailed(...failed),
      accept: (...unsent) => context.work.accept(...unsent),
      async onApprovedEnd(yes, outcome, { options: { run } }) {
        if (run?.startsWith("code-")) await context.agent.keepAnswer(yes.id, outcome);
        await approvals.onApprovedEnd(yes, outcome);
      },
      present: context.results.present,
      onEnded(call, outcome, stages) {
        activity.note(call, outcome);
        spans.tellSpan(call, stages);
      },
    }),
  };
}

function routeOptions(context: CallsContext, providers: Providers): RouteOptions {
  const { settings, environment, catalogue, access } = context;
  const { config } = settings;
  const { quality, routing, health } = catalogue;
  const { grants } = access;
  return {
    environment,
    standing: () => ({ config: config(), quality: quality.standing() }),
    unavailable: (spec) => quality.heldProvider(spec) ?? providers.trouble(spec),
    cooldown: routing.cooldown,
    failurePenalty: (tool, provider) =>
      failurePenalty(
        health.known.summary(providerSubject(tool, provider)),
        routing.state(tool, provider).failures,
      ),
    serverLimitMs: (server) => config().servers[server]?.timeoutMs,
    mayReach({ principal, options, input, injected }, provider) {
      const request = {
        ...accessRequestOf(options),
        arguments: { ...input.arguments, ...injected.values },
      };
      return grants.refuseProvider(principal, provider, request) === null;
    },
  };
}

function executeOptions(context: CallsContext, providers: Providers, spans: Spans): ExecuteOptions {
  const { answers, limits, recorder, settings } = context;
  const { registry, quality, routing } = context.catalogue;
  /** Found out once for a provider and a user, as long as nothing else is quarantined. */
  const verified = new WeakMap<ProviderSpec, { standing: object; user: string | null }>();
  return {
    provider: (kind) => spans.withAttemptSpans(providers.of(kind)),
    isCurrent({ tool, principal }, spec) {
      const currentTool = registry.snapshot(principal).byId(tool.id);
      const standing = quality.standing();
      const previous = verified.get(spec);
      const isKnown =
        standing !== null && previous?.standing === standing && previous.user === principal.user;
      if (currentTool === tool && isKnown) return true;
      const isCurrent =
        (currentTool === tool || sameJson(currentTool, tool)) &&
        quality.heldProvider(spec, principal) === null;
      if (isCurrent && standing !== null) verified.set(spec, { standing, user: principal.user });
      return isCurrent;
    },
    async checkOutput(schema, result) {
      const loaded = await schemaCheck();
      return withEngine(() => loaded.checkOutput(schema, result));
    },
    answer: answers.answer,
    fit: answers.fit,
    samples: answers.samples,
    limits: limits.path,
    wheel: createTimeWheel(),
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
      const { retry, servers } = settings.config();
      return { ...retry, ...withoutUndefined(servers[String(server)]?.retry ?? {}) };
    },
    ...providers.readiness,
    onRetry: ({ id, tool }, retry) =>
      recorder.emit({ type: "tool.retry", callId: id, tool: tool.name, ...retry }),
    onProgress: ({ id, tool }, progress) =>
      recorder.emit({
        type: "tool.progress",
        callId: id,
        tool: tool.name,
        ...describeProgress(progress),
      }),
    onTask: ({ id, tool }, task) =>
      recorder.emit({ type: "tool.task", callId: id, tool: tool.name, ...task }),
  };
}
