import { yieldEvery } from "../../lib/async/pause.ts";
import { hash } from "../../lib/json/stable-json.ts";
import type { Pin, PinHead, PinnedList, PinStatus } from "../../model/catalogue/pin.ts";
import { pageIn } from "../../model/catalogue/tool-page.ts";
import { isObject, type JsonObject, type UnknownObject } from "../../model/json.ts";
import type { ScanPackage } from "../../model/packages.ts";
import type { Store } from "../../model/store.ts";
import { listKey } from "./offers.ts";

/** Prefix of hashes of whole definitions; earlier ones left out keys that the protocol does not name. */
const wholePrefix = "2:";

/** A tool's definition without what a server may change with each listing. */
export function definitionOf(entry: UnknownObject): JsonObject {
  const { name: _, input_schema, parameters, _meta, icons, ...fields } = entry;
  const page = pageIn(_meta);
  const definition = { ...protocolPart(entry), ...fields, ...schemaIn(entry) } as JsonObject;
  return page === null ? definition : { ...definition, page };
}

/** As versions before pages pinned it; what is pinned with its page must keep it. */
function withoutPage(entry: UnknownObject): UnknownObject {
  const { _meta, ...fields } = entry;
  return fields;
}

/** The part that earlier versions pinned. */
function protocolPart(entry: UnknownObject): JsonObject {
  const { title, description, outputSchema, annotations } = entry;
  return { title, description, ...schemaIn(entry), outputSchema, annotations } as JsonObject;
}

function schemaIn({ inputSchema, input_schema, parameters }: UnknownObject): UnknownObject {
  return { inputSchema: inputSchema ?? input_schema ?? parameters };
}

const quickHashes = new WeakMap<object, string | null>();

/** Depends on the order of keys. Null if the definition cannot be serialised. */
export function quickHashOf(entry: UnknownObject): string | null {
  const previous = quickHashes.get(entry);
  if (previous !== undefined) return previous;
  const { createHash } = process.getBuiltinModule("node:crypto");
  const text = nullIfFailing(() => JSON.stringify(definitionOf(entry)));
  const quickHash = text === null ? null : createHash("sha256").update(text).digest("base64url");
  quickHashes.set(entry, quickHash);
  return quickHash;
}

/** Does not depend on the order of keys. */
export function definitionHash(entry: UnknownObject): string | null {
  return nullIfFailing(() => `${wholePrefix}${hash(definitionOf(entry))}`);
}

/** Mostly the quick hashes are equal and the slow one is not computed. */
export function isPinned(head: PinHead, entry: UnknownObject): boolean {
  if (head.hash === null) return false;
  if (!head.hash.startsWith(wholePrefix))
    return head.hash === nullIfFailing(() => hash(protocolPart(entry)));
  const quickHash = quickHashOf(entry);
  if (quickHash === null || head.quickHash === quickHash || head.hash === definitionHash(entry))
    return quickHash !== null;
  return pageIn(entry._meta) !== null && head.hash === definitionHash(withoutPage(entry));
}

/** A definition that is nested too deep to be serialised must not stop the review of others. */
function nullIfFailing<T>(write: () => T): T | null {
  try {
    return write();
  } catch {
    return null;
  }
}

type Scan = Pick<ScanPackage, "scanDefinition" | "scanVersion">;

function toHead(
  tool: string,
  entry: UnknownObject,
  { scanDefinition, scanVersion }: Scan,
): PinHead {
  const cleanBy = scanDefinition(entry).length === 0 ? scanVersion : null;
  return {
    tool,
    state: "seen",
    hash: definitionHash(entry),
    quickHash: quickHashOf(entry),
    cleanBy,
  };
}

function toPin(
  { server, identity }: { server: string; identity: string },
  tool: string,
  entry: UnknownObject,
  scan: Scan,
): Pin {
  return {
    ...toHead(tool, entry, scan),
    identity,
    server,
    definition: quickHashOf(entry) === null ? null : definitionOf(entry),
    at: new Date().toISOString(),
    by: { user: null, face: null, system: `server ${server}` },
    reason: null,
  };
}

/** `key` is the server's name for its tools, and another for its other lists. */
type Listing = {
  key: string;
  server: string;
  kind: PinnedList;
  identity: string;
  /** For this user alone. What all share decides first: only what differs from it has pins of its own. */
  user?: string | undefined;
  base?: string;
  tools: ReadonlyMap<string, UnknownObject>;
};

type ServerPins = {
  heads: Map<string, PinHead>;
  /** The first listing of the server, until all of it is pinned. */
  first: Listing | null;
};

/** Bounds the memory for a server that keeps inventing names. */
const maxPins = 20_000;

export type PinnedServers = ReturnType<typeof createPinnedServers>;

export function createPinnedServers(store: PinStore, scan: Scan, isInformed: () => boolean) {
  const listings = new Map<string, Listing>();
  const lookedThrough = new WeakSet<Listing>();
  const pins = createKnownPins(store);
  let changes = 0;
  const pinOf = (
    listing: Pick<Listing, "server" | "identity">,
    tool: string,
    entry: UnknownObject,
  ) => toPin(listing, tool, entry, scan);
  const compareWithPin = (serverPins: ServerPins | undefined, tool: string, entry: UnknownObject) =>
    compare(serverPins, tool, entry, scan);
  return {
    /** The pin of a definition as it is listed now. */
    pinOf,
    /** As long as it is the same, `look` answers the same. */
    revision: () => changes + pins.revision(),
    listed(
      server: string,
      identity: string,
      entries: readonly unknown[],
      kind: PinnedList = "tools",
      user?: string,
    ): void {
      const namedEntries = entries
        .filter(isObject)
        .map((entry): [string, UnknownObject] => [String(entry.name), entry]);
      const key = listKey(server, kind, user);
      const base = kind === "tools" ? identity : `${identity} ${kind}`;
      const ownIdentity = user === undefined ? base : `${base} of ${hash(user)}`;
      // Reversed: the first of a name counts.
      const tools = new Map(namedEntries.reverse());
      const previous = listings.get(key);
      if (!previous && kind === "written" && tools.size === 0) return;
      if (previous?.identity === ownIdentity && sameEntries(previous.tools, tools)) return;
      changes += 1;
      const ofUser = user === undefined ? {} : { user, base };
      listings.set(key, { key, server, kind, identity: ownIdentity, ...ofUser, tools });
    },
    /** All lists of a server, or those of one user. */
    forget(server: string, user?: string): void {
      changes += 1;
      for (const [key, listing] of listings)
        if (listing.server === server && (user === undefined || listing.user === user))
          listings.delete(key);
    },
    doubt: pins.doubtAll,
    /** As they are listed now. */
    toolsOf: (key: string): string[] => [...(listings.get(key)?.tools.keys() ?? [])],
    /** Reads the pins of one list. */
    async loadOne(key: string): Promise<void> {
      const listing = listings.get(key);
      if (listing) await pins.load(listing);
    },
    /** Reads the pins of all listed servers. Returns the servers that are seen for the first time. */
    async loaded(): Promise<string[]> {
      const firstSeen: string[] = [];
      for (const listing of listings.values())
        if (await pins.load(listing)) firstSeen.push(listing.key);
      return firstSeen;
    },
    isLoaded(): boolean {
      for (const { identity } of listings.values()) if (!pins.isLoaded(identity)) return false;
      return true;
    },
    /** Looks at each tool of lists that are new. Others work in between: a server may list very much. */
    async lookThrough(onTool: (key: string, tool: string) => Promise<void>): Promise<void> {
      const turns = yieldEvery();
      for (const listing of [...listings.values()]) {
        if (lookedThrough.has(listing)) continue;
        for (const tool of listing.tools.keys()) {
          if (turns.isOver()) await turns.next();
          await onTool(listing.key, tool);
        }
        lookedThrough.add(listing);
      }
    },
    isLookedThrough(): boolean {
      for (const listing of listings.values()) if (!lookedThrough.has(listing)) return false;
      return true;
    },
    look(key: string, tool: string) {
      const listing = listings.get(key);
      const entry = listing?.tools.get(tool);
      if (!listing || !entry) return null;
      const { server, kind, base } = listing;
      const shared = base === undefined ? null : compareWithPin(pins.get(base), tool, entry);
      const isShared = shared?.status === "pinned" || shared?.status === "rejected";
      const identity = isShared && base !== undefined ? base : listing.identity;
      const comparison = isShared ? shared : compareWithPin(pins.get(identity), tool, entry);
      // Another process may let it go, and would not tell.
      if (comparison.status !== "pinned" && !isInformed()) pins.doubt(identity);
      return { identity, server, kind, entry, ...comparison };
    },
    /** The list that this user sees. */
    keyFor(server: string, kind: PinnedList, user: string | null): string {
      const userKey = listKey(server, kind, user ?? undefined);
      return listings.has(userKey) ? userKey : listKey(server, kind);
    },
    identities: () => [...listings.values()].map(({ identity }) => identity),
    /** What servers offer beside tools, as far as it was listed. */
    offers: () =>
      [...listings.values()].filter(({ kind }) => kind !== "tools" && kind !== "written"),
    /** Pins new tools where `takes` allows it, and reports every tool. Tools stay unpinned if the store fails. */
    async settle(
      key: string,
      takes: { first: boolean; later: boolean },
      onTool: OnTool,
    ): Promise<void> {
      const listing = listings.get(key);
      const serverPins = listing && pins.get(listing.identity);
      if (!listing || !serverPins) return;
      const isFirst = serverPins.first !== null;
      const takesNew = isFirst ? takes.first : takes.later;
      const { base } = listing;
      const isShared = (tool: string, entry: UnknownObject) =>
        base !== undefined &&
        ["pinned", "rejected"].includes(compareWithPin(pins.get(base), tool, entry).status);
      const added = (await collectPins(listing, serverPins, takesNew, onTool, pinOf)).filter(
        ({ tool }) => !isShared(tool, listing.tools.get(tool) ?? {}),
      );
      if (takesNew && (isFirst || added.length > 0)) await pins.add(listing, added, serverPins);
    },
    decided: pins.set,
  };
}

function sameEntries(before: Listing["tools"], after: Listing["tools"]): boolean {
  if (before.size !== after.size) return false;
  for (const [name, entry] of after) if (before.get(name) !== entry) return false;
  return true;
}

type PinStore = () => Promise<Pick<Store, "pinnedServer" | "addPins">>;

function createKnownPins(store: PinStore) {
  const pinsByIdentity = new Map<string, ServerPins>();
  /** Identities about which another process may have decided meanwhile. */
  const doubtful = new Set<string>();
  let revision = 0;
  const isLoaded = (identity: string) => pinsByIdentity.has(identity) && !doubtful.has(identity);
  return {
    revision: () => revision,
    get: (identity: string) => pinsByIdentity.get(identity),
    isLoaded,
    doubt: (identity: string): void => void doubtful.add(identity),
    doubtAll(): void {
      for (const identity of pinsByIdentity.keys()) doubtful.add(identity);
    },
    /** Reads what is not known or doubtful. True for a server that is seen for the first time. */
    async load(listing: Listing): Promise<boolean> {
      const { identity } = listing;
      if (isLoaded(identity)) return false;
      // Before reading: a doubt that arises meanwhile stays.
      doubtful.delete(identity);
      try {
        const { isKnown, heads } = await (await store()).pinnedServer(identity);
        const first = isKnown ? null : (pinsByIdentity.get(identity)?.first ?? listing);
        revision += 1;
        pinsByIdentity.set(identity, {
          heads: new Map(heads.map((head) => [head.tool, head])),
          first,
        });
        return first === listing;
      } catch (thrown) {
        doubtful.add(identity);
        // While the store is unreachable, what was read before is the best that is known.
        if (pinsByIdentity.has(identity)) return false;
        throw thrown;
      }
    },
    async add({ identity, server }: Listing, pins: Pin[], previousPins: ServerPins): Promise<void> {
      await (await store()).addPins(identity, server, pins);
      // It may have been read again while the pins were written.
      const serverPins = pinsByIdentity.get(identity) ?? previousPins;
      for (const { tool, state, hash, quickHash, cleanBy } of pins)
        if (!serverPins.heads.has(tool))
          serverPins.heads.set(tool, { tool, state, hash, quickHash, cleanBy });
      serverPins.first = null;
      revision += 1;
    },
    set(identity: string, head: PinHead): void {
      revision += 1;
      pinsByIdentity.get(identity)?.heads.set(head.tool, head);
    },
  };
}

type OnTool = (tool: string, entry: UnknownObject, isNew: boolean) => void;

async function collectPins(
  listing: Listing,
  { heads, first }: ServerPins,
  takesNew: boolean,
  onTool: OnTool,
  pinOf: (listing: Listing, tool: string, entry: UnknownObject) => Pin,
) {
  const pins: Pin[] = [];
  let added = 0;
  const turns = yieldEvery();
  for (const [tool, entry] of [...(first ?? listing).tools]) {
    if (turns.isOver()) await turns.next();
    const isNew = first !== null || !heads.has(tool);
    onTool(tool, entry, isNew);
    if (!isNew || !takesNew || heads.size + added >= maxPins) continue;
    if (!heads.has(tool)) added += 1;
    pins.push(pinOf(listing, tool, entry));
  }
  return pins;
}

function compare(
  serverPins: ServerPins | undefined,
  tool: string,
  entry: UnknownObject,
  scan: Scan,
): { head: PinHead | undefined; status: PinStatus } {
  const { heads, first } = serverPins ?? { heads: new Map<string, PinHead>(), first: null };
  const firstEntry = first?.tools.get(tool);
  // A tool that is seen for the first time is its own pin.
  if (firstEntry === entry && !heads.has(tool)) return { head: undefined, status: "pinned" };
  if (firstEntry && !heads.has(tool)) heads.set(tool, toHead(tool, firstEntry, scan));
  const head = heads.get(tool);
  if (head === undefined) return { head, status: "new" };
  if (isPinned(head, entry)) return { head, status: "pinned" };
  return { head, status: head.state === "rejected" ? "rejected" : "changed" };
}
