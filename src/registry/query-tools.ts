import { parseVersionRange } from "../lib/semver-range.ts";
import { PlaneError } from "../model/errors.ts";
import type { HealthSummary } from "../model/health.ts";
import type { Tool } from "../model/tool.ts";
import type { ToolQuery } from "../model/tool-query.ts";
import { takePage } from "./page.ts";
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
  const tests = testsFor(query, healthOf);
  const matching = tools.filter((tool) => tests.every((test) => test(tool)));
  const { items, ...page } = takePage(matching, placeOf, query);
  return { ...page, tools: items };
}

/** Cheap ones first; a query that does not ask costs nothing. */
function testsFor(query: ToolQuery, healthOf: HealthOf): Test[] {
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
    healthTest(query, healthOf),
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
  return (tool) => words.every((word) => wordingOf(tool).text.includes(word));
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
