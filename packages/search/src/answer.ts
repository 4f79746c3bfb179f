import { shorten, sliceText } from "@toolplane/core/lib/text/cut-text";
import { plainText } from "@toolplane/core/lib/text/plain-text";
import { compareText } from "@toolplane/core/lib/text/wording";
import type { Recommendation } from "@toolplane/core/model/catalogue/search";
import type { FoundTool, SearchAnswer } from "@toolplane/core/model/catalogue/search-schema";
import { isObject } from "@toolplane/core/model/json";
import type { Findable, Hit, SearchResult } from "./fields.ts";
import { joinWords, wordsOf } from "./words.ts";

export const nextNames = 5;
const maxEcho = 200;

export function toAnswer(
  query: string,
  { total, hits, notes, isMisfit = false, isPartial = false }: SearchResult,
  { limit, summaryLimit }: { limit: number; summaryLimit: number },
): SearchAnswer {
  const lines = foldSiblings(hits);
  const shownLines = lines.slice(0, limit);
  const foldedCount = shownLines.reduce((sum, { alsoOn }) => sum + alsoOn.length, 0);
  const answer: SearchAnswer = {
    query: shorten(query, maxEcho),
    total,
    truncated: isPartial || total > shownLines.length + foldedCount,
    tools: shownLines.map((line) => toFoundTool(line, summaryLimit)),
    next: lines.slice(limit, limit + nextNames).map(({ tool }) => tool.name),
  };
  if (notes.length > 0) answer.note = notes.join(" ");
  if (isMisfit) answer.fits = false;
  return answer;
}

function toFoundTool(
  { score, tool, alsoOn, differsBy, points }: Line,
  summaryLimit: number,
): FoundTool {
  const foundTool: FoundTool = describeHit({ tool, score }, summaryLimit);
  if (alsoOn.length > 0) foundTool.alsoOn = alsoOn.map(({ id, name }) => id.server ?? name);
  if (differsBy.length > 0) foundTool.differsBy = differsBy;
  if (points !== undefined) foundTool.points = points;
  return foundTool;
}

function describeHit({ tool, score }: Hit, summaryLimit: number) {
  return {
    name: tool.name,
    server: tool.id.server,
    summary: summarizeDescription(tool.description, summaryLimit),
    score: round(score),
    required: requiredOf(tool),
  };
}

const minShare = 0.15;

export function recommend(
  task: string,
  hits: readonly Hit[],
  { limit, summaryLimit }: { limit: number; summaryLimit: number },
): Recommendation {
  const minScore = (hits[0]?.score ?? 0) * minShare;
  const chosen = hits.filter(({ score }) => score > 0 && score >= minScore).slice(0, limit);
  const tools = chosen.map((hit) => describeHit(hit, summaryLimit));
  const byServer = Map.groupBy(
    chosen.filter(({ tool }) => tool.id.server !== null),
    ({ tool }) => tool.id.server as string,
  );
  const servers = [...byServer].map(([name, group]) => ({
    name,
    // Several matching tools add up, to 1 at most.
    score: round(
      1 - group.reduce((remainder, { score }) => remainder * (1 - Math.min(1, score)), 1),
    ),
    tools: group.length,
  }));
  servers.sort((a, b) => b.score - a.score || compareText(a.name, b.name));
  return { task, servers, tools };
}

function round(score: number): number {
  return Number(Math.min(1, score).toFixed(3));
}

type Line = Hit & { alsoOn: Findable[]; differsBy: string[] };

/** Shares of common words above which two descriptions are copies, or alike. */
const copyLikeness = 0.85;
const alikeLikeness = 0.5;
const maxDifferences = 4;

/** Read once: a person who types finds the same tools with every letter. */
const knownWords = new WeakMap<Findable, ReadonlySet<string>>();

function describingWords(tool: Findable): ReadonlySet<string> {
  const descriptionWords =
    knownWords.get(tool) ?? new Set(wordsOf(`${tool.title ?? ""} ${tool.description}`));
  knownWords.set(tool, descriptionWords);
  return descriptionWords;
}

/** Copies of one tool take one line; tools that are only alike say how they differ. */
export function foldSiblings(hits: readonly Hit[]): Line[] {
  const lines: (Line & { words: ReadonlySet<string> })[] = [];
  const byName = new Map<string, (typeof lines)[number][]>();
  for (const hit of hits) {
    const { tool } = hit;
    const words = describingWords(tool);
    const name = joinWords(tool.id.tool);
    const siblings = byName.get(name) ?? [];
    const copy = siblings.find(
      (line) => isOnAnother(line.tool, tool) && likeness(line.words, words) >= copyLikeness,
    );
    if (copy) {
      copy.alsoOn.push(tool);
      continue;
    }
    const line = { ...hit, words, alsoOn: [], differsBy: [] };
    lines.push(line);
    byName.set(name, [...siblings, line]);
  }
  for (const siblings of byName.values()) distinguish(siblings);
  return lines.map(({ words, ...line }) => line);
}

function isOnAnother(a: Findable, b: Findable): boolean {
  return a.id.tool === b.id.tool && a.id.server !== b.id.server;
}

function distinguish(siblings: (Line & { words: ReadonlySet<string> })[]): void {
  for (const line of siblings) {
    const alike = siblings.filter(
      (sibling) => sibling !== line && likeness(line.words, sibling.words) >= alikeLikeness,
    );
    if (alike.length === 0) continue;
    const siblingWords = new Set(alike.flatMap(({ words }) => [...words]));
    line.differsBy = [...line.words]
      .filter((word) => !siblingWords.has(word))
      .slice(0, maxDifferences);
  }
}

/** Jaccard similarity. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const sharedCount = [...a].filter((word) => b.has(word)).length;
  const totalCount = a.size + b.size - sharedCount;
  return totalCount === 0 ? 1 : sharedCount / totalCount;
}

const cutMark = "...";

/** The first sentence on one line, cut with "...". */
export function summarizeDescription(description: string, limit: number): string {
  const [paragraph = ""] = plainText(description)
    .trim()
    .split(/\n\s*\n/, 1);
  const text = paragraph.replaceAll(/\s+/g, " ").trim();
  // "e.g. this" and "v1.2" do not end a sentence; the full stop of a Chinese one needs no space.
  const end = /(?<!\b(?:e\.g|i\.e|etc|vs|approx))[.!?](?=\s+[^a-z\s])|[。！？]/.exec(text);
  const sentence = end === null ? text : text.slice(0, end.index + end[0].length);
  if (sentence.length <= limit) return sentence;
  const cut = sliceText(sentence, 0, Math.max(1, limit - cutMark.length));
  const lastSpace = cut.lastIndexOf(" ");
  return `${(lastSpace > limit / 2 ? cut.slice(0, lastSpace) : cut).trimEnd()}${cutMark}`;
}

export function requiredOf({ parameters }: Findable): string[] {
  const { required, properties } = parameters;
  if (!Array.isArray(required)) return [];
  const knownProperties = isObject(properties) ? properties : null;
  return required.filter(
    (name): name is string =>
      typeof name === "string" &&
      (knownProperties === null || Object.hasOwn(knownProperties, name)),
  );
}
