import { setImmediate as nextTurn } from "node:timers/promises";
import { createPatternSet, patternProblem } from "../lib/linear-pattern.ts";
import { sentence } from "../lib/sentence.ts";
import { type Findable, textsOf } from "./fields.ts";
import type { FindWords } from "./find-words.ts";
import type { Result } from "./hit.ts";
import { compareTools, type ToolIndex } from "./tool-index.ts";

const longestPattern = 200;
/** Others have their turn after so long, and a search ends after so long with what it has. */
const turnMs = 10;
const limitMs = 2_000;
const longestText = 8_000;
/** The clock is looked at after so many tools. */
const stride = 64;

/** Why the text cannot be searched with, and what was done instead; null where it can. */
export function describeNoPattern(pattern: string): string | null {
  const problem =
    pattern.length > longestPattern
      ? `it is longer than ${longestPattern} characters`
      : patternProblem(pattern);
  if (problem === null) return null;
  return `This is no pattern to search with, so its words were looked for: ${sentence(problem)}`;
}

/** A tool with what is said about its server. */
export type Candidate = { tool: Findable; serverText: string };

/** Tools in whose name, texts or parameters the pattern is found: names first, then by the words in the pattern. */
export async function findPattern(
  pattern: string,
  candidates: readonly Candidate[],
  { index, findWords, count }: { index: ToolIndex; findWords: FindWords; count: number },
  now: () => number = () => performance.now(),
): Promise<Result> {
  const places = new Map<Findable, "name" | "text">();
  const find = createPatternSet([withFlags(pattern)]);
  const end = now() + limitMs;
  let turnEnd = now() + turnMs;
  let read = 0;
  for (const candidate of candidates) {
    if (read % stride === 0 && now() > turnEnd) {
      if (now() > end) break;
      await nextTurn();
      turnEnd = now() + turnMs;
    }
    read += 1;
    if (find(namesOf(candidate)).length > 0) places.set(candidate.tool, "name");
    else if (find(textOf(candidate)).length > 0) places.set(candidate.tool, "text");
  }
  const isFound = (slot: number) => places.has(index.toolAt(slot));
  const words = findWords(literalsOf(pattern), isFound, places.size);
  const byWords = new Map(words.hits.map(({ tool, score }) => [tool, Math.min(1, score)]));
  const hits = [...places].map(([tool, place]) => ({
    tool,
    score: (place === "name" ? 0.5 : 0) + (byWords.get(tool) ?? 0) / 2,
  }));
  hits.sort((a, b) => b.score - a.score || compareTools(a.tool, b.tool));
  const unread = candidates.length - read;
  const slow = `The pattern is slow: ${unread} of ${candidates.length} tools were not looked at. Name a 'server'.`;
  return { total: hits.length, hits: hits.slice(0, count), notes: unread === 0 ? [] : [slow] };
}

function namesOf({ tool: { id, name, modelName } }: Candidate): string {
  return `${id.tool}\n${name}\n${modelName}`;
}

function textOf({ tool, serverText }: Candidate): string {
  const texts = textsOf(tool, serverText);
  const { description, parameterNames, parameterTexts, server } = texts;
  return [description, parameterNames, parameterTexts, server, serverText].join("\n").slice(0, longestText);
}

/** Whatever the case, and with every line a beginning and an end. */
function withFlags(pattern: string): string {
  return `(?im)${pattern}`;
}

function literalsOf(pattern: string): string {
  return pattern.replaceAll(/\\[a-z]|\[[^\]]*\]|[\\^$.|?*+(){}]/gi, " ");
}
