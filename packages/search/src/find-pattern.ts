import { setImmediate as nextTurn } from "node:timers/promises";
import { shorten } from "@toolplane/core/lib/text/cut-text";
import { createPatternSet, patternProblem } from "@toolplane/core/lib/text/linear-pattern";
import { spellings } from "@toolplane/core/model/catalogue/tool-name";
import { type Findable, type SearchResult, searchTextsOf } from "./fields.ts";
import type { FindTools } from "./find-tools.ts";
import { compareTools, type ToolIndex } from "./tool-index.ts";

const maxPattern = 200;
/** The event loop goes on after each turn; a search ends after this CPU time, or this time, with what it has. */
const turnMs = 10;
const maxWorkMs = 70;
const maxMs = 1_000;
const maxText = 8_000;
/** Tools between two looks at the clock. */
const stride = 16;
/** Score of a match, and of the words of the pattern on top. */
const scores = { name: 0.6, text: 0.2 };
const wordsWorth = 0.4;

export function patternTrouble(pattern: string): string | null {
  if (pattern.length > maxPattern) return `it is longer than ${maxPattern} characters`;
  const problem = patternProblem(pattern);
  if (problem === null) return null;
  return shorten(problem.replace(/^error parsing regexp: /, ""), 120);
}

export type Candidate = { tool: Findable; serverText: string };

type Field = "name" | "text";

/** Tools that match the pattern: by name first, then by the words in the pattern. */
export async function findPattern(
  pattern: string,
  candidates: readonly Candidate[],
  { index, findTools, count }: { index: ToolIndex; findTools: FindTools; count: number },
  time: Time = { now: () => performance.now(), worked: workedMs },
): Promise<SearchResult> {
  const matchedFields = new Map<Findable, Field>();
  const find = createPatternSet([`(?im)${pattern}`]);
  const clock = createClock(time);
  const searchField = async (field: Field, read: (candidate: Candidate) => string) => {
    let searchedCount = 0;
    for (const candidate of candidates) {
      if (searchedCount % stride === 0 && !(await clock())) break;
      searchedCount += 1;
      if (!matchedFields.has(candidate.tool) && find(read(candidate)).length > 0)
        matchedFields.set(candidate.tool, field);
    }
    return candidates.length - searchedCount;
  };
  await searchField("name", namesOf);
  const unread = await searchField("text", textOf);
  const wordMatches = findTools(
    literalsOf(pattern),
    index.among([...matchedFields.keys()]),
    matchedFields.size,
  );
  const wordScores = new Map(wordMatches.hits.map(({ tool, score }) => [tool, Math.min(1, score)]));
  const hits = [...matchedFields].map(([tool, field]) => ({
    tool,
    score: scores[field] + (wordScores.get(tool) ?? 0) * wordsWorth,
  }));
  hits.sort((a, b) => b.score - a.score || compareTools(a.tool, b.tool));
  const slowNote = `The pattern is slow: the texts of ${unread} of ${candidates.length} tools were not looked at. Name a 'server', or put words into the pattern.`;
  return {
    total: hits.length,
    hits: hits.slice(0, count),
    notes: unread === 0 ? [] : [slowNote],
    isPartial: unread > 0,
  };
}

/** Wall clock and CPU time: on a busy machine they differ. */
type Time = { now(): number; worked(): number };

function workedMs(): number {
  // Node 22 only knows the CPU time of the whole process.
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1_000;
}

/** Is there time left? Yields to the event loop between turns. */
function createClock({ now, worked }: Time): () => Promise<boolean> {
  const end = now() + maxMs;
  let turnEnd = now() + turnMs;
  let turnBegin = worked();
  let earlierWork = 0;
  return async () => {
    const work = earlierWork + worked() - turnBegin;
    if (work > maxWorkMs || now() > end) return false;
    if (now() <= turnEnd) return true;
    await nextTurn();
    // The work of others in between does not count.
    earlierWork = work;
    turnBegin = worked();
    turnEnd = now() + turnMs;
    return true;
  };
}

/** Every spelling of its name, also those with underscores only. */
function namesOf({ tool: { id, name, modelName } }: Candidate): string {
  const names = [id.tool, name, modelName, ...spellings(id)];
  return [
    ...new Set([...names, ...names.map((spelling) => spelling.replaceAll(/[^A-Za-z0-9_]/g, "_"))]),
  ].join("\n");
}

/** Reading a schema takes longer than matching its text. */
const texts = new WeakMap<Findable, { serverText: string; text: string }>();

function textOf({ tool, serverText }: Candidate): string {
  const cached = texts.get(tool);
  if (cached?.serverText === serverText) return cached.text;
  const { description, parameterNames, parameterTexts, server } = searchTextsOf(tool, serverText);
  const text = [description, parameterNames, parameterTexts, server, serverText]
    .join("\n")
    .slice(0, maxText);
  texts.set(tool, { serverText, text });
  return text;
}

function literalsOf(pattern: string): string {
  return pattern.replaceAll(/\\[a-z]|\[[^\]]*(?:\]|$)|[\\^$.|?*+(){}]/gi, " ");
}
