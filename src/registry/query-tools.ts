import { parseVersionRange } from "../lib/semver-range.ts";
import { PlaneError } from "../model/errors.ts";
import type { HealthSummary } from "../model/health.ts";
import type { Tool } from "../model/tool.ts";
import type { ToolQuery } from "../model/tool-query.ts";
import { createPersonaFilter } from "./persona-filter.ts";
import { placeOf } from "./tool-order.ts";

type Page<T> = { total: number; tools: T[]; nextCursor: string | null };
type Test = (tool: Tool) => boolean;
type HealthOf = (tool: Tool) => Pick<HealthSummary, "total" | "success_rate">;

/** Those of the tools that are meant, one page of them. They come and go in the order of their places. */
export function queryTools<T extends Tool>(
  tools: readonly T[],
  query: ToolQuery,
  healthOf: HealthOf,
): Page<T> {
  const tests = testsFor(query, healthOf);
  const matching = tools.filter((tool) => tests.every((test) => test(tool)));
  return takePage(matching, query);
}

/** Cheap ones first; a query that does not ask costs nothing. */
function testsFor(query: ToolQuery, healthOf: HealthOf): Test[] {
  const { server, personas, sideEffects, safetyLevels } = query;
  return [
    server === null ? null : ({ id }: Tool) => id.server === server,
    personas.length === 0 ? null : personaTest(personas),
    sideEffects.length === 0 ? null : ({ metadata }: Tool) => sideEffects.includes(metadata.side_effects),
    safetyLevels.length === 0 ? null : safetyTest(safetyLevels),
    hasAll(query.providers, providerTest),
    hasAll(query.capabilities, capabilityTest),
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

function hasAll(wanted: readonly string[], testFor: (lowered: string) => Test): Test | null {
  if (wanted.length === 0) return null;
  const tests = wanted.map((word) => testFor(word.toLowerCase()));
  return (tool) => tests.every((test) => test(tool));
}

// Plain loops: the methods of a frozen array take several times as long.
function providerTest(lowered: string): Test {
  return ({ providers }) => {
    for (let at = 0; at < providers.length; at++) if (isWord(providers[at]?.name, lowered)) return true;
    return false;
  };
}

function capabilityTest(lowered: string): Test {
  return ({ metadata: { capabilities } }) => {
    for (let at = 0; at < capabilities.length; at++) if (isWord(capabilities[at], lowered)) return true;
    return false;
  };
}

/** Most words are told apart before one of them is put into small letters. */
function isWord(word: string | undefined, lowered: string): boolean {
  if (word?.length !== lowered.length) return false;
  if (word === lowered) return true;
  const [first, wanted] = [word.charCodeAt(0), lowered.charCodeAt(0)];
  // A capital of ASCII differs from its letter in one bit.
  if (first < 128 && wanted < 128 && (first | 32) !== (wanted | 32)) return false;
  return word.toLowerCase() === lowered;
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

/** What a tool's words are looked for in; kept, because the same catalogue is asked again and again. */
const texts = new WeakMap<Tool, string>();

function textOf(tool: Tool): string {
  const known = texts.get(tool);
  if (known !== undefined) return known;
  const { name, title = "", description, metadata } = tool;
  const text = [name, title, description, ...metadata.capabilities].join("\n").toLowerCase();
  texts.set(tool, text);
  return text;
}

function textTest(text: string): Test {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return (tool) => {
    const there = textOf(tool);
    return words.every((word) => there.includes(word));
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

function takePage<T extends Tool>(matching: T[], { limit, cursor }: ToolQuery): Page<T> {
  const start = cursor === null ? 0 : firstAfter(matching, readCursor(cursor));
  const end = limit === null ? matching.length : Math.min(start + limit, matching.length);
  const tools = matching.slice(start, end);
  const last = end < matching.length ? tools.at(-1) : undefined;
  const nextCursor = last ? Buffer.from(placeOf(last)).toString("base64url") : null;
  return { total: matching.length, tools, nextCursor };
}

function firstAfter(sorted: readonly Tool[], place: string): number {
  const at = sorted.findIndex((tool) => placeOf(tool) > place);
  return at === -1 ? sorted.length : at;
}

function readCursor(cursor: string): string {
  const place = Buffer.from(cursor, "base64url").toString();
  if (place !== "" && Buffer.from(place).toString("base64url") === cursor) return place;
  throw new PlaneError(
    "USAGE",
    `'${cursor}' is no cursor: take the 'nextCursor' of the page before, or leave it out for the first page.`,
    { data: { parameter: "cursor", value: cursor } },
  );
}
