import { abortable } from "../lib/async/signals.ts";
import { keepSameItems } from "../lib/json/plain-data.ts";
import { PlaneError } from "../model/errors.ts";
import { isObject, type UnknownObject } from "../model/json.ts";
import type { KnownServer, ServerDefinition } from "../model/servers/server.ts";
import { type Listing, type ListMethod, listAll, listings } from "../protocol/list-all.ts";
import { RpcError } from "../protocol/message.ts";
import type { Era, Session } from "../protocol/session.ts";
import { createDiscovery } from "./discovery.ts";
import { createOffers } from "./offers.ts";
import type { LogWriter } from "./server-log.ts";
import type { Verdict } from "./session-opener.ts";

export type CatalogueOptions = {
  listingTtlMs: number;
  /** Limit of one listing. */
  limitMs: number;
  /** The session to ask, opened if need be. */
  session(): Promise<Session>;
  isOpen(): boolean;
  verdict(): Verdict | null;
  log: LogWriter;
  hide(text: string): string;
  /** Everything the server lists, each time it lists. */
  onTools(tools: unknown[], era: Era): void;
  /** It offers something else beside its tools, or says so. */
  onOffers(list: "prompts" | "resources"): void;
  /** To be remembered for the next time. */
  onKnown(known: Remembered): void;
};

export type Remembered = Omit<KnownServer, "identity">;

const methodNotFound = -32601;

export type ServerCatalogue = ReturnType<typeof createServerCatalogue>;

/** What one server offers: listed, remembered from before, or both. */
export function createServerCatalogue(options: CatalogueOptions) {
  const { log, limitMs } = options;
  let tools: ReadonlyMap<string, UnknownObject> | null = null;
  let current: { items: unknown[]; era: Era } | null = null;
  let failure: string | null = null;
  let telling: NodeJS.Immediate | undefined;

  async function list(method: ListMethod, over: Session | undefined): Promise<Listing> {
    const session = over ?? (await options.session());
    if (!isOffered(method, session)) return { items: [], warning: null };
    const limit = AbortSignal.timeout(limitMs);
    return listAll(session, method, limit).catch((thrown) => {
      if (limit.aborted) throw new Error(`${method} timed out after ${limitMs / 1000} s ('connectTimeoutMs')`);
      // Some have one of the two lists of resources and know nothing of the other.
      const isMissing = thrown instanceof RpcError && thrown.code === methodNotFound;
      if (isMissing && method !== "tools/list") return { items: [], warning: null };
      throw thrown;
    });
  }

  function describeFailure(method: ListMethod, thrown: unknown): string {
    const what = method === "resources/templates/list" ? "resource templates" : listings[method];
    const text = `listing its ${what} failed: ${thrown instanceof Error ? thrown.message : thrown}`;
    return options.hide(text);
  }

  const warn = (text: string | null) => text && log.add({ source: "log", level: "warning", text });

  const discovery = createDiscovery<Session>({
    windowMs: options.listingTtlMs,
    isOpen: options.isOpen,
    list: (over) => list("tools/list", over),
    onListed({ items, warning }) {
      failure = null;
      warn(warning);
      remember(items, options.verdict()?.era ?? "legacy");
      tell();
    },
    onFailed(thrown) {
      failure = describeFailure("tools/list", thrown);
      log.add({ source: "log", level: "error", text: failure });
    },
  });

  const offers = createOffers({
    windowMs: options.listingTtlMs,
    isOpen: options.isOpen,
    list,
    onListed(method, warning, isNews) {
      warn(warning);
      // Lists that come together are written once.
      telling ??= setImmediate(tell);
      if (isNews) options.onOffers(method === "prompts/list" ? "prompts" : "resources");
    },
    onFailed(method, thrown) {
      if (options.isOpen()) log.add({ source: "log", level: "error", text: describeFailure(method, thrown) });
    },
  });

  function tell(): void {
    clearImmediate(telling);
    telling = undefined;
    const at = discovery.listedAt();
    if (current === null || at === null) return;
    const verdict = options.verdict();
    options.onKnown({
      era: current.era,
      eraAt: new Date(verdict?.at ?? Date.now()).toISOString(),
      listedAt: new Date(at).toISOString(),
      tools: current.items,
      offers: offers.remembered(),
    });
  }

  /** A thousand tools that are the same as before are no news, and looking at them anew takes time. */
  function remember(listed: unknown[], era: Era): void {
    const items = keepSameItems(current?.items ?? [], listed);
    if (tools !== null && current?.items === items && current.era === era) return;
    current = { items, era };
    tools = new Map(items.filter(isObject).map((tool) => [String(tool.name), tool]));
    options.onTools(items, era);
  }

  return {
    ...discovery,
    isKnown: () => tools !== null,
    size: () => tools?.size ?? 0,
    /** Why the last listing failed. */
    failure: () => failure,
    toolOf: (name: unknown) => tools?.get(String(name)),
    /** Asks a process beside the main one for its tools, and takes what it lists. */
    listOver: async (session: Session) => discovery.take(await list("tools/list", session)),
    offered: offers.items,
    offerCounts: offers.counts,
    listOffer: offers.list,
    beginOffers: offers.begin,
    relistOffers: offers.relist,
    /** Another process answers from now on. */
    renew(): void {
      discovery.renew();
      offers.renew();
    },
    /** Really asks for everything that was not listed since. */
    async refresh(since: number | null): Promise<void> {
      const force = discovery.listedAt() === since;
      await Promise.all([discovery.list({ force }), offers.refresh()]);
    },
    listChanged(changed: string): void {
      if (changed === "tools") discovery.changed();
      else offers.changed(changed);
    },
    /** What is known is not to be relied on. */
    forgetAll(): void {
      discovery.forget();
      offers.forget();
      tools = null;
      current = null;
    },
    /** Takes over what was listed in an earlier life. */
    recall({ era, listedAt, tools: listed, offers: known }: Remembered): void {
      offers.recall(known);
      if (tools !== null) return;
      discovery.remember(Date.parse(listedAt));
      remember(listed, era);
    },
    stop(): void {
      discovery.stop();
      offers.stop();
    },
  };
}

/** A server that says in the handshake that it has none is not asked for them. */
function isOffered(method: ListMethod, { era, capabilities }: Session): boolean {
  if (method === "tools/list" && era === "modern") return true;
  return capabilities[method.split("/")[0] ?? ""] !== undefined;
}

type OpenListing = {
  catalogue: ServerCatalogue;
  transport: ServerDefinition["transport"];
  isPersonal(): boolean;
};

/** Lists when a session is opened. Resolves with true when the server did not list and its cached tools stay. */
export function createOpenListing({ catalogue, transport, isPersonal }: OpenListing) {
  /** Over stateless HTTP, a new session is no new process. */
  const isNewProcess = ({ era }: Session) => era === "legacy" || transport !== "http";

  /** With a cached list, a server that cannot list is connected all the same. */
  async function failsToList(listed: Promise<void>, signal: AbortSignal): Promise<boolean> {
    try {
      await listed;
      return false;
    } catch (thrown) {
      if (signal.aborted || thrown instanceof PlaneError || !catalogue.isKnown()) throw thrown;
      return true;
    }
  }

  return {
    async main(session: Session, signal: AbortSignal): Promise<boolean> {
      if (isNewProcess(session)) catalogue.renew();
      const listed = abortable(catalogue.list({ over: session }), signal);
      catalogue.beginOffers(session);
      const fails = await failsToList(listed, signal);
      catalogue.relistOffers();
      return fails && isNewProcess(session);
    },
    /** The lists of users with their own credentials may differ, so they do not replace each other. */
    async other(session: Session, signal: AbortSignal): Promise<boolean> {
      const isAsked = !catalogue.isKnown() || (isNewProcess(session) && !isPersonal());
      return isAsked && failsToList(abortable(catalogue.listOver(session), signal), signal);
    },
  };
}
