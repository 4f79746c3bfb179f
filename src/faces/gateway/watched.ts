import type { Plane } from "../../model/plane.ts";
import { RpcError } from "../../protocol/message.ts";
import type { Surface } from "./surfaces.ts";

export type Watched = {
  add(shown: string): Promise<void>;
  remove(shown: string): void;
  all(): string[];
  /** Under which address the client knows it. */
  find(server: string, uri: string): string | undefined;
  clear(): void;
};

type One = { server: string; uri: string; leave(): void };

/** So many resources of one client at a time. */
const maxWatched = 1_000;

/** The resources that one client wants to hear of. */
export function createWatched(plane: Plane, surface: Surface): Watched {
  const all = new Map<string, One>();
  let isOver = false;
  return {
    async add(shown) {
      if (all.has(shown)) return;
      if (all.size >= maxWatched)
        throw new RpcError(-32602, `More than ${maxWatched} resources cannot be watched by one client.`);
      const [found] = await surface.offers.findResource(shown);
      if (!found) throw new RpcError(-32602, `Resource not found: ${shown}`, { uri: shown });
      const { principal } = surface;
      const leave = await plane.resources.watch(found.server, found.uri, { principal });
      if (isOver || all.has(shown)) leave();
      else all.set(shown, { ...found, leave });
    },
    remove(shown) {
      all.get(shown)?.leave();
      all.delete(shown);
    },
    all: () => [...all.keys()],
    find: (server, uri) => [...all].find(([, one]) => one.server === server && one.uri === uri)?.[0],
    clear() {
      isOver = true;
      for (const { leave } of all.values()) leave();
      all.clear();
    },
  };
}
