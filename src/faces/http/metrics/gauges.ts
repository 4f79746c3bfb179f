import { Gauge, type Registry } from "prom-client";
import type { Plane } from "../../../model/plane.ts";
import { trusted } from "../../../model/principal.ts";
import { createBoundedLabel } from "./bounded-labels.ts";

/** What is true now is looked up when somebody asks and not kept up to date before. */
export function createGauges(plane: Plane, registers: Registry[]): () => Promise<void> {
  const state = new Gauge({
    ...{ name: "toolplane_server_state", help: "1 for the state that each server is in.", registers },
    labelNames: ["server", "state"],
  });
  const connected = new Gauge({ name: "toolplane_servers_connected", help: "Connected servers.", registers });
  const letters = new Gauge({
    ...{ name: "toolplane_dead_letters", help: "Calls that failed for good, by status.", registers },
    labelNames: ["status"],
  });
  const labelOf = createBoundedLabel();
  // The numbers are those of the whole plane, whoever may read them.
  const caller = { principal: trusted(), face: "http" } as const;
  return async () => {
    const [servers, { byStatus }] = await Promise.all([
      plane.servers(caller),
      plane.deadLetters({ limit: 1 }, caller),
    ]);
    state.reset();
    for (const server of servers) state.inc({ server: labelOf(server.name), state: server.state });
    connected.set(servers.filter((server) => server.state === "connected").length);
    for (const [status, count] of Object.entries(byStatus)) letters.set({ status }, count);
  };
}
