import { abortable } from "../lib/async/signals.ts";
import { hasMembers, keepSameItems } from "../lib/json/plain-data.ts";
import { errorText } from "../lib/text/error-text.ts";
import { PlaneError } from "../model/errors.ts";
import { isObject, type UnknownObject } from "../model/json.ts";
import type { KnownServer, ServerDefinition } from "../model/servers/server.ts";
import type { OfferCounts, ServerStatus } from "../model/servers/server-schema.ts";
import { type Listing, type ListMethod, listAll, listings } from "../protocol/list-all.ts";
import { RpcError } from "../protocol/message.ts";
import type { Era, Session } from "../protocol/session.ts";
import { createDiscovery, type Discovery } from "./discovery.ts";
import type { LogWriter } from "./server-log.ts";
import type { DetectedEra } from "./session-opener.ts";

export type CatalogueOptions = {
  listingTtlMs: number;
  limitMs: number;
  session(): Promise<Session>;
  isOpen(): boolean;
  verdict(): DetectedEra | null;
  log: LogWriter;
  hide(text: string): string;
  onTools(tools: unknown[], era: Era): void;
  /** It offers something else beside its tools, or says so. */
  onOffers(list: "prompts" | "resources"): void;
  onKnown(known: CachedLists): void;
  /** The server says that its lists are for one caller alone. */
  onPrivate(): void;
};

export type CachedLists = Omit<KnownServer, "identity">;

const methodNotFound = -32601;

export type OfferMethod = Exclude<ListMethod, "tools/list">;
const offerMethods: readonly OfferMethod[] = [
  "prompts/list",
  "resources/list",
  "resources/templates/list",
];

export type ServerCatalogue = ReturnType<typeof createServerCatalogue>;

/** What one server offers: listed, remembered from before, or both. */
export function createServerCatalogue(ports: Omit<CatalogueOptions, "onPrivate">) {
  let isPrivate = false;
  const options: CatalogueOptions = {
    ...ports,
    onPrivate() {
      isPrivate = true;
    },
  };
  const knownTools = createKnownTools(options);
  let failure: string | null = null;
  let incomplete: ServerStatus["incomplete"];
  const discovery = discoveryOf(options, "tools/list", {
    onListed(items, { warning, leftOut = 0 }) {
      failure = null;
      incomplete = warning === null ? undefined : { reason: warning, leftOut };
      knownTools.remember(items, options.verdict()?.era ?? "legacy");
      store();
    },
    onFailed(text) {
      failure = text;
      options.log.add({ source: "log", level: "error", text });
    },
  });
  const offers = createOffers(options, () => {
    // Lists that come together are written once.
    storing ??= setImmediate(store);
  });
  let storing: NodeJS.Immediate | undefined;

  function store(): void {
    clearImmediate(storing);
    storing = undefined;
    const listedAt = discovery.listedAt();
    const remembered = knownTools.current();
    if (remembered === null || listedAt === null) return;
    const { extensions = {}, at: eraAt = Date.now() } = options.verdict() ?? {};
    options.onKnown({
      era: remembered.era,
      eraAt: new Date(eraAt).toISOString(),
      ...(hasMembers(extensions) && { extensions }),
      listedAt: new Date(listedAt).toISOString(),
      ...(isPrivate && { isPrivate }),
      tools: remembered.items,
      offers: offers.remembered(),
    });
  }

  return {
    ...discovery,
    isKnown: knownTools.isKnown,
    /** Did the server say so of any of its lists? */
    isPrivate: () => isPrivate,
    /** Reports again what is known. */
    tell: knownTools.tell,
    size: knownTools.size,
    failure: () => failure,
    incomplete: () => incomplete,
    /** The lists of which each listing brings another notice of change. */
    flapping: (): string[] => [...(discovery.isFlapping() ? ["tools"] : []), ...offers.flapping()],
    toolOf: knownTools.toolOf,
    /** Asks a process beside the main one for its tools, and takes what it lists. */
    listOver: async (session: Session) =>
      discovery.take(await list(options, "tools/list", session)),
    offered: offers.items,
    offerCounts: offers.counts,
    listOffer: offers.list,
    beginOffers: offers.begin,
    relistOffers: offers.relist,
    /** Another process answers from now on. */
    renew(): void {
      discovery.renew();
      offers.each(({ discovery }) => discovery.renew());
    },
    /** Really asks for everything that was not listed since. */
    async refresh(since: number | null): Promise<void> {
      const force = discovery.listedAt() === since;
      await Promise.all([discovery.list({ force }), ...offers.refresh()]);
    },
    listChanged(changed: string): void {
      if (changed === "tools") discovery.changed();
      else offers.changed(changed);
    },
    /** What is known is not to be relied on. */
    forgetAll(): void {
      discovery.forget();
      offers.forget();
      knownTools.forget();
    },
    recall({
      era,
      listedAt,
      tools,
      offers: offered,
      isPrivate: wasPrivate = false,
    }: CachedLists): void {
      offers.recall(offered);
      if (knownTools.isKnown()) return;
      isPrivate = wasPrivate;
      discovery.remember(Date.parse(listedAt));
      knownTools.remember(tools, era);
    },
    stop(): void {
      discovery.stop();
      offers.each(({ discovery }) => discovery.stop());
    },
  };
}

function createKnownTools({ onTools }: CatalogueOptions) {
  let tools: ReadonlyMap<string, UnknownObject> | null = null;
  let remembered: { items: unknown[]; era: Era } | null = null;
  return {
    isKnown: () => tools !== null,
    size: () => tools?.size ?? 0,
    current: () => remembered,
    toolOf: (name: unknown) => tools?.get(String(name)),
    /** A thousand tools that are the same as before are no news, and looking at them again takes time. */
    remember(listed: unknown[], era: Era): void {
      const items = keepSameItems(remembered?.items ?? [], listed);
      if (tools !== null && remembered?.items === items && remembered.era === era) return;
      remembered = { items, era };
      tools = new Map(items.filter(isObject).map((tool) => [String(tool.name), tool]));
      onTools(items, era);
    },
    tell(): void {
      if (remembered) onTools(remembered.items, remembered.era);
    },
    forget(): void {
      tools = null;
      remembered = null;
    },
  };
}

type Offer = {
  method: OfferMethod;
  items: unknown[] | null;
  isAnnounced: boolean;
  discovery: Discovery<Session>;
};

/** Prompts, resources and templates: kept and asked for by the rules of tools. `items` is null where it was never asked. */
function createOffers(options: CatalogueOptions, onListed: () => void) {
  const offers = offerMethods.map((method) => {
    const offer: Offer = {
      method,
      items: null,
      isAnnounced: false,
      discovery: discoveryOf(options, method, {
        onListed(items) {
          const previousItems = offer.items;
          offer.items = keepSameItems(previousItems ?? [], items);
          const isNews =
            offer.isAnnounced ||
            (previousItems === null ? items.length > 0 : offer.items !== previousItems);
          offer.isAnnounced = false;
          onListed();
          if (isNews) options.onOffers(method === "prompts/list" ? "prompts" : "resources");
        },
        onFailed(text) {
          if (options.isOpen()) options.log.add({ source: "log", level: "error", text });
        },
      }),
    };
    return offer;
  });
  const find = (method: OfferMethod) => offers.find((offer) => offer.method === method) as Offer;

  return {
    each: (use: (offer: Offer) => void) => offers.forEach(use),
    items: (method: OfferMethod) => find(method).items,
    list: (method: OfferMethod) => find(method).discovery.list(),
    /** Asks for unknown lists over the session that is being opened; failures are in the log. */
    begin(over: Session): void {
      for (const { items, discovery } of offers)
        if (items === null) discovery.list({ over }).catch(() => undefined);
    },
    refresh: () => offers.map(({ discovery }) => discovery.list({ force: true })),
    /** A notice about resources is one about their templates too. */
    changed(list: string): void {
      for (const offer of offers.filter(({ method }) => method.startsWith(`${list}/`))) {
        offer.isAnnounced = true;
        offer.discovery.changed();
      }
    },
    /** Asks again soon for what is known of the last process. */
    relist(): void {
      for (const { items, discovery } of offers)
        if (items !== null && !discovery.isFresh()) discovery.changed();
    },
    flapping: () =>
      offers
        .filter(({ discovery }) => discovery.isFlapping())
        .map(({ method }) => listings[method]),
    counts: () =>
      Object.fromEntries(
        offers.map(({ method, items }) => [listings[method], items?.length ?? null]),
      ) as OfferCounts,
    remembered(): NonNullable<KnownServer["offers"]> {
      const rememberedLists = offers.flatMap(({ method, items, discovery }) => {
        const listedAt = discovery.listedAt();
        if (!items || listedAt === null) return [];
        return [[listings[method], { listedAt: new Date(listedAt).toISOString(), items }]];
      });
      return Object.fromEntries(rememberedLists);
    },
    recall(cachedOffers: KnownServer["offers"] = {}): void {
      for (const offer of offers) {
        const cached = cachedOffers[listings[offer.method]];
        if (cached === undefined || offer.items !== null) continue;
        offer.items = cached.items;
        offer.discovery.remember(Date.parse(cached.listedAt));
      }
    },
    forget(): void {
      for (const offer of offers) {
        offer.items = null;
        offer.discovery.forget();
      }
    },
  };
}

type ListingPorts = {
  onListed(items: unknown[], listing: Listing): void;
  onFailed(why: string): void;
};

function discoveryOf(
  options: CatalogueOptions,
  method: ListMethod,
  { onListed, onFailed }: ListingPorts,
) {
  const listName = method === "resources/templates/list" ? "resource templates" : listings[method];
  return createDiscovery<Session>({
    windowMs: options.listingTtlMs,
    isOpen: options.isOpen,
    list: (over) => list(options, method, over),
    onListed(listing) {
      const { items, warning } = listing;
      if (warning) options.log.add({ source: "log", level: "warning", text: warning });
      if (listing.isPrivate) options.onPrivate();
      onListed(items, listing);
    },
    onFlapping: () =>
      options.log.add({
        source: "log",
        level: "warning",
        text: `its ${listName} are flapping: each listing brings another notice of change. They are listed less often, at most once a minute`,
      }),
    onFailed: (thrown) =>
      onFailed(options.hide(`listing its ${listName} failed: ${errorText(thrown)}`)),
  });
}

async function list(
  options: CatalogueOptions,
  method: ListMethod,
  over: Session | undefined,
): Promise<Listing> {
  return listOver(options.limitMs, method, over ?? (await options.session()));
}

async function listOver(limitMs: number, method: ListMethod, session: Session): Promise<Listing> {
  if (!isOffered(method, session)) return { items: [], warning: null };
  const limit = AbortSignal.timeout(limitMs);
  return listAll(session, method, limit).catch((thrown) => {
    if (limit.aborted)
      throw new Error(`${method} timed out after ${limitMs / 1000} s ('connectTimeoutMs')`);
    // Some have one of the two lists of resources and know nothing of the other.
    const isMissing = thrown instanceof RpcError && thrown.code === methodNotFound;
    // One that has answered nothing but refusals has not shown that it is a server at all.
    const isUnproven = !hasMembers(session.capabilities) && session.serverInfo === null;
    const isDeclared =
      method === "tools/list" && (session.capabilities.tools !== undefined || isUnproven);
    if (isMissing && !isDeclared) return { items: [], warning: null };
    throw thrown;
  });
}

/** A server that says in the handshake that it has none is not asked for them. */
function isOffered(method: ListMethod, { era, capabilities }: Session): boolean {
  if (method === "tools/list" && era === "modern") return true;
  return capabilities[method.split("/")[0] ?? ""] !== undefined;
}

/** Lists when a session is opened. Resolves with true when the server did not list and its cached tools stay. */
export function createOpenListing(
  catalogue: ServerCatalogue,
  { transport, isPersonal }: { transport: ServerDefinition["transport"]; isPersonal(): boolean },
) {
  /** Over stateless HTTP, a new session is no new process. */
  const isNewProcess = ({ era }: Session) => era === "legacy" || transport !== "http";

  /** With a cached list, a server that cannot list is connected all the same. */
  const failsToList = (listed: Promise<void>, signal: AbortSignal): Promise<boolean> =>
    listed.then(
      () => false,
      (thrown) => {
        if (signal.aborted || thrown instanceof PlaneError || !catalogue.isKnown()) throw thrown;
        return true;
      },
    );

  return {
    async main(session: Session, signal: AbortSignal): Promise<boolean> {
      if (isNewProcess(session)) catalogue.renew();
      const listed = abortable(catalogue.list({ over: session }), signal);
      catalogue.beginOffers(session);
      const fails = await failsToList(listed, signal);
      catalogue.relistOffers();
      return fails && isNewProcess(session);
    },
    /** Beside the main one, with the same list. */
    async other(session: Session, signal: AbortSignal): Promise<boolean> {
      const isAsked = !catalogue.isKnown() || (isNewProcess(session) && !isPersonal());
      return isAsked && failsToList(abortable(catalogue.listOver(session), signal), signal);
    },
  };
}
