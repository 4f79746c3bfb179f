import { keepSameItems } from "../lib/json/plain-data.ts";
import type { KnownServer, OfferCounts, OfferKind } from "../model/servers/server.ts";
import { type ListMethod, listings } from "../protocol/list-all.ts";
import type { Session } from "../protocol/session.ts";
import { createDiscovery, type Discovery, type DiscoveryOptions } from "./discovery.ts";

/** What is listed beside tools. */
export type OfferMethod = Exclude<ListMethod, "tools/list">;
const offerMethods = ["prompts/list", "resources/list", "resources/templates/list"] as const;

type OffersOptions = Pick<DiscoveryOptions<Session>, "windowMs" | "isOpen"> & {
  list(method: OfferMethod, over: Session | undefined): ReturnType<DiscoveryOptions<Session>["list"]>;
  /** `isNews` where it lists something else than before, or has said so. */
  onListed(method: OfferMethod, warning: string | null, isNews: boolean): void;
  onFailed(method: OfferMethod, reason: unknown): void;
};

type One = { items: unknown[] | null; isAnnounced: boolean; discovery: Discovery<Session> };

function createOffer(method: OfferMethod, options: OffersOptions): One {
  const one: One = {
    items: null,
    isAnnounced: false,
    discovery: createDiscovery<Session>({
      windowMs: options.windowMs,
      isOpen: options.isOpen,
      list: (over) => options.list(method, over),
      onListed({ items, warning }) {
        const before = one.items;
        one.items = keepSameItems(before ?? [], items);
        const isOther = before === null ? items.length > 0 : one.items !== before;
        const isNews = isOther || one.isAnnounced;
        one.isAnnounced = false;
        options.onListed(method, warning, isNews);
      },
      onFailed: (reason) => options.onFailed(method, reason),
    }),
  };
  return one;
}

/** Null where it was never listed. */
function rememberedOffer({ items, discovery }: One): { listedAt: string; items: unknown[] } | null {
  const at = discovery.listedAt();
  return items === null || at === null ? null : { listedAt: new Date(at).toISOString(), items };
}

/** The prompts, resources and templates of a server: kept, asked for and asked for again by the rules of tools. */
export function createOffers(options: OffersOptions) {
  const all = {
    "prompts/list": createOffer("prompts/list", options),
    "resources/list": createOffer("resources/list", options),
    "resources/templates/list": createOffer("resources/templates/list", options),
  } satisfies Record<OfferMethod, One>;
  const each = offerMethods.map((method) => [method, all[method]] as const);

  return {
    /** Null where it was never asked. */
    items: (method: OfferMethod): unknown[] | null => all[method].items,
    list: (method: OfferMethod) => all[method].discovery.list(),
    /** Asks for unknown lists over the session that is being opened, in the background. */
    begin(over: Session): void {
      for (const [, { items, discovery }] of each) if (items === null) discovery.list({ over }).catch(() => undefined);
    },
    refresh: async () => void (await Promise.all(each.map(([, one]) => one.discovery.list({ force: true })))),
    /** The server says that this list is another one; a notice about resources is one about their templates too. */
    changed(list: string): void {
      for (const [method, one] of each) {
        if (!method.startsWith(`${list}/`)) continue;
        one.isAnnounced = true;
        one.discovery.changed();
      }
    },
    /** Another process answers from now on. */
    renew(): void {
      for (const [, { discovery }] of each) discovery.renew();
    },
    /** Asks again soon for what is known of the last process. */
    relist(): void {
      for (const [, { items, discovery }] of each) if (items !== null && !discovery.isFresh()) discovery.changed();
    },
    counts: (): OfferCounts => ({
      prompts: all["prompts/list"].items?.length ?? null,
      resources: all["resources/list"].items?.length ?? null,
      resourceTemplates: all["resources/templates/list"].items?.length ?? null,
    }),
    remembered(): NonNullable<KnownServer["offers"]> {
      const known = each.flatMap(([method, one]) => {
        const kept = rememberedOffer(one);
        return kept === null ? [] : [[listings[method], kept] as const];
      });
      return Object.fromEntries(known);
    },
    recall(offers: KnownServer["offers"] = {}): void {
      for (const [method, one] of each) {
        const known = offers[listings[method] satisfies OfferKind];
        if (known === undefined || one.items !== null) continue;
        one.items = known.items;
        one.discovery.remember(Date.parse(known.listedAt));
      }
    },
    forget(): void {
      for (const [, one] of each) {
        one.items = null;
        one.discovery.forget();
      }
    },
    stop(): void {
      for (const [, { discovery }] of each) discovery.stop();
    },
  };
}
