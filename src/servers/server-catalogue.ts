import { sameJson } from "../lib/same-json.ts";
import { isObject, type UnknownObject } from "../model/json.ts";
import type { KnownServer } from "../model/server.ts";
import { type Listing, listAll } from "../protocol/list-all.ts";
import type { Era, Session } from "../protocol/session.ts";
import { createDiscovery } from "./discovery.ts";
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
  /** To be remembered for the next time. */
  onKnown(known: Remembered): void;
};

export type Remembered = Omit<KnownServer, "identity">;

/** What one server offers: listed, remembered from before, or both. */
export function createServerCatalogue(options: CatalogueOptions) {
  const { log } = options;
  let tools: ReadonlyMap<string, UnknownObject> | null = null;
  let told: { items: unknown[]; era: Era } | null = null;
  let failure: string | null = null;

  const discovery = createDiscovery({
    windowMs: options.listingTtlMs,
    isOpen: options.isOpen,
    async list() {
      const session = await options.session();
      // Whoever says in the handshake that there are none is not asked for them.
      const hasNone = session.era === "legacy" && session.capabilities.tools === undefined;
      if (hasNone) return { items: [], warning: null };
      const limit = AbortSignal.timeout(options.limitMs);
      return listAll(session, "tools/list", limit).catch((thrown) => {
        if (!limit.aborted) throw thrown;
        throw new Error(`tools/list timed out after ${options.limitMs / 1000} s ('connectTimeoutMs')`);
      });
    },
    onListed: take,
    onFailed(thrown) {
      failure = options.hide(
        `listing its tools failed: ${thrown instanceof Error ? thrown.message : thrown}`,
      );
      log.add({ source: "log", level: "error", text: failure });
    },
  });

  function take({ items, warning }: Listing): void {
    const { era = "legacy", at = Date.now() } = options.verdict() ?? {};
    failure = null;
    if (warning) log.add({ source: "log", level: "warning", text: warning });
    const kept = remember(items, era);
    const listedAt = new Date(discovery.listedAt() ?? Date.now()).toISOString();
    options.onKnown({ era, eraAt: new Date(at).toISOString(), listedAt, tools: kept });
  }

  /** A thousand tools that are the same as before are nobody's news, and looking at them anew holds up everybody. */
  function remember(listed: unknown[], era: Era): unknown[] {
    const items = keepSame(told?.items ?? [], listed);
    if (tools !== null && told?.items === items && told.era === era) return items;
    told = { items, era };
    tools = new Map(items.filter(isObject).map((tool) => [String(tool.name), tool]));
    options.onTools(items, era);
    return items;
  }

  return {
    ...discovery,
    isKnown: () => tools !== null,
    size: () => tools?.size ?? 0,
    /** Why the last listing failed. */
    failure: () => failure,
    toolOf: (name: unknown) => tools?.get(String(name)),
    /** What is known is not to be relied on. */
    forgetAll(): void {
      discovery.forget();
      tools = null;
      told = null;
    },
    /** Takes over what was listed in an earlier life. */
    recall({ era, listedAt, tools: listed }: Remembered): void {
      if (tools !== null) return;
      discovery.remember(Date.parse(listedAt));
      remember(listed, era);
    },
  };
}

/** What says the same at the same place stays the same object; a list that says the same stays the same list. */
function keepSame(before: unknown[], listed: unknown[]): unknown[] {
  const kept = listed.map((item, at) => (sameJson(before[at], item) ? before[at] : item));
  const isSame = kept.length === before.length && kept.every((item, at) => item === before[at]);
  return isSame ? before : kept;
}
