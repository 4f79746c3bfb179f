import { matchesGlob } from "../../lib/text/glob.ts";
import type { Policy, PolicyRule, TimeWindow } from "../../model/access/policy.ts";
import { offerNames } from "../../model/catalogue/offer-name.ts";
import type { Tool, ToolId } from "../../model/catalogue/tool.ts";
import { spellings } from "../../model/catalogue/tool-name.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Face, Principal } from "../../model/principal.ts";
import {
  type CreatePatternSet,
  createArgumentMatcher,
  type MatchedPatterns,
  patternKey,
} from "./argument-patterns.ts";
import { callsItRead, type Effect, effectOf } from "./effect.ts";

const weekdays: readonly string[] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const dayMinutes = 24 * 60;

export function createTimeTest({ from, to, days, timezone }: TimeWindow): (now: Date) => boolean {
  const start = minutesOf(from);
  const end = minutesOf(to);
  const length = (end - start + dayMinutes) % dayMinutes || dayMinutes;
  const clockParts = {
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  } as const;
  const clock = new Intl.DateTimeFormat("en-GB", { timeZone: timezone, ...clockParts });
  return (now) => {
    const { weekday, minutes } = readClock(clock, now);
    const passed = (minutes - start + dayMinutes) % dayMinutes;
    if (passed >= length) return false;
    // After midnight it is still the window of the day before.
    const startWeekday = minutes < start ? (weekday + 6) % 7 : weekday;
    return days === undefined || days.some((day) => day === weekdays[startWeekday]);
  };
}

function minutesOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(":").map(Number);
  return hours * 60 + minutes;
}

function readClock(clock: Intl.DateTimeFormat, now: Date): { weekday: number; minutes: number } {
  const parts = Object.fromEntries(
    clock.formatToParts(now).map(({ type, value }) => [type, value]),
  );
  const weekday = weekdays.indexOf(String(parts.weekday).slice(0, 3).toLowerCase());
  return { weekday, minutes: minutesOf(`${parts.hour}:${parts.minute}`) };
}

export type RuleContext = {
  principal: Principal;
  face: Face;
  isPage: boolean;
  arguments: JsonObject;
  now(): Date;
};

/** `number`: among those of `policy.rules` itself. */
export type FoundRule = { rule: PolicyRule; position: number; number: number };

type Risk = "low" | "medium" | "high";

export type ToolFacts = {
  effect: Effect;
  callsItRead: boolean;
  firstRule(situation: RuleContext): FoundRule | null;
};

/** Looks at each tool once: what it does, and which rules can be about it. */
export function createToolFacts({ rules, effects }: Policy, createPatternSet: CreatePatternSet) {
  let number = 0;
  const compiled = rules.map((rule, position) =>
    compile(rule, position, rule.from === undefined ? number++ : -1),
  );
  const matchArguments = createArgumentMatcher(rules, createPatternSet);
  const factsByTool = new WeakMap<Tool, ToolFacts>();
  return (tool: Tool): ToolFacts => {
    const cached = factsByTool.get(tool);
    if (cached) return cached;
    const effect = effectOf(tool, effects);
    const risks = risksOf(tool, effect);
    const relevant = compiled.filter(({ rule }) => isAbout(rule, tool, effect, risks));
    const facts = {
      effect,
      callsItRead: callsItRead(tool, effect),
      firstRule: createFinder(relevant, matchArguments),
    };
    factsByTool.set(tool, facts);
    return facts;
  };
}

/** A tool of an untrusted server that calls itself destructive has two: the hint may only make a verdict stricter. */
function risksOf({ metadata, annotations, trusted }: Tool, { effect }: Effect): Risk[] {
  if (metadata.safety_level !== undefined) return [metadata.safety_level];
  const usualRisk = effect === "read" ? "low" : "medium";
  if (annotations.destructiveHint !== true) return [usualRisk];
  if (trusted) return ["high"];
  return [usualRisk, "high"];
}

function isAbout(
  rule: PolicyRule,
  tool: Tool,
  { effect }: Effect,
  risks: readonly Risk[],
): boolean {
  const { tool: names, server } = rule;
  if (names !== undefined && !isNamed(rule.verdict, names, tool)) return false;
  if (server !== undefined && !isReached(rule.verdict, server, tool)) return false;
  if (rule.side_effects !== undefined && !rule.side_effects.includes(tool.metadata.side_effects))
    return false;
  if (rule.effects !== undefined && !rule.effects.includes(effect)) return false;
  const isMeant = (risk: Risk) => rule.risk?.includes(risk) ?? true;
  if (rule.verdict === "allow") return risks.every(isMeant);
  return risks.some(isMeant);
}

/**
 * What holds a call back counts for every spelling of the tool, and for those that it leads to: neither an alias nor a
 * wrapper is a way around a rule. What lets a call through counts for the tool's own names alone.
 */
function isNamed(verdict: PolicyRule["verdict"], names: string, tool: Tool): boolean {
  if (tool.id.kind !== undefined) return isNamedOffer(verdict, names, tool.id);
  const ownNames = [tool.name, tool.modelName];
  const otherSpellings =
    verdict === "allow" ? [] : [tool.id, ...reachedBy(tool)].flatMap(everySpelling);
  return [...ownNames, ...otherSpellings].some((name) => matchesGlob(names, name));
}

/** A rule that denies or asks counts for any form of a resource's address, one that allows for all of them together. */
function isNamedOffer(verdict: PolicyRule["verdict"], names: string, id: ToolId): boolean {
  const forms = offerNames(id.tool).map((tool) => ({ ...id, tool }));
  if (verdict === "allow")
    return forms.every(({ server, tool }) => matchesGlob(names, `${server}.${tool}`));
  return forms.flatMap(everySpelling).some((name) => matchesGlob(names, name));
}

function everySpelling(id: ToolId): string[] {
  return [...spellings(id), id.tool];
}

function isReached(verdict: PolicyRule["verdict"], server: string, tool: Tool): boolean {
  const servers =
    tool.id.server === null ? reachedBy(tool).map((id) => id.server ?? "") : [tool.id.server];
  if (servers.length === 0) return matchesGlob(server, "");
  const matches = (reached: string) => matchesGlob(server, reached);
  if (verdict === "allow") return servers.every(matches);
  return servers.some(matches);
}

/** The tools of servers that a hand-written one leads to. */
function reachedBy({ id, providers }: Tool): ToolId[] {
  if (id.server !== null) return [];
  return providers.flatMap(({ name, config }) =>
    name === "mcp" ? { server: String(config.server), tool: String(config.tool ?? id.tool) } : [],
  );
}

type Compiled = FoundRule & {
  needs: string[];
  applies(situation: RuleContext): boolean;
};

function compile(rule: PolicyRule, position: number, number: number): Compiled {
  const { users, groups, personas, faces, pages, time } = rule;
  const inTime = time === undefined ? undefined : createTimeTest(time);
  const tests = [
    groups &&
      (({ principal }: RuleContext) => groups.some((group) => principal.groups.includes(group))),
    users &&
      (({ principal }: RuleContext) =>
        users.some((pattern) => matchesGlob(pattern, principal.user ?? ""))),
    personas && (({ principal }: RuleContext) => personas.includes(principal.persona ?? "")),
    faces && (({ face }: RuleContext) => faces.includes(face)),
    pages !== undefined && (({ isPage }: RuleContext) => isPage === pages),
    inTime && (({ now }: RuleContext) => inTime(now())),
  ].filter((test) => typeof test === "function");
  const needs = Object.entries(rule.arguments ?? {}).map(([name, pattern]) =>
    patternKey(name, pattern),
  );
  return {
    rule,
    position,
    number,
    needs,
    applies: (situation) => tests.every((test) => test(situation)),
  };
}

type MatchArguments = (args: JsonObject) => MatchedPatterns;

/** Of a thousand rules few can fit: those whose group the caller is in and whose pattern an argument matches. */
function createFinder(
  rules: readonly Compiled[],
  matchArguments: MatchArguments,
): ToolFacts["firstRule"] {
  const byPattern = Map.groupBy(rules, ({ needs: [first] }) => first);
  const withoutPattern = byPattern.get(undefined) ?? [];
  byPattern.delete(undefined);
  const always = withoutPattern.filter(({ rule }) => rule.groups === undefined);
  const byGroup = groupEach(withoutPattern);
  return (situation) => {
    const matched = byPattern.size === 0 ? undefined : matchArguments(situation.arguments);
    let first: Compiled | null = null;

    function consider(candidate: Compiled) {
      if (first !== null && first.position <= candidate.position) return;
      const matchedKeys =
        candidate.rule.verdict === "allow" ? matched?.everywhere : matched?.somewhere;
      if (candidate.needs.every((need) => matchedKeys?.has(need)) && candidate.applies(situation))
        first = candidate;
    }

    for (const key of matched?.somewhere ?? []) byPattern.get(key)?.forEach(consider);
    for (const group of situation.principal.groups) byGroup.get(group)?.forEach(consider);
    always.forEach(consider);
    return first;
  };
}

function groupEach(rules: readonly Compiled[]): Map<string, Compiled[]> {
  const groups = new Map<string, Compiled[]>();
  for (const compiled of rules) {
    for (const group of compiled.rule.groups ?? []) {
      const members = groups.get(group);
      if (members) members.push(compiled);
      else groups.set(group, [compiled]);
    }
  }
  return groups;
}
