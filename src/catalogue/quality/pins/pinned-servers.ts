import { yieldEvery } from "../../../lib/async/pause.ts";
import type { Pin, PinHead, PinStatus } from "../../../model/catalogue/pin.ts";
import { isObject, type UnknownObject } from "../../../model/json.ts";
import type { Store } from "../../../model/store.ts";
import { isPinned } from "./fingerprint.ts";
import { toHead, toPin } from "./make-pin.ts";

type PinStore = Pick<Store, "pinnedServer" | "addPins">;

type Listing = { server: string; identity: string; tools: ReadonlyMap<string, UnknownObject> };

type Known = {
  heads: Map<string, PinHead>;
  /** What was listed when the server was first seen, until all of it is pinned. */
  first: Listing | null;
};

/** A server that invents names without end is not remembered without end. */
const maxPins = 20_000;

export type PinnedServers = ReturnType<typeof createPinnedServers>;

/** What servers list, beside what was pinned of them. */
export function createPinnedServers(store: () => Promise<PinStore>) {
  const listings = new Map<string, Listing>();
  const known = new Map<string, Known>();
  /** What another process may have decided meanwhile. */
  const doubtful = new Set<string>();
  let revision = 0;

  async function load(listing: Listing): Promise<void> {
    const { isKnown, heads } = await (await store()).pinnedServer(listing.identity);
    const first = isKnown ? null : (known.get(listing.identity)?.first ?? listing);
    revision += 1;
    known.set(listing.identity, { heads: new Map(heads.map((head) => [head.tool, head])), first });
  }

  function headOf({ identity }: Listing, tool: string): PinHead | undefined {
    const { heads, first } = known.get(identity) ?? { heads: new Map<string, PinHead>(), first: null };
    const seen = first?.tools.get(tool);
    if (!heads.has(tool) && seen) heads.set(tool, toHead(tool, seen));
    return heads.get(tool);
  }

  function look(server: string, tool: string) {
    const listing = listings.get(server);
    const entry = listing?.tools.get(tool);
    if (!listing || !entry) return null;
    const { heads, first } = known.get(listing.identity) ?? {};
    // What is seen for the first time is its own pin, and need not be compared with itself.
    if (first?.tools.get(tool) === entry && !heads?.has(tool))
      return { identity: listing.identity, entry, head: undefined, status: "pinned" as const };
    const head = headOf(listing, tool);
    const status = statusOf(head, entry);
    if (status !== "pinned") doubtful.add(listing.identity);
    return { identity: listing.identity, entry, head, status };
  }

  return {
    /** As long as it is the same, `look` says the same of everything. */
    revision: () => revision,
    listed(server: string, identity: string, entries: readonly unknown[]): void {
      revision += 1;
      const named = entries.filter(isObject).map((entry): [string, UnknownObject] => [String(entry.name), entry]);
      // The first of a name is the one that counts.
      listings.set(server, { server, identity, tools: new Map(named.reverse()) });
    },
    forget(server: string): void {
      revision += 1;
      listings.delete(server);
    },
    /** Another process may have decided about any of them; they are read again when somebody looks. */
    doubt(): void {
      for (const identity of known.keys()) doubtful.add(identity);
    },
    /** Once it is done `look` knows about all that is listed. Tells which servers are seen for the first time. */
    async loaded(): Promise<string[]> {
      const firstSeen: string[] = [];
      for (const listing of listings.values()) {
        if (known.has(listing.identity) && !doubtful.has(listing.identity)) continue;
        // Before the reading, so that what is doubted meanwhile stays doubtful.
        doubtful.delete(listing.identity);
        try {
          await load(listing);
        } catch (thrown) {
          doubtful.add(listing.identity);
          throw thrown;
        }
        if (known.get(listing.identity)?.first === listing) firstSeen.push(listing.server);
      }
      return firstSeen;
    },
    isLoaded(): boolean {
      for (const { identity } of listings.values()) if (!known.has(identity) || doubtful.has(identity)) return false;
      return true;
    },
    look,
    identities: () => [...listings.values()].map(({ identity }) => identity),
    /** Pins what was never seen before, where that may be, and tells of each tool whether it is so. What cannot be written is not pinned. */
    async settle(
      server: string,
      takes: { first: boolean; later: boolean },
      onTool: (tool: string, entry: UnknownObject, isNew: boolean) => void,
    ): Promise<void> {
      const listing = listings.get(server);
      const of = listing && known.get(listing.identity);
      if (!listing || !of) return;
      const pins: Pin[] = [];
      const heads: PinHead[] = [];
      let added = 0;
      const isFirst = of.first !== null;
      const takesNew = isFirst ? takes.first : takes.later;
      const turns = yieldEvery();
      for (const [tool, entry] of [...(of.first ?? listing).tools]) {
        if (turns.isOver()) await turns.next();
        const isNew = isFirst || !of.heads.has(tool);
        onTool(tool, entry, isNew);
        if (!isNew || !takesNew || of.heads.size + added >= maxPins) continue;
        if (!of.heads.has(tool)) added += 1;
        pins.push(toPin(listing, tool, entry));
        heads.push(toHead(tool, entry));
      }
      if (!takesNew || (!isFirst && pins.length === 0)) return;
      await (await store()).addPins(listing.identity, server, pins);
      // It may have been read again while it was written.
      const written = known.get(listing.identity) ?? of;
      for (const head of heads) if (!written.heads.has(head.tool)) written.heads.set(head.tool, head);
      written.first = null;
      revision += 1;
    },
    decided(identity: string, head: PinHead): void {
      revision += 1;
      known.get(identity)?.heads.set(head.tool, head);
    },
  };
}

function statusOf(head: PinHead | undefined, entry: UnknownObject): PinStatus {
  if (head === undefined) return "new";
  if (isPinned(head, entry)) return "pinned";
  return head.state === "rejected" ? "rejected" : "changed";
}
