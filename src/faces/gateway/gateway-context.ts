import type { Plane } from "../../model/plane.ts";
import { createCore } from "./answer.ts";
import { createChanges } from "./changes.ts";
import type { GatewayContext } from "./client-session.ts";
import { createLazyMode } from "./lazy/lazy-mode.ts";
import { createSharedClients } from "./lazy/shared-clients.ts";
import { createModern, type Modern } from "./modern.ts";
import { createParkedRequests } from "./parked-requests.ts";
import { createSurfaces } from "./surfaces.ts";

/** What all clients of one plane share. */
export function createGatewayContext(plane: Plane): GatewayContext & { modern: Modern; close(): void } {
  const surfaces = createSurfaces(plane);
  const parked = createParkedRequests();
  const changes = createChanges(plane, surfaces);
  const core = createCore(plane, surfaces, parked);
  const lazy = createLazyMode(plane);
  const shared = createSharedClients(plane, lazy, changes);
  const gateway = { plane, core, surfaces, changes, lazy, shared };
  const modern = createModern(gateway);
  return {
    ...gateway,
    modern,
    close() {
      modern.close();
      parked.close();
      changes.close();
    },
  };
}
