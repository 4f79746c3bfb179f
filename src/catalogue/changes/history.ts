import { maskSecrets } from "../../config/config.ts";
import { createQuiet } from "../../lib/async/quiet.ts";
import { sameJson } from "../../lib/json/plain-data.ts";
import { hash } from "../../lib/json/stable-json.ts";
import type { Audience, NewChange } from "../../model/catalogue/change.ts";
import type { ChangedBy } from "../../model/catalogue/change-schema.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import type { KnownServer, ServerDefinition } from "../../model/servers/server.ts";
import type { Store } from "../../model/store.ts";
import { translateTools } from "../sources/mcp.ts";
import {
  type DescribedEntry,
  type Difference,
  describeEntry,
  everyone,
  keyText,
  toChange,
  type WrittenEntry,
} from "./entry.ts";

type HistoryPorts = {
  store(): Promise<Store>;
  /** Does the store survive this process? */
  outlivesUs: boolean;
  revision(): number;
};

export type ChangeHistory = ReturnType<typeof createChangeHistory>;

/** An unchanged listing is written again after this time, not with each call of the command line. */
const rewriteMs = 60_000;

/** Listings are compared when none has come for this time: callers wait for the first ones. */
const compareAfterMs = 250;

/** Finds what changed in the background, one listing after the other. */
export function createChangeHistory({ store, outlivesUs, revision }: HistoryPorts) {
  const log = createListingLog(store);
  const coalesced = createCoalescer();
  const quiet = createQuiet(compareAfterMs);
  let lastTask = Promise.resolve();
  const enqueue = (task: () => Promise<void>) => {
    // No caller waits for the history, and a store that cannot be written reports that itself.
    lastTask = lastTask
      .then(() => new Promise(setImmediate))
      .then(quiet.wait)
      .then(task)
      .catch(() => undefined);
  };

  return {
    recalled: log.recall,
    listed(server: ListedServer, listing: KnownServer): void {
      const currentRevision = revision();
      const compare = () =>
        log.advance(
          listing,
          outlivesUs,
          (before) => serverChanges(server, before, listing.tools, currentRevision),
          (before, changes) => changes.length > 0 || isServerNews(before, listing),
        );
      quiet.stir();
      coalesced.run(listing.identity, () => enqueue(compare));
    },
    applied(files: readonly string[], entries: readonly WrittenEntry[]): void {
      const isKept = outlivesUs && files.every((file) => !file.startsWith("("));
      const currentRevision = revision();
      enqueue(async () => {
        const described: DescribedEntry[] = [];
        await inBatches(entries, (entry) => described.push(describeEntry(entry)));
        const listedAt = new Date().toISOString();
        // Files are remembered like a server that lists their entries.
        const identity = hash({ entriesOf: files });
        const listing: KnownServer = {
          identity,
          era: "legacy",
          eraAt: listedAt,
          listedAt,
          tools: described,
        };
        await log.advance(
          listing,
          isKept,
          (before) => fileChanges(before, described, currentRevision),
          isFileNews,
        );
      });
    },
    registered(entry: DescribedEntry, isRegistered: boolean): void {
      const circumstances = { by: changedBy("library"), reason: null, revision: revision() };
      enqueue(async () => {
        const { addChanges, changes } = await store();
        const filter = { name: entry.name, persona: entry.persona };
        const [latest] = (await changes({ filter, limit: 1 })).changes;
        const ours = latest?.by.system === "library" ? latest.after : null;
        if (!isRegistered) {
          await addChanges([toChange({ before: entry, after: null }, circumstances)]);
          return;
        }
        // A program registers the same tool again at each start.
        if (ours !== null && sameJson(ours, entry.definition)) return;
        const before = ours && { ...entry, definition: ours };
        await addChanges([toChange({ before, after: entry }, circumstances)]);
      });
    },
    settled() {
      coalesced.flush();
      quiet.hurry();
      return lastTask;
    },
  };
}

/** So many listings of a server are compared as they come; of more within the window only the last, at its end. */
const listingsAtOnce = 5;
const windowMs = 10_000;

/** A server that changes its list all the time must not fill the history. */
function createCoalescer() {
  type Window = { count: number; waiting: (() => void) | null; timer: NodeJS.Timeout };
  const windows = new Map<string, Window>();
  const open = (key: string, count: number): Window => {
    const window: Window = {
      count,
      waiting: null,
      timer: setTimeout(() => end(key, window), windowMs).unref(),
    };
    windows.set(key, window);
    return window;
  };
  const end = (key: string, { waiting }: Window) => {
    windows.delete(key);
    if (waiting === null) return;
    // It goes on: one comparison per window.
    open(key, listingsAtOnce);
    waiting();
  };
  return {
    run(key: string, work: () => void): void {
      const window = windows.get(key) ?? open(key, 0);
      window.count += 1;
      if (window.count > listingsAtOnce) window.waiting = work;
      else work();
    },
    flush(): void {
      for (const { waiting, timer } of windows.values()) {
        clearTimeout(timer);
        waiting?.();
      }
      windows.clear();
    },
  };
}

function createListingLog(store: HistoryPorts["store"]) {
  const remembered = new Map<string, KnownServer>();
  const readListing = async (identity: string) =>
    (await (await store()).knownServers([identity]))[0];
  return {
    recall(listings: KnownServer[]): KnownServer[] {
      for (const listing of listings)
        if (!remembered.has(listing.identity)) remembered.set(listing.identity, listing);
      return listings;
    },
    /** Repeated when another process on the same store was quicker, so that each change is recorded once. */
    async advance(
      listing: KnownServer,
      isKept: boolean,
      changesSince: (before: readonly unknown[] | null) => Promise<NewChange[]>,
      isNews: (before: KnownServer | undefined, changes: readonly NewChange[]) => boolean,
    ): Promise<void> {
      const { identity } = listing;
      for (;;) {
        const before =
          remembered.get(identity) ?? (isKept ? await readListing(identity) : undefined);
        const changes = await changesSince(before?.tools ?? null);
        if (!isKept) {
          if (changes.length > 0) await (await store()).addChanges(changes);
          break;
        }
        // The kept listing stays the basis of the next comparison.
        if (!isNews(before, changes)) return;
        if (await (await store()).putListing(listing, before?.listedAt ?? null, changes)) break;
        remembered.delete(identity);
      }
      remembered.set(identity, listing);
    },
  };
}

function changedBy(system: string): ChangedBy {
  return { user: null, face: null, system };
}

function isServerNews(
  before: KnownServer | undefined,
  { listedAt, era, offers }: KnownServer,
): boolean {
  if (before === undefined || before.era !== era) return true;
  if (Date.parse(listedAt) - Date.parse(before.listedAt) > rewriteMs) return true;
  const itemsOf = (lists: KnownServer["offers"] = {}) =>
    Object.fromEntries(Object.entries(lists).map(([kind, { items }]) => [kind, items]));
  return !sameJson(itemsOf(before.offers), itemsOf(offers));
}

/** Unchanged files are written again once a day, so that the store does not expire them. */
function isFileNews(before: KnownServer | undefined, changes: readonly NewChange[]): boolean {
  if (changes.length > 0 || before === undefined) return changes.length > 0;
  return Date.now() - Date.parse(before.listedAt) > 24 * 3_600_000;
}

/** Entries that are handled before the event loop goes on. */
const batchSize = 250;

async function inBatches<T>(entries: readonly T[], handle: (entry: T) => void): Promise<void> {
  for (const [index, entry] of entries.entries()) {
    if (index % batchSize === batchSize - 1) await new Promise(setImmediate);
    handle(entry);
  }
}

/** The differences between two listings, in the order of the second; removed entries come last. */
export async function compareListings<T>(
  before: readonly T[],
  after: readonly T[],
  keyOf: (item: T) => string,
): Promise<Difference<T>[]> {
  const remaining = new Map(before.map((item) => [keyOf(item), item]));
  const differences: Difference<T>[] = [];
  await inBatches(after, (item) => {
    const key = keyOf(item);
    const earlier = remaining.get(key) ?? null;
    remaining.delete(key);
    if (earlier === null || !sameJson(earlier, item))
      differences.push({ before: earlier, after: item });
  });
  return [
    ...differences,
    ...[...remaining.values()].map((item) => ({ before: item, after: null })),
  ];
}

/** One row for everything that a source has when it is first seen. */
function firstSeen(
  first: Pick<
    NewChange,
    "what" | "name" | "persona" | "source" | "by" | "count" | "revision" | "audience"
  >,
): NewChange[] {
  return [
    {
      at: new Date().toISOString(),
      kind: "listed",
      ...first,
      reason: null,
      before: null,
      after: null,
    },
  ];
}

async function fileChanges(
  before: readonly unknown[] | null,
  entries: readonly DescribedEntry[],
  revision: number,
): Promise<NewChange[]> {
  const by = changedBy("file");
  const count = entries.length;
  const first = {
    what: "files",
    name: "files",
    persona: null,
    source: "file",
    by,
    count,
    revision,
  } as const;
  if (before === null) return count === 0 ? [] : firstSeen({ ...first, audience: everyone });
  const different = await compareListings(before as readonly DescribedEntry[], entries, keyText);
  return different.map((pair) => toChange(pair, { by, reason: null, revision }));
}

type ListedServer = {
  name: string;
  definition: ServerDefinition;
  era: "legacy" | "modern";
  /** How many of its tools the catalogue has. */
  size: number;
};

/** What a server's new list changed; `before` is null for a server that is seen for the first time. */
async function serverChanges(
  server: ListedServer,
  before: readonly unknown[] | null,
  after: readonly unknown[],
  revision: number,
): Promise<NewChange[]> {
  const { name, definition, size: count } = server;
  const by = changedBy(`server ${name}`);
  if (before === null) {
    const { persona } = definition;
    const audience = audienceOf(server);
    return firstSeen({
      what: "server",
      name,
      persona,
      source: `mcp:${name}`,
      by,
      count,
      revision,
      audience,
    });
  }
  const nameOf = (raw: unknown) => (isObject(raw) ? String(raw.name) : "");
  return (await compareListings(before, after, nameOf)).flatMap((pair) => {
    const [earlier = null, later = null] = [pair.before, pair.after].map((raw) =>
      describeListed(raw, server),
    );
    // Neither was ever in the catalogue, or only a part differs that is not shown.
    if (JSON.stringify(earlier) === JSON.stringify(later)) return [];
    return [toChange({ before: earlier, after: later }, { by, reason: null, revision })];
  });
}

function audienceOf({ name, definition: { groups, persona, workspaces } }: ListedServer): Audience {
  const workspaceLimit = workspaces.length === 0 ? {} : { workspaces };
  return { groups, persona, personas: null, ...workspaceLimit, servers: [name] };
}

/** A listed tool as the catalogue has it; null if the catalogue does not take it. */
function describeListed(raw: unknown, server: ListedServer): DescribedEntry | null {
  const { name, definition, era } = server;
  const [tool] = raw === null ? [] : translateTools(name, definition, [raw], era).tools;
  if (tool === undefined) return null;
  const { title, description, parameters, outputSchema, annotations } = tool;
  const shownFields = JSON.parse(
    JSON.stringify({ title, description, parameters, outputSchema, annotations }),
  );
  return {
    kind: "tool",
    name: `${name}.${tool.id.tool}`,
    persona: definition.persona,
    source: tool.source,
    definition: maskSecrets(shownFields) as JsonObject,
    audience: audienceOf(server),
  };
}
