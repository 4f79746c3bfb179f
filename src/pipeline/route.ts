import type { Approved, Routed, TimeLimit } from "../model/call.ts";
import { PlaneError } from "../model/errors.ts";

const defaultLimitMs = 60_000;

export type RouteOptions = {
  /** Why a provider cannot be used right now, or null. */
  unavailable(provider: string): string | null;
  serverLimitMs(server: string): number | undefined;
};

/** Who may execute the call, best first, and how long it may take. */
export function route(call: Approved, { unavailable, serverLimitMs }: RouteOptions): Routed {
  const reasons: Record<string, string> = {};
  const candidates = [...call.tool.providers]
    .sort((a, b) => a.priority - b.priority || a.name.localeCompare(b.name))
    .filter(({ name }) => {
      const reason = unavailable(name);
      if (reason !== null) reasons[name] = reason;
      return reason === null;
    });
  if (candidates.length > 0) return { ...call, route: { candidates, limit: timeLimit(call, serverLimitMs) } };
  const listed = Object.entries(reasons).map(([name, reason]) => `${name}: ${reason}`);
  throw new PlaneError(
    "NO_PROVIDER",
    `No provider can execute '${call.tool.name}'. ${listed.join("; ") || "It declares none."}`,
    { data: { tool: call.tool.name, providers: reasons } },
  );
}

/** Call, then tool, then server, then the default. 0 is unlimited and has to be said. */
function timeLimit(call: Approved, serverLimitMs: RouteOptions["serverLimitMs"]): TimeLimit {
  const { timeoutMs } = call.options;
  if (timeoutMs !== undefined) return { ms: timeoutMs, setBy: "call" };
  const seconds = call.tool.metadata.default_timeout;
  if (seconds !== undefined) return { ms: seconds * 1000, setBy: "tool" };
  const ofServer = call.tool.id.server === null ? undefined : serverLimitMs(call.tool.id.server);
  if (ofServer !== undefined) return { ms: ofServer, setBy: "server" };
  return { ms: defaultLimitMs, setBy: "default" };
}
