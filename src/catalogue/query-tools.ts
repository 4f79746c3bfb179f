import { parseVersionRange } from "../lib/semver.ts";
import type { HealthSummary } from "../model/catalogue/health-schema.ts";
import type { Tool } from "../model/catalogue/tool.ts";
import type { ToolQuery } from "../model/catalogue/tool-query.ts";
import type { ToolImpact } from "../model/catalogue/tool-schema.ts";
import { PlaneError } from "../model/errors.ts";
import { takePage } from "../model/page.ts";
import { createPersonaFilter } from "./persona-filter.ts";
import { registryKey } from "./registry.ts";

type ToolsPage<T> = { total: number; tools: T[]; nextCursor: string | null };
type Test = (tool: Tool, position: number) => boolean;
type HealthOf = (tool: Tool) => Pick<HealthSummary, "total" | "success_rate">;

/** What is known of a tool beside its definition; it changes while the list stays the same. */
type ToolFacts = {
  impactOf(tool: Tool): ToolImpact;
  isQuarantined(tool: Tool): boolean;
};

export function queryTools<T extends Tool>(
  tools: readonly T[],
  query: ToolQuery,
  healthOf: HealthOf,
  facts: ToolFacts | null = null,
): ToolsPage<T> {
  const toolAt = (position: number) => tools[position] as T;
  const tests = [healthTest(query, healthOf), ...factTests(query, healthOf, facts)].filter(
    (test) => test !== null,
  );
  let positions = matchingPositions(query, tools);
  if (tests.length > 0)
    positions = positions.filter((position) => tests.every((test) => test(toolAt(position))));
  const { items, ...page } = takePage(
    positions,
    (position) => registryKey(toolAt(position)),
    query,
  );
  return { ...page, tools: items.map(toolAt) };
}

const maxAnswers = 32;
/** `positions` are those of the matching tools. */
type Answer = { q: string | null; otherFilters: string; positions: readonly number[] };
type Answers = { allPositions: readonly number[]; byQuery: Map<string, Answer> };
const answersByList = new WeakMap<readonly Tool[], Answers>();

/** Paging and polling repeat the same query on the same list. */
function matchingPositions(query: ToolQuery, tools: readonly Tool[]): readonly number[] {
  const { limit: _, cursor: __, minSuccessRate: ___, includeUnused: ____, q, ...lasting } = query;
  const { impacts: _i, quarantined: _q, overlaid: _o, unused: _u, ...filters } = lasting;
  const otherFilters = JSON.stringify(filters);
  const key = `${q === null ? "" : `q=${q}`}\n${otherFilters}`;
  const { allPositions, byQuery } = answersOf(tools);
  const previous = byQuery.get(key);
  if (previous) return previous.positions;
  const candidates = narrowest(byQuery.values(), q, otherFilters) ?? allPositions;
  const tests = testsFor(query, tools);
  const positions = tests.length === 0 ? candidates : sift(tools, candidates, tests);
  if (byQuery.size >= maxAnswers) byQuery.clear();
  byQuery.set(key, { q, otherFilters, positions });
  return positions;
}

function answersOf(tools: readonly Tool[]): Answers {
  const previous = answersByList.get(tools);
  if (previous) return previous;
  const answers: Answers = { allPositions: [...tools.keys()], byQuery: new Map() };
  answersByList.set(tools, answers);
  return answers;
}

/** A plain loop: it runs over ten thousand tools with every letter typed. */
function sift(
  tools: readonly Tool[],
  candidates: readonly number[],
  tests: readonly Test[],
): number[] {
  const positions: number[] = [];
  const [firstTest, ...laterTests] = tests as [Test, ...Test[]];
  for (const position of candidates) {
    const tool = tools[position] as Tool;
    if (firstTest(tool, position) && laterTests.every((test) => test(tool, position)))
      positions.push(position);
  }
  return positions;
}

/** A longer query matches only what its prefix matched. */
function narrowest(
  answers: Iterable<Answer>,
  q: string | null,
  otherFilters: string,
): readonly number[] | null {
  if (q === null) return null;
  const lowerCase = q.toLowerCase();
  let fewest: readonly number[] | null = null;
  for (const answer of answers) {
    const isPrefix = answer.q === null || lowerCase.startsWith(answer.q.toLowerCase());
    if (answer.otherFilters !== otherFilters || !isPrefix) continue;
    if (fewest === null || answer.positions.length < fewest.length) fewest = answer.positions;
  }
  return fewest;
}

/** Cheap tests first. */
function testsFor(query: ToolQuery, tools: readonly Tool[]): Test[] {
  const { server, personas, sideEffects, safetyLevels } = query;
  return [
    server === null ? null : ({ id }: Tool) => id.server === server,
    personas.length === 0 ? null : personaTest(personas),
    sideEffects.length === 0
      ? null
      : ({ metadata }: Tool) => sideEffects.includes(metadata.side_effects),
    safetyLevels.length === 0 ? null : safetyTest(safetyLevels),
    hasAll(query.providers, "providers"),
    hasAll(query.capabilities, "capabilities"),
    query.version === null ? null : versionTest(query.version),
    query.q === null ? null : textTest(query.q, tools),
  ].filter((test) => test !== null);
}

function personaTest(personas: readonly string[]): Test {
  const { accepts } = createPersonaFilter(personas);
  return ({ persona }) => accepts(persona);
}

function safetyTest(levels: ToolQuery["safetyLevels"]): Test {
  return ({ metadata: { safety_level: level } }) => level !== undefined && levels.includes(level);
}

function hasAll(required: readonly string[], kind: "providers" | "capabilities"): Test | null {
  if (required.length === 0) return null;
  const requiredTexts = required.map((word) => delimited([word]));
  return (tool) => {
    const text = wordingOf(tool)[kind];
    return requiredTexts.every((required) => text.includes(required));
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
  const acceptedVersions = new Map<string, boolean>();
  return ({ metadata: { version } }) => {
    const answer = acceptedVersions.get(version) ?? parsed.accepts(version);
    acceptedVersions.set(version, answer);
    return answer;
  };
}

function textTest(text: string, tools: readonly Tool[]): Test {
  const searchWords = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const texts = textsOf(tools);
  // The last word is the one that no earlier query has tested.
  const [lastWord = "", ...earlierWords] = searchWords.reverse();
  return (_, position) => {
    const toolText = texts[position] as string;
    return toolText.includes(lastWord) && earlierWords.every((word) => toolText.includes(word));
  };
}

/** A tool without calls does not count as failing. */
function healthTest({ minSuccessRate, includeUnused }: ToolQuery, healthOf: HealthOf) {
  if (minSuccessRate === null && includeUnused !== false) return null;
  const minRate = minSuccessRate ?? 0;
  const keepsUnused = includeUnused ?? minRate === 0;
  return (tool: Tool) => {
    const { total, success_rate } = healthOf(tool);
    return total === 0 ? keepsUnused : success_rate >= minRate;
  };
}

function factTests(
  { impacts, quarantined, overlaid, unused }: ToolQuery,
  healthOf: HealthOf,
  facts: ToolFacts | null,
) {
  const tests = [
    flagTest(overlaid, (tool) => tool.overlaid === true),
    flagTest(unused, (tool) => healthOf(tool).total === 0),
  ];
  if (facts === null) return tests;
  if (impacts.length > 0) tests.push((tool) => impacts.includes(facts.impactOf(tool).impact));
  return [...tests, flagTest(quarantined, facts.isQuarantined)];
}

/** Null where the query leaves it open. */
function flagTest(expected: boolean | null, hasFlag: (tool: Tool) => boolean) {
  if (expected === null) return null;
  return (tool: Tool) => hasFlag(tool) === expected;
}

type Wording = { text: string; providers: string; capabilities: string };

// Tools are immutable, and the same catalogue is queried again and again.
const wordings = new WeakMap<Tool, Wording>();

function wordingOf(tool: Tool): Wording {
  const previous = wordings.get(tool);
  if (previous) return previous;
  const { name, title = "", description, metadata, providers } = tool;
  const wording = {
    text: [name, title, description, ...metadata.capabilities].join("\n").toLowerCase(),
    providers: delimited(providers.map((provider) => provider.name)),
    capabilities: delimited(metadata.capabilities),
  };
  wordings.set(tool, wording);
  return wording;
}

const textsByList = new WeakMap<readonly Tool[], readonly string[]>();

function textsOf(tools: readonly Tool[]): readonly string[] {
  const texts = textsByList.get(tools) ?? tools.map((tool) => wordingOf(tool).text);
  textsByList.set(tools, texts);
  return texts;
}

/** Delimited, so that only whole words match. */
function delimited(phrases: readonly string[]): string {
  return `\0${phrases.join("\0\0").toLowerCase()}\0`;
}
