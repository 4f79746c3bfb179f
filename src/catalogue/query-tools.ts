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
type Test = (tool: Tool, at: number) => boolean;
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
  const toolAt = (at: number) => tools[at] as T;
  const tests = [healthTest(query, healthOf), ...factTests(query, healthOf, facts)].filter(
    (test) => test !== null,
  );
  const meant = meantBy(query, tools);
  const passing =
    tests.length === 0 ? meant : meant.filter((at) => tests.every((test) => test(toolAt(at))));
  const { items, ...page } = takePage(passing, (at) => registryKey(toolAt(at)), query);
  return { ...page, tools: items.map(toolAt) };
}

const maxKnown = 32;
/** `meant` are the positions of the matching tools. */
type Answer = { q: string | null; others: string; meant: readonly number[] };
type Known = { all: readonly number[]; answers: Map<string, Answer> };
const known = new WeakMap<readonly Tool[], Known>();

/** Paging and polling repeat the same query on the same list. */
function meantBy(query: ToolQuery, tools: readonly Tool[]): readonly number[] {
  const { limit: _, cursor: __, minSuccessRate: ___, includeUnused: ____, q, ...asked } = query;
  const { impacts: _i, quarantined: _q, overlaid: _o, unused: _u, ...rest } = asked;
  const others = JSON.stringify(rest);
  const key = `${q === null ? "" : `q=${q}`}\n${others}`;
  const { all, answers } = known.get(tools) ?? { all: [...tools.keys()], answers: new Map() };
  known.set(tools, { all, answers });
  const before = answers.get(key);
  if (before) return before.meant;
  const among = narrowest(answers.values(), q, others) ?? all;
  const tests = testsFor(query, tools);
  const meant = tests.length === 0 ? among : sift(tools, among, tests);
  if (answers.size >= maxKnown) answers.clear();
  answers.set(key, { q, others, meant });
  return meant;
}

/** A plain loop: it runs over ten thousand tools with every letter typed. */
function sift(tools: readonly Tool[], among: readonly number[], tests: readonly Test[]): number[] {
  const kept: number[] = [];
  const [first, ...others] = tests as [Test, ...Test[]];
  for (const at of among) {
    const tool = tools[at] as Tool;
    if (first(tool, at) && others.every((test) => test(tool, at))) kept.push(at);
  }
  return kept;
}

/** A longer query matches only what its prefix matched. */
function narrowest(
  answers: Iterable<Answer>,
  q: string | null,
  others: string,
): readonly number[] | null {
  if (q === null) return null;
  const said = q.toLowerCase();
  let found: readonly number[] | null = null;
  for (const { q: shorter, others: beside, meant } of answers)
    if (beside === others && (shorter === null || said.startsWith(shorter.toLowerCase())))
      if (found === null || meant.length < found.length) found = meant;
  return found;
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

function textTest(text: string, tools: readonly Tool[]): Test {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const texts = textsOf(tools);
  // The last word is the one that no earlier query has tested.
  const [last = "", ...before] = words.reverse();
  return (_, at) => {
    const said = texts[at] as string;
    return said.includes(last) && before.every((word) => said.includes(word));
  };
}

/** A tool without calls does not count as failing. */
function healthTest({ minSuccessRate, includeUnused }: ToolQuery, healthOf: HealthOf) {
  if (minSuccessRate === null && includeUnused !== false) return null;
  const wanted = minSuccessRate ?? 0;
  const keepsUnused = includeUnused ?? wanted === 0;
  return (tool: Tool) => {
    const { total, success_rate } = healthOf(tool);
    return total === 0 ? keepsUnused : success_rate >= wanted;
  };
}

function factTests(
  { impacts, quarantined, overlaid, unused }: ToolQuery,
  healthOf: HealthOf,
  facts: ToolFacts | null,
) {
  const isWanted = (wanted: boolean | null, is: (tool: Tool) => boolean) =>
    wanted === null ? null : (tool: Tool) => is(tool) === wanted;
  return [
    isWanted(overlaid, (tool) => tool.overlaid === true),
    isWanted(unused, (tool) => healthOf(tool).total === 0),
    ...(facts === null
      ? []
      : [
          impacts.length === 0
            ? null
            : (tool: Tool) => impacts.includes(facts.impactOf(tool).impact),
          isWanted(quarantined, facts.isQuarantined),
        ]),
  ];
}

type Wording = { text: string; providers: string; capabilities: string };

// Tools are immutable, and the same catalogue is queried again and again.
const knownWordings = new WeakMap<Tool, Wording>();

function wordingOf(tool: Tool): Wording {
  const before = knownWordings.get(tool);
  if (before) return before;
  const { name, title = "", description, metadata, providers } = tool;
  const wording = {
    text: [name, title, description, ...metadata.capabilities].join("\n").toLowerCase(),
    providers: asWords(providers.map((provider) => provider.name)),
    capabilities: asWords(metadata.capabilities),
  };
  knownWordings.set(tool, wording);
  return wording;
}

const knownTexts = new WeakMap<readonly Tool[], readonly string[]>();

function textsOf(tools: readonly Tool[]): readonly string[] {
  const texts = knownTexts.get(tools) ?? tools.map((tool) => wordingOf(tool).text);
  knownTexts.set(tools, texts);
  return texts;
}

/** Delimited, so that only whole words match. */
function asWords(words: readonly string[]): string {
  return `\0${words.join("\0\0").toLowerCase()}\0`;
}
