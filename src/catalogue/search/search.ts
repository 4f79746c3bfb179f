import { compileGlob } from "../../lib/glob.ts";
import { sentence } from "../../lib/sentence.ts";
import { shorten } from "../../lib/shorten.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Embed, FoundTool, ParsedSearch, SearchAnswer } from "../../model/search.ts";
import type { Findable } from "./fields.ts";
import { createFindVectors } from "./find-vectors.ts";
import { createFindWords } from "./find-words.ts";
import { foldSiblings, type Line } from "./fold-siblings.ts";
import { fuse } from "./fuse.ts";
import type { Hit, Result } from "./hit.ts";
import { describeMisfit } from "./misfit.ts";
import type { Synonyms } from "./query-terms.ts";
import type { Test } from "./ranking.ts";
import { selectByName } from "./select-by-name.ts";
import { requiredOf, summarize } from "./summarize.ts";
import { withOwnSynonyms } from "./synonyms.ts";
import { createToolIndex, type ServerText, type ToolIndex } from "./tool-index.ts";

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
    rank: (text, visible, count, server) =>
      findWords(text, createTest(index, visible, server ?? null), count).hits,
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
