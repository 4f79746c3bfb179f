import type { Plane } from "../../../model/plane.ts";
import type { Changes } from "../changes.ts";
import type { Surface } from "../surfaces.ts";
import { ClientTools } from "./client-tools.ts";
import type { LazyMode } from "./lazy-mode.ts";

export type SharedClients = ReturnType<typeof createSharedClients>;

/**
 * Clients without a session. All connections of one caller share one list; tools are loaded into it only while a client
 * listens for changes.
 */
export function createSharedClients(plane: Plane, mode: LazyMode, changes: Changes) {
  const shared = new WeakMap<Surface, { tools: ClientTools; listeners: number }>();

  function clientOf(surface: Surface) {
    const existing = shared.get(surface);
    if (existing) return existing;
    const tools: ClientTools = new ClientTools(plane, mode, {
      surface,
      keeps: () => client.listeners > 0,
      onChanged: () => changes.listChanged(tools),
    });
    const client = { tools, listeners: 0 };
    shared.set(surface, client);
    return client;
  }

  return {
    of: (surface: Surface) => clientOf(surface).tools,
    /** Until the returned function is called. */
    listening(surface: Surface, client: string | null): () => void {
      const sharedClient = clientOf(surface);
      const { id, measure } = sharedClient.tools;
      sharedClient.listeners += 1;
      if (sharedClient.listeners === 1) {
        const source = {
          id,
          user: surface.principal.user,
          client,
          era: "modern",
          measure,
        } as const;
        sharedClient.tools.watch(
          plane.clients.watch({ ...source, since: new Date().toISOString() }),
        );
      }
      return () => {
        sharedClient.listeners -= 1;
        if (sharedClient.listeners === 0) sharedClient.tools.unload();
      };
    },
  };
}
