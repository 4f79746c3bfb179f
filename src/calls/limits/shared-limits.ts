import type { Config } from "../../model/config/config.ts";
import type { PlaneEvent } from "../../model/events.ts";
import type { Principal } from "../../model/principal.ts";
import type { CircuitStatus, ServersChange } from "../../model/servers/server.ts";
import type { Verbs } from "../../model/verbs.ts";

import type { Recorder } from "../../store/store.ts";
import { createBudgets } from "./budgets.ts";
import { createCircuits } from "./circuits.ts";
import { createLimits, type Limits } from "./limits.ts";
import { createSharedBudgets } from "./shared-budgets.ts";
import type { SharedCounts } from "./shared-counts.ts";

export type PlaneLimits = {
  /** What the path asks before it executes a call. */
  path: Limits;
  verbs: Pick<Verbs, "budget">;
  /** As a part of a server's status. */
  circuitOf(server: string): { circuit?: CircuitStatus };
  /** Somebody has taken care of these servers, so they are worth being asked. */
  trust(servers: readonly string[]): void;
  /** Servers that are others now begin anew. */
  apply(change: ServersChange): void;
  endConversation(conversation: string, principal: Principal): Promise<void>;
  /** Leaves to other planes what was taken and not used. */
  stop(): Promise<void>;
};

/** What the configuration says about how often, how long and how dearly tools may run. */
export function createPlaneLimits(
  config: () => Config,
  emit: (event: PlaneEvent) => void,
  defaultPrincipal: Principal,
  { store, outlivesUs }: Pick<Recorder, "store" | "outlivesUs">,
): PlaneLimits {
  // Whoever opens the store only to count alone would wait for nothing.
  const shared: SharedCounts | undefined = outlivesUs
    ? {
        read: async (key) => (await store()).sharedValue(key),
        change: async (key, keptMs, step) => (await store()).changeShared(key, keptMs, step),
      }
    : undefined;
  const budgets = createBudgets(() => config().budgets, undefined, shared && createSharedBudgets(shared));
  const circuits = createCircuits({
    setting: (server) => config().servers[server]?.circuit,
    onChange: (server, state) => emit({ type: "server.circuit", server, state }),
  });
  const trust = (servers: readonly string[]) => servers.forEach(circuits.reset);
  return {
    path: createLimits({
      budgets,
      circuits,
      shared,
      ratePerMinute: (server) => config().servers[server]?.rateLimitPerMinute,
    }),
    verbs: {
      budget: (conversation, { principal = defaultPrincipal } = {}) => budgets.everywhere(conversation, principal),
    },
    circuitOf(server) {
      const circuit = circuits.status(server);
      return circuit === undefined ? {} : { circuit };
    },
    trust,
    apply: ({ changed, removed }) => trust([...changed, ...removed]),
    endConversation: budgets.forget,
    stop: budgets.release,
  };
}
