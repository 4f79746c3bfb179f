import { pause, yieldEvery } from "@toolplane/core/lib/async/pause";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { shorten } from "@toolplane/core/lib/text/cut-text";
import { compileGlob } from "@toolplane/core/lib/text/glob";
import { sentence } from "@toolplane/core/lib/text/wording";
import type { ParsedSearch } from "@toolplane/core/model/catalogue/search";
import type { SearchAnswer } from "@toolplane/core/model/catalogue/search-schema";
import { PlaneError } from "@toolplane/core/model/errors";
import { nextNames, toAnswer } from "./answer.ts";
import type { Findable, Hit, SearchResult } from "./fields.ts";
import { createFindTools, type FindTools, type ToolMatches } from "./find-tools.ts";
import type { Likeness, Meaning } from "./meaning.ts";
import { createOwnVectors, type Embedder, type OwnVectors } from "./own-vectors.ts";
import { type Synonyms, withOwnSynonyms } from "./query-terms.ts";
import { describeMisfit, describeMissing, longQuery } from "./search-notes.ts";
import type { Mask } from "./segment.ts";
import { createToolIndex, type ServerText, type ToolIndex } from "./tool-index.ts";

/** Below both, nothing fits: what is found is only the nearest. */
const weakCoverage = 0.25;
const weakLikeness = 0.36;

const maxNames = 100;

/** `select:a,b`: exactly these tools, in this order. */
function selectByName(list: string, index: ToolIndex, mask: Mask): SearchResult {
  const names = list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
    .slice(0, maxNames);
  const selections = names.map((name) => ({
    name,
    slots: index.named(name, true).filter((slot) => mask[slot] === 1),
  }));
  const selectedSlots = new Set(selections.flatMap(({ slots }) => slots));
  const missingNames = selections.flatMap(({ name, slots }) => (slots.length === 0 ? name : []));
  return {
    total: selectedSlots.size,
    hits: [...selectedSlots].map((slot) => ({ tool: index.toolAt(slot), score: 1 })),
    notes: describeMissing(
      missingNames,
      slotsIn(mask).map((slot) => index.toolAt(slot).name),
    ),
  };
}

/** Small, so that the first places count most. */
const rankOffset = 10;

/** Reciprocal rank fusion. */
function fuseRankings(rankings: readonly (readonly Hit[])[], count: number): Hit[] {
  const pointsByTool = new Map<Findable, number>();
  const partsByTool = new Map<Findable, Hit["points"]>();
  const maxPoints = rankings.length / (rankOffset + 1);
  for (const hits of rankings) {
    for (const [rank, { tool, points: hitPoints }] of hits.entries()) {
      pointsByTool.set(tool, (pointsByTool.get(tool) ?? 0) + 1 / (rankOffset + rank + 1));
      if (hitPoints !== undefined)
        partsByTool.set(tool, [...(partsByTool.get(tool) ?? []), ...hitPoints]);
    }
  }
  // The sort is stable: equals keep their order.
  return [...pointsByTool]
    .map(([tool, sum]) => ({
      tool,
      score: sum / maxPoints,
      ...withoutUndefined({ points: partsByTool.get(tool) }),
    }))
    .sort((a, b) => b.score - a.score)
    .slice(0, count);
}

/** Extra hits, because copies are folded. */
const spareHits = 40;

export type SearchOptions = {
  limit: number;
  summaryLimit: number;
  /** Takes an invalid pattern for words instead of refusing it. */
  orWords?: boolean;
  learned?: Learned | undefined;
};

/** What earlier use of a tool adds after such words, by its name. */
export type Learned = (query: string) => ReadonlyMap<string, number>;

type RankRequest = {
  mask: Mask;
  count: number;
  isExplained: boolean;
  learned?: Learned | undefined;
};

type RankOptions = { server?: string | null; isWordsOnly?: boolean };

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
  ownVectors(): OwnVectors | null;
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
  let ownModel: { embedder: Embedder; vectors: OwnVectors } | null = null;
  function ownVectors(): OwnVectors | null {
    const configured = embedder?.() ?? null;
    if (configured === null) ownModel = null;
    else if (ownModel?.embedder !== configured)
      ownModel = { embedder: configured, vectors: createOwnVectors(configured, vectorStore) };
    return ownModel?.vectors ?? null;
  }
  const engine: Engine = {
    index,
    findTools,
    ownVectors,
    likeness: (query) =>
      meaning === null || meaning.unread() > 0 ? null : meaning.likeness(query),
  };
  let followed: { tools?: readonly Findable[]; serverText?: ServerText } = {};
  let reading: Promise<void> | undefined;

  const isRead = () => index.unread() === 0 && (meaning?.unread() ?? 0) === 0;

  /** Words first, then vectors. */
  function read(isOver: () => boolean): void {
    if (index.unread() > 0) {
      if (index.read(isOver)) meaning?.follow(index);
    } else meaning?.read(index, isOver);
  }

  async function readRest(): Promise<void> {
    const slice = yieldEvery(sliceMs);
    for (; index.unread() > 0; await slice.next()) read(slice.isOver);
    if (meaning === null && loadMeaning !== undefined) {
      // Words alone rank well enough; a broken installation is no reason to find nothing.
      meaning = await loadMeaning().catch(() => null);
      loadMeaning = undefined;
      meaning?.follow(index);
      await slice.next();
    }
    for (; !isRead(); await slice.next()) read(slice.isOver);
    ownVectors()?.follow(index);
  }

  function isSameAsBefore(tools: readonly Findable[], serverText: ServerText): boolean {
    const isSame = followed.tools === tools && followed.serverText === serverText;
    followed = { tools, serverText };
    return isSame;
  }

  return {
    /** Costs nothing for the same list and the same function. */
    update(tools: readonly Findable[], serverText: ServerText): void {
      if (isSameAsBefore(tools, serverText)) return;
      index.update(tools, serverText);
      meaning?.follow(index);
      ownVectors()?.follow(index);
    },
    /** The same in slices. Of very many tools it waits only for the first, and returns how many are left. */
    async updateSoon(tools: readonly Findable[], serverText: ServerText): Promise<number> {
      if (!isSameAsBefore(tools, serverText)) {
        const slice = yieldEvery(sliceMs);
        index.follow(tools, serverText);
        index.read(slice.isOver);
        meaning?.follow(index);
        if (index.unread() === 0) ownVectors()?.follow(index);
      }
      if (isRead() && (meaning !== null || loadMeaning === undefined)) return 0;
      reading ??= readRest().finally(() => {
        reading = undefined;
      });
      const isLong = index.unread() > maxAwaited;
      await (isLong ? Promise.race([reading, pause(maxWaitMs, { isBackground: true })]) : reading);
      return index.unread();
    },
    async find(
      { queries, isPattern, server, isExplained }: ParsedSearch,
      visible: readonly Findable[],
      options: SearchOptions,
    ): Promise<SearchAnswer> {
      // The engine for patterns is large, and most searches are for words.
      const patterns = isPattern ? await import("./find-pattern.ts") : null;
      const mask = createMask(index, visible, server);
      const count = options.limit + nextNames + spareHits;
      const request = { mask, count, isExplained, learned: options.learned };
      const searchTexts = queries.filter((query) => query !== "");
      const [query] = searchTexts;
      const findHits = () => {
        if (query === undefined) return firstByName(index, mask, count);
        if (searchTexts.length > 1) return findByQueries(engine, searchTexts, request);
        if (query.startsWith("select:")) return selectByName(query.slice(7), index, mask);
        if (patterns === null) return findByQueries(engine, [query], request);
        return findByPattern(engine, patterns, query, request, options.orWords ?? false);
      };
      return toAnswer(queries.join("; "), await findHits(), options);
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
      const mask = index.among(visible);
      return index
        .named(name, true)
        .filter((slot) => mask[slot] === 1)
        .map(index.toolAt);
    },
  };
}

async function findByQuery(
  { index, findTools, ownVectors, likeness }: Engine,
  query: string,
  request: RankRequest,
) {
  const { mask, count, isExplained } = request;
  const find = (toolMask: Mask, queryLikeness: Likeness | null) => {
    const learned = slotsOf(index, request.learned?.(query));
    return toSearchResult(
      query,
      findTools(query, toolMask, count, { likeness: queryLikeness, isExplained, learned }),
    );
  };
  const vectors = ownVectors();
  if (vectors === null) return find(mask, likeness(query));
  // Slots may mean other tools after the wait.
  const tools = slotsIn(mask).map(index.toolAt);
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

function toSearchResult(query: string, toolMatches: ToolMatches): SearchResult {
  const { total, hits, coverage, likeness, wordCount } = toolMatches;
  const isMisfit = coverage < weakCoverage && likeness < weakLikeness && wordCount <= longQuery;
  return { total, hits, notes: describeMisfit(query, toolMatches), isMisfit };
}

async function findByQueries(
  engine: Engine,
  queries: readonly string[],
  request: RankRequest,
): Promise<SearchResult> {
  const queryResults = await Promise.all(
    queries.map((query) => findByQuery(engine, query, request)),
  );
  if (queryResults.length === 1) return queryResults[0] as SearchResult;
  const hits = fuseRankings(
    queryResults.map((queryResult) => queryResult.hits),
    request.count,
  );
  const total = Math.max(hits.length, ...queryResults.map((queryResult) => queryResult.total));
  const isMisfit = queryResults.every((queryResult) => queryResult.isMisfit === true);
  return {
    total,
    hits,
    notes: queryResults.flatMap(({ notes }) => notes),
    isMisfit,
  };
}

async function findByPattern(
  engine: Engine,
  { patternTrouble, findPattern }: typeof import("./find-pattern.ts"),
  pattern: string,
  request: RankRequest,
  orWords: boolean,
): Promise<SearchResult> {
  const { index, findTools } = engine;
  const { mask, count } = request;
  const trouble = patternTrouble(pattern);
  if (trouble === null) {
    const candidates = slotsIn(mask).map((slot) => ({
      tool: index.toolAt(slot),
      serverText: index.serverTextAt(slot),
    }));
    return findPattern(pattern, candidates, { index, findTools, count });
  }
  if (!orWords) {
    const message = `'${shorten(pattern)}' is not a valid search pattern: ${sentence(trouble)} Leave out 'regex' to look for words.`;
    throw new PlaneError("USAGE", message, { data: { parameter: "query" } });
  }
  const result = await findByQueries(engine, [pattern], request);
  const note = `This is not a valid search pattern; its words were searched for instead: ${sentence(trouble)}`;
  return { ...result, notes: [note, ...result.notes] };
}

function createSynonyms(configured: NonNullable<SearchParts["synonyms"]>): () => Synonyms {
  let cached: { table: object; synonyms: Synonyms } | undefined;
  return () => {
    const table = configured();
    if (cached?.table !== table) cached = { table, synonyms: withOwnSynonyms(table) };
    return cached.synonyms;
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

function firstByName(index: ToolIndex, mask: Mask, count: number): SearchResult {
  const { compare } = index.corpus();
  const slots = slotsIn(mask).sort(compare);
  return {
    total: slots.length,
    hits: slots.slice(0, count).map((slot) => ({ tool: index.toolAt(slot), score: 0 })),
    notes: [],
  };
}
