import {
  isRawJSON,
  mayLoseNumbers,
  numberSpellings,
  spellingsOf,
} from "../../lib/json/exact-numbers.ts";
import { compileGlob } from "../../lib/text/glob.ts";
import type { PolicyRule } from "../../model/access/policy.ts";
import type { Json, JsonObject } from "../../model/json.ts";

export type ArgumentPattern = NonNullable<PolicyRule["arguments"]>[string];

export type FindPatterns = (text: string) => readonly number[];
export type CreatePatternSet = (patterns: readonly string[]) => FindPatterns;

/** Below this, one glob after the other is quicker than the engine. */
const fewGlobs = 32;

export function needsEngine(rules: readonly PolicyRule[]): boolean {
  return [...groupByArgument(rules).values()].some(
    (patterns) => !areFewGlobs([...patterns.values()]),
  );
}

export type MatchedPatterns = {
  /** Found in one of the texts of the argument, however deep it hides: enough for holding a call back. */
  somewhere: ReadonlySet<string>;
  /** Found in all of them: what it takes to let a call through. */
  everywhere: ReadonlySet<string>;
};

export function createArgumentMatcher(
  rules: readonly PolicyRule[],
  createPatternSet: CreatePatternSet,
) {
  const finders = [...groupByArgument(rules)].map(([name, patterns]) => {
    const keys = [...patterns.keys()];
    const find = createFinder([...patterns.values()], createPatternSet);
    return { name, keys, find };
  });
  return (args: JsonObject): MatchedPatterns => {
    const somewhere = new Set<string>();
    const everywhere = new Set<string>();
    for (const { name, keys, find } of finders) {
      const values = valuesOf(args, name);
      if (values.length === 0) continue;
      const matchesByText = values.flatMap(textsIn).map(find);
      const matchesOfWhole = values.filter(isNoText).flatMap(wholeTexts).flatMap(find);
      for (const index of [...matchesOfWhole, ...matchesByText.flat()])
        somewhere.add(keys[index] as string);
      const [first = [], ...moreTexts] = matchesByText;
      for (const index of first)
        if (moreTexts.every((places) => places.includes(index)))
          everywhere.add(keys[index] as string);
    }
    return { somewhere, everywhere };
  };
}

/** Stands for every argument of a call. */
export const anyName = "*";

function valuesOf(args: JsonObject, name: string): Json[] {
  if (name === anyName) return Object.values(args).filter((value) => value !== undefined);
  const value = Object.hasOwn(args, name) ? args[name] : undefined;
  return value === undefined ? [] : [value];
}

function isNoText(value: Json): boolean {
  return typeof value !== "string";
}

export function patternKey(name: string, pattern: ArgumentPattern): string {
  return JSON.stringify([name, pattern]);
}

function groupByArgument(rules: readonly PolicyRule[]): Map<string, Map<string, ArgumentPattern>> {
  const groups = new Map<string, Map<string, ArgumentPattern>>();
  for (const rule of rules) {
    for (const [name, pattern] of Object.entries(rule.arguments ?? {})) {
      const group = groups.get(name) ?? new Map();
      groups.set(name, group.set(patternKey(name, pattern), pattern));
    }
  }
  return groups;
}

function areFewGlobs(patterns: readonly ArgumentPattern[]): patterns is string[] {
  return patterns.length <= fewGlobs && patterns.every((pattern) => typeof pattern === "string");
}

function createFinder(
  patterns: readonly ArgumentPattern[],
  createPatternSet: CreatePatternSet,
): FindPatterns {
  if (!areFewGlobs(patterns))
    return createPatternSet(
      patterns.map((pattern) => (typeof pattern === "string" ? asRegex(pattern) : pattern.regex)),
    );
  const globs = patterns.map(compileGlob);
  return (text) => globs.flatMap((matches, index) => (matches(text) ? index : []));
}

function asRegex(glob: string): string {
  const literal = glob.replaceAll(/[\\^$.|+()[\]{}]/g, "\\$&");
  return `(?s)^${literal.replaceAll("*", ".*").replaceAll("?", ".")}$`;
}

/** Each text by itself: what hides in a list or an object counts as what stands alone. */
function textsIn(value: Json): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return numberSpellings(value);
  if (typeof value !== "object" || value === null) return [JSON.stringify(value)];
  if (isRawJSON(value)) return spellingsOf(value);
  return Object.values(value).flatMap(textsIn);
}

/** As it is sent, and as a reader has it who rounds its numbers. */
function wholeTexts(value: Json): string[] {
  const sent = JSON.stringify(value);
  if (!mayLoseNumbers(sent)) return [sent];
  return [sent, JSON.stringify(JSON.parse(sent))];
}
