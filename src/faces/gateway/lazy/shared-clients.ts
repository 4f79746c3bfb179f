import { uniqueId } from "../../../lib/stamps.ts";
import type { Plane } from "../../../model/plane.ts";
import type { Changes } from "../changes.ts";
import type { Surface } from "../surfaces.ts";
import { type ClientTools, createClientTools } from "./client-tools.ts";
import type { LazyMode } from "./lazy-mode.ts";

export type SharedClients = {
  of(surface: Surface): ClientTools;
  /** Until the returned function is called. */
  listening(surface: Surface, client: string | null): () => void;
};

/**
 * Clients without a session. All connections of one caller share one list; tools are loaded into it only while a client
 * listens for changes.
 */
export function createSharedClients(plane: Plane, mode: LazyMode, changes: Changes): SharedClients {
  const shared = new WeakMap<Surface, { tools: ClientTools; listeners: number }>();

  function kept(surface: Surface) {
    const before = shared.get(surface);
    if (before) return before;
    const tools: ClientTools = createClientTools(plane, mode, {
      id: uniqueId(),
      surface,
      keeps: () => made.listeners > 0,
      onChanged: () => changes.listChanged(tools),
    });
    const made = { tools, listeners: 0 };
    shared.set(surface, made);
    return made;
  }

  return {
    of: (surface) => kept(surface).tools,
    listening(surface, client) {
      const one = kept(surface);
      const { id, measure } = one.tools;
      one.listeners += 1;
      if (one.listeners === 1) {
        const since = new Date().toISOString();
        const { user } = surface.principal;
        one.tools.watch(plane.clients.watch({ id, user, client, era: "modern", since, measure }));
      }
      return () => {
        one.listeners -= 1;
        if (one.listeners === 0) one.tools.unload();
      };
    },
  };
}
