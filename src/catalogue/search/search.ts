import { shorten } from "../../lib/text/cut-text.ts";
import { compileGlob } from "../../lib/text/glob.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { sentence } from "../../lib/text/wording.ts";
import type { Embed, FoundTool, ParsedSearch, SearchAnswer } from "../../model/catalogue/search.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Findable } from "./fields.ts";
import { createFindVectors } from "./find-vectors.ts";
import { createFindWords, type Found } from "./find-words.ts";
import { foldSiblings, type Line } from "./fold-siblings.ts";
import type { Hit, Result } from "./hit.ts";
import type { Synonyms } from "./query-terms.ts";
import type { Test } from "./ranking.ts";
import { requiredOf, summarize } from "./summarize.ts";
import { withOwnSynonyms } from "./synonyms.ts";
import { createToolIndex, type ServerText, type ToolIndex } from "./tool-index.ts";

/** Of what a query asks for, so much has to be there before it counts as an answer. */
const enough = 0.3;
/** Nobody says one thing in more words than that. */
const longQuery = 12;
/** In so few words each is meant. */
const shortQuery = 3;
const maxNamed = 3;

/** Whoever searches acts on what comes back; when none of it fits, that has to be said. */
function describeMisfit(query: string, { hits, coverage, asked, unknown, lacking }: Found): string[] {
  if (coverage >= enough) return describeLacking(asked <= shortQuery ? lacking() : []);
  const nearest = [...new Set(hits.slice(0, 10).flatMap(({ tool }) => tool.id.server ?? []))];
  const parts = [
    opening(query, hits.length, asked),
    listing("No tool mentions", unknown().map(quote)),
    listing("The nearest servers are", nearest),
    asked > longQuery ? "" : "Name the action and its object in other words.",
  ];
  return [parts.filter((part) => part !== "").join(" ")];
}

/** They may do what was asked to something else. */
function describeLacking(words: readonly string[]): string[] {
  return words.length === 0 ? [] : [listing("None of these mentions", words.map(quote))];
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

/** `select:a,b`: these and no others, in this order; what is not there is named. */
function selectByName(list: string, index: ToolIndex, isMeant: Test): Result {
  const names = list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
    .slice(0, maxNames);
  const found = names.map((name) => ({ name, slots: index.named(name, true).filter(isMeant) }));
  const slots = new Set(found.flatMap((one) => one.slots));
  const missing = found.filter((one) => one.slots.length === 0);
  return {
    total: slots.size,
    hits: [...slots].map((slot) => ({ tool: index.toolAt(slot), score: 1 })),
    notes: describeMissing(
      missing.map(({ name }) => name),
      [...index.all()].filter(isMeant).map((slot) => index.toolAt(slot).name),
    ),
  };
}

/** To look for the nearest of many names takes its time, so only the first few are looked for. */
function describeMissing(missing: readonly string[], known: readonly string[]): string[] {
  const notes = missing.slice(0, maxHinted).map((name) => {
    const [near] = nearest(name, known, 1);
    return `No tool '${shorten(name)}'.${near === undefined ? "" : ` Did you mean '${near}'?`}`;
  });
  const more = missing.length - maxHinted;
  return more > 0 ? [...notes, `Nor are ${more} others there.`] : notes;
}

/** The first few places are what counts. */
const rankOffset = 10;

type Ballot = { hits: readonly Pick<Hit, "tool">[]; weight: number };

/** Several rankings as one: what stands high in one of them is worth something, in several of them more. */
function fuse(ballots: readonly Ballot[], count: number): Hit[] {
  const points = new Map<Findable, number>();
  const most = ballots.reduce((sum, { weight }) => sum + weight / (rankOffset + 1), 0);
  for (const { hits, weight } of ballots) {
    for (const [at, { tool }] of hits.entries()) {
      points.set(tool, (points.get(tool) ?? 0) + weight / (rankOffset + at + 1));
    }
  }
  // The sort is stable: what came first stays first among equals.
  return [...points]
    .map(([tool, sum]) => ({ tool, score: sum / most }))
    .sort((a, b) => b.score - a.score)
    .slice(0, count);
}

/** So many names follow the answer. */
const nextNames = 5;
/** Whoever asked knows the rest. */
const maxEcho = 200;
/** Folded ones leave room for others. */
const spare = 40;
/** Beside words, vectors of an unknown model have a say and not the last word. */
const vectorWeight = 0.25;

export type SearchOptions = {
  limit: number;
  summaryLimit: number;
  /** What is no pattern is taken for words, rather than refused. */
  orWords?: boolean;
};

export type Search = {
  /** Reads what is new in the catalogue; given the same list and the same function again, it costs nothing. */
  update(tools: readonly Findable[], serverText: ServerText): void;
  find(asked: ParsedSearch, visible: readonly Findable[], options: SearchOptions): Promise<SearchAnswer>;
  /** By words alone and nothing folded, with how well each fits. */
  rank(text: string, visible: readonly Findable[], count: number, server?: string): Hit[];
};

type SearchParts = {
  embed?: Embed | undefined;
  /** Words and others that are looked for in their place, over the usual ones. */
  synonyms?: () => Readonly<Record<string, readonly string[]>>;
};

/** After an `await` the index may be another one: what goes on from there knows tools and no slots. */
export function createSearch({ embed, synonyms }: SearchParts = {}): Search {
  const index = createToolIndex();
  const findWords = createFindWords(index, synonyms && createSynonyms(synonyms));
  const findVectors = embed === undefined ? null : createFindVectors(embed);

  const findOne = async (query: string, isMeant: Test, count: number): Promise<Result> => {
    const { total, named, hits, ...found } = findWords(query, isMeant, count);
    if (findVectors === null) {
      return { total, hits, notes: describeMisfit(query, { total, named, hits, ...found }) };
    }
    const meant = [...index.all()].filter(isMeant).map(index.toolAt);
    const likely = await findVectors(query, meant);
    if (likely === null) {
      return { total, hits, notes: ["Only words were compared, because the embedder failed."] };
    }
    const isNamed = new Set(named.map(({ tool }) => tool));
    const ballots = [
      { hits, weight: 1 },
      { hits: likely, weight: vectorWeight },
    ];
    const others = fuse(ballots, count).filter(({ tool }) => !isNamed.has(tool));
    const all = [...named, ...others].slice(0, count);
    return { total: Math.max(total, all.length), hits: all, notes: [] };
  };
  const findAll = async (queries: readonly string[], isMeant: Test, count: number): Promise<Result> => {
    const found = await Promise.all(queries.map((query) => findOne(query, isMeant, count)));
    if (found.length === 1) return found[0] as Result;
    const ballots = found.map(({ hits }) => ({ hits, weight: 1 }));
    const hits = fuse(ballots, count);
    const total = Math.max(hits.length, ...found.map((one) => one.total));
    return { total, hits, notes: found.flatMap(({ notes }) => notes) };
  };
  const findByPattern = async (
    { patternTrouble, findPattern }: typeof import("./find-pattern.ts"),
    pattern: string,
    isMeant: Test,
    { count, orWords }: { count: number; orWords: boolean },
  ): Promise<Result> => {
    const trouble = patternTrouble(pattern);
    if (trouble !== null) {
      if (!orWords) throw noPattern(pattern, trouble);
      const result = await findAll([pattern], isMeant, count);
      const note = `This is no pattern to search with, so its words were looked for: ${sentence(trouble)}`;
      return { ...result, notes: [note, ...result.notes] };
    }
    const slots = [...index.all()].filter(isMeant);
    const candidates = slots.map((slot) => ({
      tool: index.toolAt(slot),
      serverText: index.serverTextAt(slot),
    }));
    return findPattern(pattern, candidates, { index, findWords, count });
  };

  return {
    update: createUpdate(index),
    async find({ queries, isPattern, server }, visible, options) {
      // The engine for patterns is not small, and most searches are for words.
      const patterns = isPattern ? await import("./find-pattern.ts") : null;
      const isMeant = createTest(index, visible, server);
      const count = options.limit + nextNames + spare;
      const several = queries.filter((query) => query !== "");
      const [query] = several;
      const find = () => {
        if (query === undefined) return firstByName(index, isMeant, count);
        if (several.length > 1) return findAll(several, isMeant, count);
        if (query.startsWith("select:")) return selectByName(query.slice(7), index, isMeant);
        if (patterns === null) return findAll([query], isMeant, count);
        return findByPattern(patterns, query, isMeant, { count, orWords: options.orWords ?? false });
      };
      return toAnswer(queries.join("; "), await find(), options);
    },
    rank: (text, visible, count, server) => findWords(text, createTest(index, visible, server ?? null), count).hits,
  };
}

function noPattern(pattern: string, trouble: string): PlaneError {
  const message = `'${shorten(pattern)}' is no pattern to search with: ${sentence(trouble)} Leave out 'regex' to look for words.`;
  return new PlaneError("USAGE", message, { data: { parameter: "query" } });
}

/** The same table is read once. */
function createSynonyms(own: NonNullable<SearchParts["synonyms"]>): () => Synonyms {
  let known: { own: object; all: Synonyms } | undefined;
  return () => {
    const now = own();
    if (known?.own !== now) known = { own: now, all: withOwnSynonyms(now) };
    return known.all;
  };
}

function createUpdate(index: ToolIndex): Search["update"] {
  let known: unknown[] = [];
  return (tools, serverText) => {
    if (known[0] === tools && known[1] === serverText) return;
    index.update(tools, serverText);
    known = [tools, serverText];
  };
}

function createTest(index: ToolIndex, visible: readonly Findable[], server: string | null): Test {
  const isVisible = index.among(visible);
  if (server === null) return isVisible;
  const fits = compileGlob(server);
  return (slot) => isVisible(slot) && fits(index.toolAt(slot).id.server ?? "");
}

function firstByName(index: ToolIndex, isMeant: Test, count: number): Result {
  const { compare } = index.corpus();
  const all = [...index.all()].filter(isMeant).sort(compare);
  return {
    total: all.length,
    hits: all.slice(0, count).map((slot) => ({ tool: index.toolAt(slot), score: 0 })),
    notes: [],
  };
}

function toAnswer(
  query: string,
  { total, hits, notes, isPartial = false }: Result,
  { limit, summaryLimit }: SearchOptions,
): SearchAnswer {
  const lines = foldSiblings(hits);
  const shown = lines.slice(0, limit);
  const folded = shown.reduce((sum, { alsoOn }) => sum + alsoOn.length, 0);
  return {
    query: shorten(query, maxEcho),
    total,
    truncated: isPartial || total > shown.length + folded,
    tools: shown.map((line) => toFoundTool(line, summaryLimit)),
    next: lines.slice(limit, limit + nextNames).map(({ tool }) => tool.name),
    ...(notes.length > 0 ? { note: notes.join(" ") } : {}),
  };
}

function toFoundTool({ score, tool, alsoOn, differsBy }: Line, summaryLimit: number): FoundTool {
  return {
    name: tool.name,
    server: tool.id.server,
    summary: summarize(tool.description, summaryLimit),
    score: Number(Math.min(1, score).toFixed(3)),
    required: requiredOf(tool),
    ...(alsoOn.length > 0 ? { alsoOn: alsoOn.map(({ id, name }) => id.server ?? name) } : {}),
    ...(differsBy.length > 0 ? { differsBy } : {}),
  };
}
