import { missingCredentials } from "../catalogue/catalogue.ts";
import type { Approved, Routed, TimeLimit } from "../model/calls/call.ts";
import { healthKey } from "../model/catalogue/health.ts";
import { type ProviderSpec, providerLabel, type Tool } from "../model/catalogue/tool.ts";
import { PlaneError } from "../model/errors.ts";
import type { Principal } from "../model/principal.ts";
import { defaultTimeoutMs } from "../model/servers/server.ts";
import { requireReadable } from "./validate.ts";

export type RouteOptions = {
  environment: Readonly<Record<string, string | undefined>>;
  /** Why the provider cannot be used now, or null. */
  unavailable(provider: ProviderSpec): string | null;
  /** Why the provider is in cooldown, or null. `tool` is a `healthKey`. */
  cooldown(tool: string, provider: string): string | null;
  /** Between equal priorities, the provider with the lowest penalty is tried first. */
  failurePenalty?(tool: string, provider: string): number;
  serverLimitMs(server: string): number | undefined;
  /** What the routes of calls without options depend on; each is another object once it has changed. */
  standing?(): { config: object; quality: object | null };
  /** Providers that the caller may not reach are left out silently. */
  mayReach?(
    call: Pick<Approved, "principal" | "options" | "input" | "injected">,
    provider: ProviderSpec,
  ): boolean;
};

export function route(call: Approved, options: RouteOptions): Routed {
  const cached = knownRoute(call, options);
  if (cached === null) return choose(call, options);
  const routed = call as Routed;
  cached.route ??= choose(call, options).route;
  routed.route = cached.route;
  return routed;
}

type CachedRoute = { config: object; quality: object; route: Routed["route"] | undefined };
const knownRoutes = new WeakMap<RouteOptions, WeakMap<Principal, WeakMap<Tool, CachedRoute>>>();

/** Where there is one server and nothing in the call decides: its route is the same until something changes. Else null. */
function knownRoute(
  { principal, tool, options: callOptions }: Approved,
  options: RouteOptions,
): CachedRoute | null {
  const { config, quality } = options.standing?.() ?? { config: null, quality: null };
  if (config === null || quality === null || !leavesRouteOpen(callOptions)) return null;
  const { id, providers, metadata } = tool;
  if (
    id.server === null ||
    id.kind ||
    providers.length > 1 ||
    metadata.requires_flags !== undefined
  )
    return null;
  const byCaller = knownRoutes.get(options) ?? new WeakMap<Principal, WeakMap<Tool, CachedRoute>>();
  const byTool = byCaller.get(principal) ?? new WeakMap<Tool, CachedRoute>();
  const previous = byTool.get(tool);
  if (previous && previous.config === config && previous.quality === quality) return previous;
  const cached: CachedRoute = { config, quality, route: undefined };
  knownRoutes.set(options, byCaller.set(principal, byTool.set(tool, cached)));
  return cached;
}

/** Has the call no option that concerns the route? */
function leavesRouteOpen({
  timeoutMs,
  toolGroups,
  state,
  compliance,
  mcp,
}: Approved["options"]): boolean {
  return (
    timeoutMs === undefined &&
    toolGroups === undefined &&
    state === undefined &&
    compliance === undefined &&
    mcp === undefined
  );
}

function choose(call: Approved, options: RouteOptions): Routed {
  const { environment, unavailable, cooldown, serverLimitMs } = options;
  const { providers } = call.tool;
  const key = healthKey(call.tool);
  const reasons: Record<string, string> = {};
  let mayComeBack = false;
  const candidates = ranked(call.tool, options).filter((provider) => {
    if (options.mayReach && !options.mayReach(call, provider)) return false;
    const label = providerLabel(provider, providers);
    // A cooldown makes sense only beside another provider.
    const cooldownReason = providers.length > 1 ? cooldown(key, label) : null;
    const lastingReason =
      missingCredentials(call.tool, provider, environment) ?? unavailable(provider);
    const reason = lastingReason ?? cooldownReason;
    mayComeBack ||= lastingReason === null && cooldownReason !== null;
    if (reason !== null) reasons[label] = reason;
    return reason === null;
  });
  if (candidates.length > 0) {
    const routed = call as Routed;
    const limit = timeLimit(call, serverLimitMs);
    const hasPassedOver = Object.keys(reasons).length > 0;
    routed.route = hasPassedOver
      ? { candidates, limit, passedOver: reasons }
      : { candidates, limit };
    return routed;
  }
  const listed = Object.entries(reasons).map(([name, reason]) => `${name}: ${reason}`);
  const why = listed.join("; ") || undeclared(call.tool, environment);
  const facts = { providers: reasons };
  throw noProvider(call, why, mayComeBack ? facts : { ...facts, permanent: true });
}

function undeclared(tool: Tool, environment: RouteOptions["environment"]) {
  return missingCredentials(tool, null, environment) ?? "it declares none";
}

function ranked(tool: Tool, { failurePenalty }: RouteOptions): ProviderSpec[] {
  const { providers } = tool;
  if (providers.length < 2) return providers;
  const key = healthKey(tool);
  const rankings = providers.map((spec) => {
    const label = providerLabel(spec, providers);
    return { spec, label, penalty: failurePenalty?.(key, label) ?? 0 };
  });
  rankings.sort(
    (a, b) =>
      a.spec.priority - b.spec.priority || a.penalty - b.penalty || a.label.localeCompare(b.label),
  );
  return rankings.map(({ spec }) => spec);
}

function noProvider(
  call: Approved,
  why: string,
  facts: { providers: Record<string, string>; permanent?: true } = { providers: {} },
): PlaneError {
  return new PlaneError("NO_PROVIDER", `No provider can execute '${call.tool.name}': ${why}.`, {
    data: { tool: call.tool.name, sent: false, ...facts },
  });
}

/** The limit of the call, else of the tool, else of the server, else the default. 0 is unlimited. */
function timeLimit(
  call: Pick<Approved, "options" | "tool">,
  serverLimitMs: RouteOptions["serverLimitMs"],
): TimeLimit {
  const { options, tool } = call;
  if (options.timeoutMs !== undefined) return { ms: options.timeoutMs, setBy: "call" };
  const seconds = tool.metadata.default_timeout;
  if (seconds !== undefined) return { ms: seconds * 1000, setBy: "tool" };
  const serverMs = tool.id.server === null ? undefined : serverLimitMs(tool.id.server);
  if (serverMs !== undefined) return { ms: serverMs, setBy: "server" };
  return { ms: defaultTimeoutMs, setBy: "default" };
}

/** Servers get arguments as written, other providers get values. */
export function requireExactProviders(call: Routed): Routed {
  if (call.input.exact && call.route.candidates.some(({ name }) => name !== "mcp"))
    requireReadable(call, "this tool is not executed by a server that could get it as it is");
  return call;
}
