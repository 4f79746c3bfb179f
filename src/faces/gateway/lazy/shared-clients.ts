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

  function kept(surface: Surface) {
    const before = shared.get(surface);
    if (before) return before;
    const tools: ClientTools = new ClientTools(plane, mode, {
      surface,
      keeps: () => made.listeners > 0,
      onChanged: () => changes.listChanged(tools),
    });
    const made = { tools, listeners: 0 };
    shared.set(surface, made);
    return made;
  }

  return {
    of: (surface: Surface) => kept(surface).tools,
    /** Until the returned function is called. */
    listening(surface: Surface, client: string | null): () => void {
      const one = kept(surface);
      const { id, measure } = one.tools;
      one.listeners += 1;
      if (one.listeners === 1) {
        const source = {
          id,
          user: surface.principal.user,
          client,
          era: "modern",
          measure,
        } as const;
        one.tools.watch(plane.clients.watch({ ...source, since: new Date().toISOString() }));
      }
      return () => {
        one.listeners -= 1;
        if (one.listeners === 0) one.tools.unload();
      };
    },
  };
}
