import { parseVersionRange } from "../lib/semver-range.ts";
import { PlaneError } from "../model/errors.ts";
import type { HealthSummary } from "../model/health.ts";
import { takePage } from "../model/page.ts";
import type { Tool } from "../model/tool.ts";
import type { ToolQuery } from "../model/tool-query.ts";
import { createPersonaFilter } from "./persona-filter.ts";
import { placeOf } from "./tool-order.ts";
import { asWords, wordingOf } from "./tool-wording.ts";

type ToolsPage<T> = { total: number; tools: T[]; nextCursor: string | null };
type Test = (tool: Tool) => boolean;
type HealthOf = (tool: Tool) => Pick<HealthSummary, "total" | "success_rate">;

/** Those of the tools that are meant, one page of them. They come and go in the order of their places. */
export function queryTools<T extends Tool>(
  tools: readonly T[],
  query: ToolQuery,
  healthOf: HealthOf,
): ToolsPage<T> {
  const meant = meantBy(query, tools);
  const isHealthy = healthTest(query, healthOf);
  const { items, ...page } = takePage(isHealthy ? meant.filter(isHealthy) : meant, placeOf, query);
  return { ...page, tools: items };
}

/** How many questions about one list are remembered. */
const mostKnown = 32;
type Answers = Map<string, { q: string | null; others: string; tools: readonly Tool[] }>;
const known = new WeakMap<readonly Tool[], Answers>();

/** Whoever goes from page to page, or looks again and again, asks the same about the same list. */
function meantBy<T extends Tool>(query: ToolQuery, tools: readonly T[]): readonly T[] {
  const { limit: _, cursor: __, minSuccessRate: ___, includeUnused: ____, q, ...rest } = query;
  const others = JSON.stringify(rest);
  const key = `${q === null ? "" : `q=${q}`}\n${others}`;
  const answers: Answers = known.get(tools) ?? new Map();
  known.set(tools, answers);
  const before = answers.get(key);
  if (before) return before.tools as readonly T[];
  const among = narrowest(answers, q, others) ?? tools;
  const tests = testsFor(query);
  const meant = tests.length === 0 ? among : among.filter((tool) => tests.every((test) => test(tool)));
  if (answers.size >= mostKnown) answers.clear();
  answers.set(key, { q, others, tools: meant });
  return meant as readonly T[];
}

/** Whoever types on finds only what was found before the last letters. */
function narrowest(answers: Answers, q: string | null, others: string): readonly Tool[] | null {
  if (q === null) return null;
  const said = q.toLowerCase();
  let found: readonly Tool[] | null = null;
  for (const { q: shorter, others: beside, tools } of answers.values())
    if (beside === others && (shorter === null || said.startsWith(shorter.toLowerCase())))
      if (found === null || tools.length < found.length) found = tools;
  return found;
}

/** Cheap ones first; a query that does not ask costs nothing. */
function testsFor(query: ToolQuery): Test[] {
  const { server, personas, sideEffects, safetyLevels } = query;
  return [
    server === null ? null : ({ id }: Tool) => id.server === server,
    personas.length === 0 ? null : personaTest(personas),
    sideEffects.length === 0 ? null : ({ metadata }: Tool) => sideEffects.includes(metadata.side_effects),
    safetyLevels.length === 0 ? null : safetyTest(safetyLevels),
    hasAll(query.providers, "providers"),
    hasAll(query.capabilities, "capabilities"),
    query.version === null ? null : versionTest(query.version),
    query.q === null ? null : textTest(query.q),
  ].filter((test) => test !== null);
}

function personaTest(personas: readonly string[]): Test {
  const { accepts } = createPersonaFilter(personas);
  return ({ persona }) => accepts(persona);
}

function safetyTest(levels: ToolQuery["safetyLevels"]): Test {
  return ({ metadata: { safety_level: level } }) => level !== undefined && levels.includes(level);
}

function hasAll(wanted: readonly string[], kind: "providers" | "capabilities"): Test | null {
  if (wanted.length === 0) return null;
  const words = wanted.map((word) => asWords([word]));
  return (tool) => {
    const there = wordingOf(tool)[kind];
    return words.every((word) => there.includes(word));
  };
}

function versionTest(range: string): Test {
  const parsed = parseVersionRange(range);
  if ("problem" in parsed) {
    throw new PlaneError(
      "USAGE",
      `The version range '${range}' cannot be read: ${parsed.problem}. Write it like '>=1.2, <2', '^1.2' or '1.x'.`,
      { data: { parameter: "version", value: range } },
    );
  }
  // Many tools share few versions.
  const known = new Map<string, boolean>();
  return ({ metadata: { version } }) => {
    const answer = known.get(version) ?? parsed.accepts(version);
    known.set(version, answer);
    return answer;
  };
}

function textTest(text: string): Test {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return (tool) => {
    const { text: said } = wordingOf(tool);
    return words.every((word) => said.includes(word));
  };
}

/** Nothing is known of a tool that nobody has called, so it does not count as one that fails. */
function healthTest({ minSuccessRate, includeUnused }: ToolQuery, healthOf: HealthOf): Test | null {
  if (minSuccessRate === null && includeUnused !== false) return null;
  const wanted = minSuccessRate ?? 0;
  const keepsUnused = includeUnused ?? wanted === 0;
  return (tool) => {
    const { total, success_rate } = healthOf(tool);
    return total === 0 ? keepsUnused : success_rate >= wanted;
  };
}
