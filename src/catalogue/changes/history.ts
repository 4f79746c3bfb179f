import { sameJson } from "../../lib/json/plain-data.ts";
import { hash } from "../../lib/json/stable-json.ts";
import type { Audience, NewChange } from "../../model/catalogue/change.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import type { KnownServer, ServerDefinition } from "../../model/servers/server.ts";
import type { Store } from "../../model/store.ts";
import { type NamelessTool, translateTools } from "../sources/mcp.ts";
import { everyone } from "./audience.ts";
import { compareListings, slice } from "./compare-listings.ts";
import { type DescribedEntry, describeEntry, entryKeyOf } from "./describe-entry.ts";
import type { WrittenEntry } from "./entries-in-files.ts";
import { changedByFile, changedByLibrary, firstSeen, toChange } from "./entry-changes.ts";

export type HistoryParts = {
  store(): Promise<Store>;
  /** Is there a next time that what is seen now is compared with? */
  outlivesUs: boolean;
  revision(): number;
  mask(value: unknown): unknown;
};

export type ChangeHistory = {
  /** What was kept of servers from the last time. */
  recalled(known: readonly KnownServer[]): void;
  /** A server has listed its tools; they are kept for the next time. */
  listed(server: ListedServer, known: KnownServer): void;
  /** What these files say now. */
  applied(files: readonly string[], entries: readonly WrittenEntry[]): void;
  /** What this program registered under a name, or took away again. */
  registered(entry: DescribedEntry, isThere: boolean): void;
  /** Everything that was seen so far is written. */
  settled(): Promise<void>;
};

const sameListMs = 60_000;

/** Finds out what changed, one thing after the other and when others had their turn. */
export function createChangeHistory({ store, outlivesUs, revision, mask }: HistoryParts): ChangeHistory {
  const remembered = new Map<string, KnownServer>();
  let last = Promise.resolve();
  const later = (work: () => Promise<void>) => {
    // Nobody waits for the history, and a store that cannot be written has told so elsewhere.
    last = last
      .then(() => new Promise(setImmediate))
      .then(work)
      .catch(() => undefined);
  };

  /** Repeated when another process on the same store was quicker, so that each change is told once. */
  async function advance(
    known: KnownServer,
    isKept: boolean,
    changesSince: (before: readonly unknown[] | null) => Promise<NewChange[]>,
    isNews: (before: KnownServer | undefined, changes: readonly NewChange[]) => boolean = () => true,
  ): Promise<void> {
    const { identity } = known;
    for (;;) {
      const before = remembered.get(identity) ?? (isKept ? await read(identity) : undefined);
      const changes = await changesSince(before?.tools ?? null);
      if (!isKept) {
        if (changes.length > 0) await (await store()).addChanges(changes);
        break;
      }
      // What is kept stays the basis of the next comparison.
      if (!isNews(before, changes)) return;
      if (await (await store()).putListing(known, before?.listedAt ?? null, changes)) break;
      remembered.delete(identity);
    }
    remembered.set(identity, known);
  }

  const read = async (identity: string) => (await (await store()).knownServers([identity]))[0];

  return {
    recalled(known) {
      for (const one of known) if (!remembered.has(one.identity)) remembered.set(one.identity, one);
    },
    listed(server, known) {
      const now = { revision: revision(), mask };
      later(() =>
        advance(
          known,
          outlivesUs,
          (before) => serverChanges(server, before, known.tools, now),
          (before, changes) => changes.length > 0 || isServerNews(before, known),
        ),
      );
    },
    applied(files, entries) {
      const isKept = outlivesUs && files.every((file) => !file.startsWith("("));
      const leadsTo = revision();
      later(async () => {
        const described = await describeAll(entries, mask);
        const known = asKnown(files, described);
        await advance(known, isKept, (before) => fileChanges(before, described, leadsTo), isFileNews);
      });
    },
    registered(entry, isThere) {
      const circumstances = { by: changedByLibrary, reason: null, revision: revision() };
      later(async () => {
        const { addChanges, changes } = await store();
        const filter = { name: entry.name, persona: entry.persona };
        const [latest] = (await changes({ filter, limit: 1 })).changes;
        const isOurs = latest?.by.system === "library" && latest.after !== null;
        // A program registers the same again at each of its starts.
        if (isThere && isOurs && sameJson(latest.after, entry.definition)) return;
        const before = !isThere ? entry : isOurs && latest.after ? { ...entry, definition: latest.after } : null;
        await addChanges([toChange({ before, after: isThere ? entry : null }, circumstances)]);
      });
    },
    settled: () => last,
  };
}

/** Every call of the command line lists its server; the same list is written once a minute and not with each of them. */
function isServerNews(before: KnownServer | undefined, { listedAt, era, offers }: KnownServer): boolean {
  if (before === undefined || before.era !== era) return true;
  if (Date.parse(listedAt) - Date.parse(before.listedAt) > sameListMs) return true;
  const itemsOf = (lists: KnownServer["offers"] = {}) =>
    Object.fromEntries(Object.entries(lists).map(([kind, { items }]) => [kind, items]));
  return !sameJson(itemsOf(before.offers), itemsOf(offers));
}

/** What says the same as yesterday is written again once a day, so that it is not forgotten as somebody's past. */
function isFileNews(before: KnownServer | undefined, changes: readonly NewChange[]): boolean {
  if (changes.length > 0 || before === undefined) return changes.length > 0;
  return Date.now() - Date.parse(before.listedAt) > 24 * 3_600_000;
}

async function describeAll(entries: readonly WrittenEntry[], mask: HistoryParts["mask"]): Promise<DescribedEntry[]> {
  const described: DescribedEntry[] = [];
  for (const [at, { kind, manifest, source }] of entries.entries()) {
    if (at % slice === slice - 1) await new Promise(setImmediate);
    described.push(describeEntry(kind, manifest, source, mask));
  }
  return described;
}

/** Files are remembered like a server that lists what they say. */
function asKnown(files: readonly string[], entries: readonly DescribedEntry[]): KnownServer {
  const at = new Date().toISOString();
  return {
    identity: hash({ entriesOf: files }),
    era: "legacy",
    eraAt: at,
    listedAt: at,
    tools: [...entries],
  };
}

async function fileChanges(
  before: readonly unknown[] | null,
  entries: readonly DescribedEntry[],
  revision: number,
): Promise<NewChange[]> {
  const circumstances = { by: changedByFile, reason: null, revision };
  if (before !== null) {
    const different = await compareListings(before as readonly DescribedEntry[], entries, entryKeyOf);
    return different.map((pair) => toChange(pair, circumstances));
  }
  if (entries.length === 0) return [];
  const what = { what: "files", name: "files", persona: null, source: "file" } as const;
  return [firstSeen({ ...what, by: changedByFile, count: entries.length, revision, audience: everyone })];
}

type ListedServer = {
  name: string;
  definition: ServerDefinition;
  era: "legacy" | "modern";
  /** How many of its tools the catalogue has. */
  size: number;
};

type Mask = (value: unknown) => unknown;

/** What a server's new list changed; `before` is null when nothing was known of it. */
async function serverChanges(
  server: ListedServer,
  before: readonly unknown[] | null,
  after: readonly unknown[],
  { revision, mask }: { revision: number; mask: Mask },
): Promise<NewChange[]> {
  const by = { user: null, face: null, system: `server ${server.name}` };
  if (before === null) return [firstListing(server, by, revision)];
  const different = await compareListings(before, after, nameOf);
  return different.flatMap((pair) => {
    const [earlier, later] = [pair.before, pair.after].map((raw) => describe(raw, server, mask));
    // Neither was ever in the catalogue, or only what nobody sees is different.
    if (!earlier && !later) return [];
    if (earlier && later && JSON.stringify(earlier) === JSON.stringify(later)) return [];
    return [toChange({ before: earlier ?? null, after: later ?? null }, { by, reason: null, revision })];
  });
}

function firstListing({ name, definition, size }: ListedServer, by: NewChange["by"], revision: number): NewChange {
  const audience = audienceOf(name, definition);
  const { persona } = definition;
  const what = { what: "server", name, persona, source: `mcp:${name}` } as const;
  return firstSeen({ ...what, by, count: size, revision, audience });
}

/** Those who may use the server now, and may have used it then. */
function audienceOf(name: string, { groups, persona, workspaces }: ServerDefinition): Audience {
  const within = workspaces.length === 0 ? {} : { workspaces };
  return { groups, persona, personas: null, ...within, servers: [name] };
}

function nameOf(raw: unknown): string {
  return isObject(raw) ? String(raw.name) : "";
}

/** A listed tool as the catalogue has it; undefined when it has it not. */
function describe(raw: unknown, server: ListedServer, mask: Mask): DescribedEntry | undefined {
  if (raw === null) return undefined;
  const { name, definition, era } = server;
  const [tool] = translateTools(name, definition, [raw], era).tools;
  if (tool === undefined) return undefined;
  const { persona } = definition;
  return {
    kind: "tool",
    name: `${name}.${tool.id.tool}`,
    persona,
    source: tool.source,
    definition: mask(definitionOf(tool)) as JsonObject,
    audience: audienceOf(name, definition),
  };
}

/** What the server itself says of it. */
function definitionOf({ title, description, parameters, outputSchema, annotations }: NamelessTool): JsonObject {
  return JSON.parse(JSON.stringify({ title, description, parameters, outputSchema, annotations })) as JsonObject;
}
