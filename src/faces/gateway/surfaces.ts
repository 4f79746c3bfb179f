import { once } from "../../lib/async/once.ts";
import { createLru } from "../../lib/lru.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import type { Plane } from "../../model/plane.ts";
import type { Principal } from "../../model/principal.ts";
import { createOfferList, createOfferWaits, type OfferList } from "./offer-list.ts";
import { createToolList, createToolWait, type ToolList } from "./tool-list.ts";
import { isInView, principalIn, type View } from "./view.ts";

/** With more callers at a time, lists are rendered more than once. */
const maxSurfaces = 256;

/** What one caller sees in one view. */
export type Surface = {
  key: string;
  principal: Principal;
  view: View;
  /** The one place that decides which tools are listed; a change is announced once (`changes.ts`). */
  tools: ToolList;
  offers: OfferList;
  /** Is it in the view? */
  shows(tool: Pick<Tool, "id">): boolean;
  /** Servers in the view. */
  servers(): Promise<ReadonlySet<string>>;
  /** As far as known. */
  sees(server: string): boolean;
};

export type Surfaces = {
  of(principal: Principal, view: View): Surface;
  /** Lists may have changed. */
  changed(): void;
};

export function createSurfaces(plane: Plane): Surfaces {
  const kept = createLru<Surface>(maxSurfaces);
  // A caller without a key is the same object with every request.
  const keys = new WeakMap<Principal, WeakMap<View, string>>();
  const firstWait = createToolWait(plane);
  const offerWaits = createOfferWaits(plane);
  let revision = 0;

  function keyOf(principal: Principal, view: View): string {
    const known = keys.get(principal)?.get(view);
    if (known !== undefined) return known;
    const key = JSON.stringify([principal, view]);
    keys.set(principal, (keys.get(principal) ?? new WeakMap()).set(view, key));
    return key;
  }

  function create(key: string, caller: Principal, view: View): Surface {
    const principal = principalIn(view, caller, plane);
    let seen: { revision: number; names: Promise<ReadonlySet<string>> } | undefined;
    let known: ReadonlySet<string> = new Set();
    const find = async () => {
      try {
        known = await serversOf(plane, principal);
      } catch (thrown) {
        // Asked again with the next request.
        seen = undefined;
        throw thrown;
      }
      return known;
    };
    const servers = () => {
      if (seen?.revision !== revision || seen === undefined) seen = { revision, names: find() };
      return seen.names;
    };
    const offers = once(() => createOfferList(plane, principal, view, servers, offerWaits));
    return {
      key,
      principal,
      view,
      shows: (tool) => isInView(tool, view, plane),
      servers,
      sees: (server) => known.has(server),
      tools: createToolList(plane, principal, view, () => revision, firstWait),
      get offers() {
        return offers();
      },
    };
  }

  return {
    of(principal, view) {
      const key = keyOf(principal, view);
      const surface = kept.get(key) ?? create(key, principal, view);
      kept.set(key, surface);
      return surface;
    },
    changed() {
      revision += 1;
    },
  };
}

async function serversOf(plane: Plane, principal: Principal): Promise<ReadonlySet<string>> {
  const all = await plane.servers.list({ principal });
  return new Set(all.flatMap(({ name, state }) => (state === "disabled" || state === "config_error" ? [] : [name])));
}
