import type { UnknownObject } from "../model/json.ts";
import { type ListMethod, listAll } from "../protocol/list-all.ts";
import type { Session } from "../protocol/session.ts";

export type OffersOptions = {
  /** How long a listing is good without a notice of change. 0 is for ever. */
  windowMs: number;
  /** The session that is open, if one is. */
  live(): Session | null;
  /** Opens it if need be. */
  session(): Promise<Session>;
};

type Kept = { of: Session; at: number; items: Promise<unknown[]> };

export type Offers = {
  list(method: ListMethod, signal: AbortSignal): Promise<unknown[]>;
  /** The server says that this list is another one. */
  changed(list: string): void;
};

/** What a server offers beside its tools: asked for once, and again when it has changed. */
export function createOffers({ windowMs, live, session }: OffersOptions): Offers {
  const kept = new Map<ListMethod, Kept>();

  function isGood({ of, at }: Kept): boolean {
    const current = live();
    // What it listed in its last life has to do until it is started for something else.
    if (current === null) return true;
    return current === of && (windowMs === 0 || Date.now() - at < windowMs);
  }

  function ask(method: ListMethod, of: Session, signal: AbortSignal): Promise<unknown[]> {
    const items = offers(method, of.capabilities)
      ? listAll(of, method, signal).then((listing) => listing.items)
      : Promise.resolve([]);
    const asked = { of, at: Date.now(), items };
    kept.set(method, asked);
    items.catch(() => kept.get(method) === asked && kept.delete(method));
    return items;
  }

  return {
    async list(method, signal) {
      const known = kept.get(method);
      if (known && isGood(known)) return known.items;
      return ask(method, live() ?? (await session()), signal);
    },
    changed(list) {
      for (const method of kept.keys()) if (method.startsWith(`${list}/`)) kept.delete(method);
    },
  };
}

function offers(method: ListMethod, capabilities: UnknownObject): boolean {
  return capabilities[method.split("/")[0] ?? ""] !== undefined;
}
