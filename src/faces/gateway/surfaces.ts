import { once } from "../../lib/async/once.ts";
import { createLru } from "../../lib/lru.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import type { Plane } from "../../model/plane.ts";
import type { Principal } from "../../model/principal.ts";
import { createOfferList, createOfferWaits } from "./offer-list.ts";
import { createToolList, createToolWait, serversOf } from "./tool-list.ts";
import { isInView, principalIn, type View } from "./view.ts";

/** With more callers at a time, lists are rendered more than once. */
const maxSurfaces = 256;

/** What one caller sees in one view. */
export type Surface = ReturnType<typeof createSurface>;

export type Surfaces = ReturnType<typeof createSurfaces>;

type Waits = {
  tools: ReturnType<typeof createToolWait>;
  offers: ReturnType<typeof createOfferWaits>;
};

function createSurface(
  plane: Plane,
  caller: Principal,
  view: View,
  revision: () => number,
  waits: Waits,
) {
  const principal = principalIn(view, caller, plane);
  let listing: { revision: number; names: Promise<ReadonlySet<string>> } | undefined;
  let knownServers: ReadonlySet<string> = new Set();
  const listServers = async () => {
    try {
      knownServers = new Set((await serversOf(plane, principal)).map(({ name }) => name));
    } catch (thrown) {
      // Asked again with the next request.
      listing = undefined;
      throw thrown;
    }
    return knownServers;
  };
  /** Servers in the view. */
  const servers = () => {
    if (listing?.revision !== revision()) listing = { revision: revision(), names: listServers() };
    return listing.names;
  };
  const offers = once(() => createOfferList(plane, principal, view, servers, waits.offers));
  return {
    principal,
    view,
    /** Is it in the view? */
    shows: (tool: Pick<Tool, "id">) => isInView(tool, view, plane),
    servers,
    /** What each of them declares, as far as known. */
    extensions: async () =>
      [...(await servers())].map((name) => plane.servers.extensions(name, { principal })),
    /** As far as known. */
    sees: (server: string) => knownServers.has(server),
    /** The one place that decides which tools are listed; a change is announced once (`changes.ts`). */
    tools: createToolList(plane, principal, view, revision, waits.tools),
    get offers() {
      return offers();
    },
  };
}

export function createSurfaces(plane: Plane) {
  const surfaces = createLru<Surface>(maxSurfaces);
  // A caller without a key is the same object with every request.
  const keys = new WeakMap<Principal, WeakMap<View, string>>();
  const waits = { tools: createToolWait(plane), offers: createOfferWaits(plane) };
  let revision = 0;

  function keyOf(principal: Principal, view: View): string {
    const existingKey = keys.get(principal)?.get(view);
    if (existingKey !== undefined) return existingKey;
    const key = JSON.stringify([principal, view]);
    keys.set(principal, (keys.get(principal) ?? new WeakMap()).set(view, key));
    return key;
  }

  return {
    of(principal: Principal, view: View): Surface {
      const key = keyOf(principal, view);
      const surface =
        surfaces.get(key) ?? createSurface(plane, principal, view, () => revision, waits);
      surfaces.set(key, surface);
      return surface;
    },
    /** Lists may have changed. */
    changed(): void {
      revision += 1;
    },
  };
}
