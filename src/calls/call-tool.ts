import { missingCredentials } from "../catalogue/health/availability.ts";
import { rewriteText } from "../lib/json/json-text.ts";
import type { Approved, Authorized, Executed, Injected, Requested, Routed, TimeLimit } from "../model/calls/call.ts";
import { healthKey } from "../model/catalogue/health.ts";
import { type ProviderSpec, providerLabel, type Tool } from "../model/catalogue/tool.ts";



import { PlaneError } from "../model/errors.ts";
import type { JsonObject } from "../model/json.ts";
import type { Principal } from "../model/principal.ts";
import { defaultTimeoutMs } from "../model/servers/server.ts";
import { type ApproveOptions, type Asking, approve } from "./approve.ts";
import { isOutdated } from "./attempt.ts";
import { authorize, authorizeArguments, type GrantFor } from "./authorize.ts";
import { requireReadable, requireWritable } from "./exact-arguments.ts";
import { type ExecuteOptions, execute } from "./execute.ts";
import { inject, type ValueFor } from "./inject.ts";
import type { Recorder } from "./record.ts";
import { type FindTool, resolve } from "./resolve.ts";
import { type CheckArguments, type OnlyReads, validate } from "./validate.ts";

export type Path = {
  findTool: FindTool;
  /** A caller with the rights of today. */
  currentPrincipal?(principal: Principal): Promise<Principal>;
  grantFor: GrantFor;
  checkArguments: CheckArguments;
  onlyReads?: OnlyReads;
  valueFor: ValueFor;
  approval: ApproveOptions;
  /** Null where nobody has a hook. */
  hooks?(): HookStages | null;
  routing: RouteOptions;
  execution: Omit<ExecuteOptions, "signal">;
  record: Recorder;
};

/** What hooks say before anybody is asked, and about the result. */
export type HookStages = {
  before(call: Injected, on: OnTheWay, signal: AbortSignal | undefined): Promise<Injected>;
  /** Never throws, so that no result gets past it. */
  after(call: Executed, signal: AbortSignal | undefined): Promise<Executed>;
};

type OnTheWay = {
  decide: ApproveOptions["decide"];
  withArguments(call: Injected, args: JsonObject): Promise<Injected>;
};

/** A definition that changes more often during one call is not called. */
const maxPlans = 3;

export type CallTool = (call: Requested, asking?: Asking) => ReturnType<Recorder>;

/**
 * The one path: resolve, authorize, validate, inject, approve, route, execute; record wraps the rest. Hooks, where
 * there are some, are asked before approve and after execute.
 */
export function createCallTool(path: Path): CallTool {
  const onTheWay: OnTheWay = {
    decide: path.approval.decide,
    async withArguments(call, args) {
      const asked = { ...call.asked, arguments: args };
      const { input, ...validated } = await validate({ ...call, asked }, path.checkArguments);
      // What the caller is told about their arguments, and what is kept for another try, stays what they wrote.
      const written = { ...call.input, arguments: input.arguments };
      return { ...(await inject({ ...validated, input: written }, path.valueFor)), asked: call.asked };
    },
  };
  /** What was held or tried before goes on with the rights its caller has now. */
  const asOfToday = async (call: Requested): Promise<Requested> => {
    if (!path.currentPrincipal) return call;
    return { ...call, principal: await path.currentPrincipal(call.principal) };
  };
  return (requested, asking = {}) =>
    path.record(requested, async (step): Promise<Routed | Executed> => {
      const hooks = path.hooks?.() ?? null;
      const { signal, relay } = asking;
      let latest = requested;
      for (let plans = 1; ; plans++) {
        const approved = await walk(latest);
        const routed = await step("route", () => requireWritable(route(approved, path.routing)));
        if (requested.options.dryRun) return routed;
        try {
          const executed = await step("execute", () => execute(routed, { ...path.execution, signal, relay }));
          if (hooks === null) return executed;
          rewriteText(executed.executed.result);
          return await step("hooks", () => hooks.after(executed, asking.signal));
        } catch (thrown) {
          // A server that was started for this call lists another definition: nothing decided so far holds for it.
          if (!isOutdated(thrown) || plans === maxPlans) throw thrown;
        }
      }

      /** Whoever had to wait for a yes starts again with it: meanwhile everything may have changed. */
      async function walk(call: Requested): Promise<Approved> {
        const found = step("resolve", () =>
          call.approved || call.resumed
            ? asOfToday(call).then((today) => resolve(today, path.findTool, asking.signal, asking.relay?.onProgress))
            : resolve(call, path.findTool, asking.signal, asking.relay?.onProgress),
        );
        const resolved = found instanceof Promise ? await found : found;
        const authorized = step("authorize", () => authorize(resolved, path.grantFor)) as Authorized;
        const checked = step("validate", () => validate(authorized, path.checkArguments, path.onlyReads));
        const validated = checked instanceof Promise ? await checked : checked;
        const completed = step("inject", () => inject(validated, path.valueFor));
        const injected = completed instanceof Promise ? await completed : completed;
        const judged =
          hooks === null
            ? injected
            : await step("hooks", () => {
                requireReadable(injected, "a hook would decide on that one");
                return hooks.before(injected, onTheWay, asking.signal);
              });
        const asked = step<Approved | Requested>("approve", () =>
          approve(authorizeArguments(judged, path.grantFor), path.approval, asking),
        );
        const answered: Approved | Requested = asked instanceof Promise ? await asked : asked;
        if (isApproved(answered)) return answered;
        latest = answered;
        return walk(answered);
      }
    });
}

function isApproved(call: Approved | Requested): call is Approved {
  return "approval" in call;
}

export type RouteOptions = {
  /** Where credentials that a tool needs are looked for. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Why a provider cannot be used right now, or null. */
  unavailable(provider: ProviderSpec): string | null;
  /** Why one of several providers is not to be asked again yet, or null. The tool goes by its `healthKey`. */
  resting(tool: string, provider: string): string | null;
  /** How badly a provider does: the lower the better. Decides between those of one priority. */
  score?(tool: string, provider: string): number;
  serverLimitMs(server: string): number | undefined;
  /** Is this provider a way for whoever calls? One that is not is left out, and nobody is told of it. */
  mayReach?(call: Approved, provider: ProviderSpec): boolean;
};

/** Who may execute the call, best first, and how long it may take. */
export function route(call: Approved, options: RouteOptions): Routed {
  const { environment, unavailable, resting, serverLimitMs } = options;
  const { providers } = call.tool;
  const key = healthKey(call.tool);
  const missing = missingCredentials(call.tool, environment);
  if (missing !== null) throw noProvider(call, missing);
  const reasons: Record<string, string> = {};
  const candidates = ranked(call.tool, options).filter((provider) => {
    if (options.mayReach && !options.mayReach(call, provider)) return false;
    const label = providerLabel(provider, providers);
    // Where there is no other way, waiting for it helps nobody.
    const rest = providers.length > 1 ? resting(key, label) : null;
    const reason = unavailable(provider) ?? rest;
    if (reason !== null) reasons[label] = reason;
    return reason === null;
  });
  if (candidates.length > 0) return { ...call, route: { candidates, limit: timeLimit(call, serverLimitMs) } };
  const listed = Object.entries(reasons).map(([name, reason]) => `${name}: ${reason}`);
  throw noProvider(call, listed.join("; ") || "it declares none", reasons);
}

/** By priority, then by how well they do, then by name. */
function ranked(tool: Tool, { score }: RouteOptions): ProviderSpec[] {
  const { providers } = tool;
  if (providers.length < 2) return providers;
  const key = healthKey(tool);
  const known = providers.map((spec) => {
    const label = providerLabel(spec, providers);
    return { spec, label, score: score?.(key, label) ?? 0 };
  });
  known.sort((a, b) => a.spec.priority - b.spec.priority || a.score - b.score || a.label.localeCompare(b.label));
  return known.map(({ spec }) => spec);
}

function noProvider(call: Approved, why: string, providers: Record<string, string> = {}): PlaneError {
  return new PlaneError("NO_PROVIDER", `No provider can execute '${call.tool.name}': ${why}.`, {
    data: { tool: call.tool.name, providers },
  });
}

/** Call, then tool, then server, then the default. 0 is unlimited and has to be said. */
function timeLimit(call: Approved, serverLimitMs: RouteOptions["serverLimitMs"]): TimeLimit {
  const { timeoutMs } = call.options;
  if (timeoutMs !== undefined) return { ms: timeoutMs, setBy: "call" };
  const seconds = call.tool.metadata.default_timeout;
  if (seconds !== undefined) return { ms: seconds * 1000, setBy: "tool" };
  const ofServer = call.tool.id.server === null ? undefined : serverLimitMs(call.tool.id.server);
  if (ofServer !== undefined) return { ms: ofServer, setBy: "server" };
  return { ms: defaultTimeoutMs, setBy: "default" };
}
