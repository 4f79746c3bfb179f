import { uniqueId } from "../../../lib/stamps.ts";
import type { Plane } from "../../../model/plane.ts";
import type { Changes } from "../changes.ts";
import type { Surface } from "../surfaces.ts";
import { type ClientTools, createClientTools } from "./client-tools.ts";
import type { LazyMode } from "./lazy-mode.ts";

export type SharedClients = {
  of(surface: Surface): ClientTools;
  /** A client listens for changes of this list, until the returned function is called. */
  listening(surface: Surface, client: string | null): () => void;
};

/**
 * The clients that keep no session. A list must not differ between connections of one caller, so all of them have one list;
 * and only while one listens for its changes is anything loaded into it.
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
