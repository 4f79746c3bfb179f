import type { RoutingMemory } from "../../src/calls/execute.ts";

/** For calls that have only one way to go. */
export const noRouting: RoutingMemory = {
  failed: () => undefined,
  worked: () => undefined,
  check: async () => null,
};
