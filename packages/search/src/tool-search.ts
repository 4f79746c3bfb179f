import { pause, yieldEvery } from "../../../src/lib/async/pause.ts";
import { withoutUndefined } from "../../../src/lib/json/plain-data.ts";
import { shorten } from "../../../src/lib/text/cut-text.ts";
import { compileGlob } from "../../../src/lib/text/glob.ts";
import { nearest } from "../../../src/lib/text/nearest.ts";
import { sentence } from "../../../src/lib/text/wording.ts";
import type { ParsedSearch } from "../../../src/model/catalogue/search.ts";
import type { SearchAnswer } from "../../../src/model/catalogue/search-schema.ts";
import { PlaneError } from "../../../src/model/errors.ts";
import { nextNames, toAnswer } from "./answer.ts";
import type { Findable, Hit, SearchResult } from "./fields.ts";
import { createFindTools, type FindTools, type ToolMatches } from "./find-tools.ts";
import type { Likeness, Meaning } from "./meaning.ts";
import { createOwnVectors, type Embedder, type OwnVectors } from "./own-vectors.ts";
import { type Synonyms, withOwnSynonyms } from "./query-terms.ts";
import type { Mask } from "./segment.ts";
import { createToolIndex, type ServerText, type ToolIndex } from "./tool-index.ts";

/** Minimum coverage of the query for a good match. */
const minCoverage = 0.3;
/** Minimum cosine similarity for a good match. */
const goodLikeness = 0.42;
/** Below both, nothing fits: what is found is only the nearest. */
const someCoverage = 0.25;
const someLikeness = 0.36;
/** A longer query asks for several things. */
const longQuery = 12;
/** In a shorter query each word matters. */
const shortQuery = 3;
const maxNamed = 3;

/** Callers act on what they get, so a bad match has to be said. */
function describeMisfit(
  query: string,
  { hits, coverage, likeness, asked, unknown, lacking }: ToolMatches,
): string[] {
  if (coverage >= minCoverage || likeness >= goodLikeness) {
    const words = asked <= shortQuery ? lacking() : [];
    return words.length === 0 ? [] : [listing("None of these mentions", words.map(quote))];
  }
  const nearest = [...new Set(hits.slice(0, 10).flatMap(({ tool }) => tool.id.server ?? []))];
  const parts = [
    opening(query, hits.length, asked),
    listing("No tool mentions", unknown().map(quote)),
    listing("The nearest servers are", nearest),
    asked > longQuery ? "" : "Name the action and its object in other words.",
  ];
  return [parts.filter((part) => part !== "").join(" ")];
}

function quote(word: string): string {
  return `'${shorten(word)}'`;
}

function opening(query: string, found: number, asked: number): string {
  if (found === 0) return `Nothing matches ${quote(query)}.`;
  if (asked > longQuery) return "This asks for much at once; search for one capability at a time.";
  return "No good match: what was found has little of the query.";
}

function listing(beginning: string, names: readonly string[]): string {
  return names.length === 0 ? "" : `${beginning} ${names.slice(0, maxNamed).join(", ")}.`;
}

const maxNames = 100;
const maxHinted = 3;

/** `select:a,b`: exactly these tools, in this order. */
function selectByName(list: string, index: ToolIndex, meant: Mask): SearchResult {
  const names = list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
    .slice(0, maxNames);
  const found = names.map((name) => ({
    name,
    slots: index.named(name, true).filter((slot) => meant[slot] === 1),
  }));
  const slots = new Set(found.flatMap((one) => one.slots));
  const missing = found.filter((one) => one.slots.length === 0);
  return {
    total: slots.size,
    hits: [...slots].map((slot) => ({ tool: index.toolAt(slot), score: 1 })),
    notes: describeMissing(
      missing.map(({ name }) => name),
      slotsIn(meant).map((slot) => index.toolAt(slot).name),
    ),
  };
}

/** Finding the nearest name is slow, so only the first few get a hint. */
function describeMissing(missing: readonly string[], known: readonly string[]): string[] {
  const notes = missing.slice(0, maxHinted).map((name) => {
    const [near] = nearest(name, known, 1);
    return `No tool '${shorten(name)}'.${near === undefined ? "" : ` Did you mean '${near}'?`}`;
  });
  const more = missing.length - maxHinted;
  return more > 0 ? [...notes, `${more} other names were not found either.`] : notes;
}

/** Small, so that the first places count most. */
const rankOffset = 10;

/** Reciprocal rank fusion. */
function fuse(ballots: readonly (readonly Hit[])[], count: number): Hit[] {
  const points = new Map<Findable, number>();
  const parts = new Map<Findable, Hit["points"]>();
  const most = ballots.length / (rankOffset + 1);
  for (const hits of ballots) {
    for (const [at, { tool, points: own }] of hits.entries()) {
      points.set(tool, (points.get(tool) ?? 0) + 1 / (rankOffset + at + 1));
      if (own !== undefined) parts.set(tool, [...(parts.get(tool) ?? []), ...own]);
    }
  }
  // The sort is stable: equals keep their order.
  return [...points]
    .map(([tool, sum]) => ({
      tool,
      score: sum / most,
      ...withoutUndefined({ points: parts.get(tool) }),
    }))
    .sort((a, b) => b.score - a.score)
    .slice(0, count);
}

/** Extra hits, because copies are folded. */
const spare = 40;

export type SearchOptions = {
  limit: number;
  summaryLimit: number;
  /** Takes an invalid pattern for words instead of refusing it. */
  orWords?: boolean;
  learned?: Learned | undefined;
};

/** What earlier use of a tool adds after such words, by its name. */
export type Learned = (query: string) => ReadonlyMap<string, number>;

type Ask = { meant: Mask; count: number; isExplained: boolean; learned?: Learned | undefined };

type RankOptions = { server?: string; isWordsOnly?: boolean };

type SearchParts = {
  /** A model of the person's own, in place of our vectors; null for none. The same value for the same one. */
  embedder?: (() => Embedder | null) | undefined;
  vectorStore?: Parameters<typeof createOwnVectors>[1];
  loadMeaning?: (() => Promise<Meaning>) | undefined;
  synonyms?: () => Readonly<Record<string, readonly string[]>>;
};

type Engine = {
  index: ToolIndex;
  findTools: FindTools;
  own(): OwnVectors | null;
  /** Null until all tools have vectors. */
  likeness(query: string): Likeness | null;
};

/** Work without a pause for other work. */
const sliceMs = 8;
/** A search waits for the index of so many tools; with more to come it answers from what is there. */
const maxAwaited = 10_000;
const maxWaitMs = 500;

/** After an `await` the slots of the index may have changed: only tools may be used then. */
export function createSearch({ embedder, vectorStore, loadMeaning, synonyms }: SearchParts = {}) {
  const index = createToolIndex();
  const findTools = createFindTools(index, synonyms && createSynonyms(synonyms));
  let meaning: Meaning | null = null;
  let chosen: { by: Embedder; vectors: OwnVectors } | null = null;
  function own(): OwnVectors | null {
    const by = embedder?.() ?? null;
    if (by === null) chosen = null;
    else if (chosen?.by !== by) {
      chosen = { by, vectors: createOwnVectors(by, vectorStore) };
    }
    return chosen?.vectors ?? null;
  }
  const engine: Engine = {
    index,
    findTools,
    own,
    likeness: (query) => (meaning === null || meaning.left() > 0 ? null : meaning.likeness(query)),
  };
  let known: { tools?: readonly Findable[]; serverText?: ServerText } = {};
  let reading: Promise<void> | undefined;

  const isRead = () => index.left() === 0 && (meaning?.left() ?? 0) === 0;

  /** Words first, then vectors. */
  function read(isOver: () => boolean): void {
    if (index.left() > 0) {
      if (index.read(isOver)) meaning?.follow(index);
    } else meaning?.read(index, isOver);
  }

  async function readOn(): Promise<void> {
    const slice = yieldEvery(sliceMs);
    for (; index.left() > 0; await slice.next()) read(slice.isOver);
    if (meaning === null && loadMeaning !== undefined) {
      // Words alone rank well enough; a broken installation is no reason to find nothing.
      meaning = await loadMeaning().catch(() => null);
      loadMeaning = undefined;
      meaning?.follow(index);
      await slice.next();
    }
    for (; !isRead(); await slice.next()) read(slice.isOver);
    own()?.follow(index);
  }

  function isKnown(tools: readonly Findable[], serverText: ServerText): boolean {
    const isSame = known.tools === tools && known.serverText === serverText;
    known = { tools, serverText };
    return isSame;
  }

  return {
    /** Costs nothing for the same list and the same function. */
    update(tools: readonly Findable[], serverText: ServerText): void {
      if (isKnown(tools, serverText)) return;
      index.update(tools, serverText);
      meaning?.follow(index);
      own()?.follow(index);
    },
    /** The same in slices. Of very many tools it waits only for the first, and returns how many are left. */
    async updateSoon(tools: readonly Findable[], serverText: ServerText): Promise<number> {
      if (!isKnown(tools, serverText)) {
        const slice = yieldEvery(sliceMs);
        index.follow(tools, serverText);
        index.read(slice.isOver);
        meaning?.follow(index);
        if (index.left() === 0) own()?.follow(index);
      }
      if (isRead() && (meaning !== null || loadMeaning === undefined)) return 0;
      reading ??= readOn().finally(() => {
        reading = undefined;
      });
      const isLong = index.left() > maxAwaited;
      await (isLong ? Promise.race([reading, pause(maxWaitMs, { isBackground: true })]) : reading);
      return index.left();
    },
    async find(
      { queries, isPattern, server, isExplained }: ParsedSearch,
      visible: readonly Findable[],
      options: SearchOptions,
    ): Promise<SearchAnswer> {
      // The engine for patterns is large, and most searches are for words.
      const patterns = isPattern ? await import("./find-pattern.ts") : null;
      const meant = createMask(index, visible, server);
      const count = options.limit + nextNames + spare;
      const ask = { meant, count, isExplained, learned: options.learned };
      const several = queries.filter((query) => query !== "");
      const [query] = several;
      const find = () => {
        if (query === undefined) return firstByName(index, meant, count);
        if (several.length > 1) return findAll(engine, several, ask);
        if (query.startsWith("select:")) return selectByName(query.slice(7), index, meant);
        if (patterns === null) return findAll(engine, [query], ask);
        return findByPattern(engine, patterns, query, ask, options.orWords ?? false);
      };
      return toAnswer(queries.join("; "), await find(), options);
    },
    /** Without folding. */
    rank: (
      text: string,
      visible: readonly Findable[],
      count: number,
      options: RankOptions = {},
    ): Hit[] => {
      const likeness = options.isWordsOnly ? null : engine.likeness(text);
      return findTools(text, createMask(index, visible, options.server ?? null), count, {
        likeness,
      }).hits;
    },
    /** Tools of this name that are visible, in any spelling. */
    named(name: string, visible: readonly Findable[]): Findable[] {
      const meant = index.among(visible);
      return index
        .named(name, true)
        .filter((slot) => meant[slot] === 1)
        .map(index.toolAt);
    },
  };
}

async function findOne({ index, findTools, own, likeness }: Engine, query: string, ask: Ask) {
  const { meant, count, isExplained } = ask;
  const find = (mask: Mask, likenessNow: Likeness | null) => {
    const learned = slotsOf(index, ask.learned?.(query));
    return describe(
      query,
      findTools(query, mask, count, { likeness: likenessNow, isExplained, learned }),
    );
  };
  const vectors = own();
  if (vectors === null) return find(meant, likeness(query));
  // Slots may mean other tools after the wait.
  const tools = slotsIn(meant).map(index.toolAt);
  const ownLikeness = await vectors.likeness(query, index);
  return find(index.among(tools), ownLikeness ?? likeness(query));
}

function slotsOf(
  index: ToolIndex,
  learned: ReadonlyMap<string, number> = new Map(),
): Map<number, number> {
  return new Map(
    [...learned].flatMap(([name, points]) =>
      index.named(name, false).map((slot) => [slot, points] as const),
    ),
  );
}

function describe(query: string, found: ToolMatches): SearchResult {
  const { total, hits, coverage, likeness, asked } = found;
  const isMisfit = coverage < someCoverage && likeness < someLikeness && asked <= longQuery;
  return { total, hits, notes: describeMisfit(query, found), ...(isMisfit && { isMisfit }) };
}

async function findAll(
  engine: Engine,
  queries: readonly string[],
  ask: Ask,
): Promise<SearchResult> {
  const found = await Promise.all(queries.map((query) => findOne(engine, query, ask)));
  if (found.length === 1) return found[0] as SearchResult;
  const hits = fuse(
    found.map((one) => one.hits),
    ask.count,
  );
  const total = Math.max(hits.length, ...found.map((one) => one.total));
  const isMisfit = found.every((one) => one.isMisfit);
  return { total, hits, notes: found.flatMap(({ notes }) => notes), ...(isMisfit && { isMisfit }) };
}

async function findByPattern(
  engine: Engine,
  { patternTrouble, findPattern }: typeof import("./find-pattern.ts"),
  pattern: string,
  ask: Ask,
  orWords: boolean,
): Promise<SearchResult> {
  const { index, findTools } = engine;
  const { meant, count } = ask;
  const trouble = patternTrouble(pattern);
  if (trouble === null) {
    const candidates = slotsIn(meant).map((slot) => ({
      tool: index.toolAt(slot),
      serverText: index.serverTextAt(slot),
    }));
    return findPattern(pattern, candidates, { index, findTools, count });
  }
  if (!orWords) {
    const message = `'${shorten(pattern)}' is not a valid search pattern: ${sentence(trouble)} Leave out 'regex' to look for words.`;
    throw new PlaneError("USAGE", message, { data: { parameter: "query" } });
  }
  const result = await findAll(engine, [pattern], ask);
  const note = `This is not a valid search pattern; its words were searched for instead: ${sentence(trouble)}`;
  return { ...result, notes: [note, ...result.notes] };
}

function createSynonyms(own: NonNullable<SearchParts["synonyms"]>): () => Synonyms {
  let known: { own: object; all: Synonyms } | undefined;
  return () => {
    const now = own();
    if (known?.own !== now) known = { own: now, all: withOwnSynonyms(now) };
    return known.all;
  };
}

function createMask(index: ToolIndex, visible: readonly Findable[], server: string | null): Mask {
  const mask = index.among(visible);
  if (server === null) return mask;
  const fits = compileGlob(server);
  return mask.map((isVisible, slot) =>
    isVisible === 1 && fits(index.toolAt(slot).id.server ?? "") ? 1 : 0,
  );
}

function slotsIn(mask: Mask): number[] {
  const slots: number[] = [];
  for (let slot = 0; slot < mask.length; slot++) if (mask[slot] === 1) slots.push(slot);
  return slots;
}

function firstByName(index: ToolIndex, meant: Mask, count: number): SearchResult {
  const { compare } = index.corpus();
  const all = slotsIn(meant).sort(compare);
  return {
    total: all.length,
    hits: all.slice(0, count).map((slot) => ({ tool: index.toolAt(slot), score: 0 })),
    notes: [],
  };
}
