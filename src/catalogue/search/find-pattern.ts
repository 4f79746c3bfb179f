import { setImmediate as nextTurn } from "node:timers/promises";
import { shorten } from "../../lib/text/cut-text.ts";
import { createPatternSet, patternProblem } from "../../lib/text/linear-pattern.ts";
import { type Findable, textsOf } from "./fields.ts";
import type { FindWords } from "./find-words.ts";
import type { Result } from "./hit.ts";
import { compareTools, type ToolIndex } from "./tool-index.ts";

const maxPattern = 200;
/** Others have their turn after so long, and a search ends after so much work, or so long, with what it has. */
const turnMs = 10;
const maxWorkMs = 70;
const limitMs = 1_000;
const maxText = 8_000;
/** The clock is looked at after so many tools. */
const stride = 16;
/** What it is worth to be found, before the words of the pattern are counted. */
const worth = { name: 0.6, text: 0.2 };
const wordsWorth = 0.4;

/** Why the text cannot be searched with; null where it can. */
export function patternTrouble(pattern: string): string | null {
  if (pattern.length > maxPattern) return `it is longer than ${maxPattern} characters`;
  const problem = patternProblem(pattern);
  return problem === null ? null : shorten(problem.replace(/^error parsing regexp: /, ""), 120);
}

/** A tool with what is said about its server. */
export type Candidate = { tool: Findable; serverText: string };

type Place = "name" | "text";

/** Tools in whose name, texts or parameters the pattern is found: names first, then by the words in the pattern. */
export async function findPattern(
  pattern: string,
  candidates: readonly Candidate[],
  { index, findWords, count }: { index: ToolIndex; findWords: FindWords; count: number },
  time: Time = { now: () => performance.now(), worked: workedMs },
): Promise<Result> {
  const places = new Map<Findable, Place>();
  const find = createPatternSet([withFlags(pattern)]);
  const clock = createClock(time);
  const look = async (place: Place, read: (candidate: Candidate) => string) => {
    let looked = 0;
    for (const candidate of candidates) {
      if (looked % stride === 0 && !(await clock())) break;
      looked += 1;
      if (!places.has(candidate.tool) && find(read(candidate)).length > 0) places.set(candidate.tool, place);
    }
    return candidates.length - looked;
  };
  await look("name", namesOf);
  const unread = await look("text", textOf);
  const isFound = (slot: number) => places.has(index.toolAt(slot));
  const words = findWords(literalsOf(pattern), isFound, places.size);
  const byWords = new Map(words.hits.map(({ tool, score }) => [tool, Math.min(1, score)]));
  const hits = [...places].map(([tool, place]) => ({
    tool,
    score: worth[place] + (byWords.get(tool) ?? 0) * wordsWorth,
  }));
  hits.sort((a, b) => b.score - a.score || compareTools(a.tool, b.tool));
  const slow = `The pattern is slow: the texts of ${unread} of ${candidates.length} tools were not looked at. Name a 'server', or put words into the pattern.`;
  return {
    total: hits.length,
    hits: hits.slice(0, count),
    notes: unread === 0 ? [] : [slow],
    isPartial: unread > 0,
  };
}

/** What has passed, and what of it this process has worked: on a busy machine these are not the same. */
type Time = { now(): number; worked(): number };

function workedMs(): number {
  // Node 22 only knows the whole process, which is more.
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1_000;
}

/** Tells whether there is time left, and gives others their turn while there is. */
function createClock({ now, worked }: Time): () => Promise<boolean> {
  const end = now() + limitMs;
  let turnEnd = now() + turnMs;
  let turnBegin = worked();
  let before = 0;
  return async () => {
    const work = before + worked() - turnBegin;
    if (work > maxWorkMs || now() > end) return false;
    if (now() <= turnEnd) return true;
    await nextTurn();
    // What others do in between is not ours.
    before = work;
    turnBegin = worked();
    turnEnd = now() + turnMs;
    return true;
  };
}

function namesOf({ tool: { id, name, modelName } }: Candidate): string {
  return `${id.tool}\n${name}\n${modelName}`;
}

/** Reading a schema takes longer than looking through what it says. */
const texts = new WeakMap<Findable, { serverText: string; text: string }>();

function textOf({ tool, serverText }: Candidate): string {
  const known = texts.get(tool);
  if (known?.serverText === serverText) return known.text;
  const { description, parameterNames, parameterTexts, server } = textsOf(tool, serverText);
  const text = [description, parameterNames, parameterTexts, server, serverText].join("\n").slice(0, maxText);
  texts.set(tool, { serverText, text });
  return text;
}

/** Whatever the case, and with every line a beginning and an end. */
function withFlags(pattern: string): string {
  return `(?im)${pattern}`;
}

function literalsOf(pattern: string): string {
  return pattern.replaceAll(/\\[a-z]|\[[^\]]*\]|[\\^$.|?*+(){}]/gi, " ");
}
