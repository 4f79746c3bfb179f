import { Cron, CronDate, CronPattern } from "croner";
import { createLru } from "./lru.ts";

// A wall time is kept as the UTC moment that shows the same, so that days and months can be counted without the zone.
const dayMs = 86_400_000;

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/** What a clock in the zone shows. */
export function wallTimeAt(zone: string, moment: number): number {
  if (zone === "UTC") return moment;
  const { year, month, day, hour, minute, second } = new CronDate(new Date(moment), zone);
  return Date.UTC(year, month, day, hour, minute, second) + millisecondsOf(moment);
}

/** The first moment at which the clock shows this, or at which it jumps over it. */
export function momentOf(zone: string, wall: number): number {
  if (zone === "UTC") return wall;
  const date = new Date(wall);
  const year = date.getUTCFullYear();
  // Croner reads years below 100 as 19xx and ends with 9999.
  if (year < 100 || year > 9_999) return wall;
  const time = [date.getUTCSeconds(), date.getUTCMinutes(), date.getUTCHours()];
  const once = [...time, date.getUTCDate(), date.getUTCMonth() + 1, "*", year].join(" ");
  const nextRun = new Cron(once, { timezone: zone, mode: "7-part" }).nextRun(
    new Date(wall - 2 * dayMs),
  );
  if (nextRun === null) return wall;
  return nextRun.getTime() + millisecondsOf(wall);
}

/** A date is the start of its day. Without an offset it is local to the zone. Null when it is neither. */
export function readMoment(text: string, zone: string): { at: number; isDate: boolean } | null {
  const parts =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text);
  if (parts === null) return null;
  const [, date = "", time, offset] = parts;
  const wall = Date.parse(`${date}T${time ?? "00:00"}${offset ?? "Z"}`);
  const day = Date.parse(`${date}T00:00Z`);
  // The parser reads 30 February as 2 March.
  if (Number.isNaN(wall) || Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== date)
    return null;
  return { at: offset === undefined ? momentOf(zone, wall) : wall, isDate: time === undefined };
}

function millisecondsOf(moment: number): number {
  return moment - Math.floor(moment / 1_000) * 1_000;
}

type CronTimes = { next(after: number): number | null };

type Field = { name: string; from: number; to: number; shape: RegExp };

const month = "\\d{1,2}|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec";
const weekday = "[0-7]|sun|mon|tue|wed|thu|fri|sat";

const fields: readonly Field[] = [
  { name: "minute", from: 0, to: 59, shape: shapeOf("\\d{1,2}") },
  { name: "hour", from: 0, to: 23, shape: shapeOf("\\d{1,2}") },
  { name: "day of the month", from: 1, to: 31, shape: shapeOf("\\d{1,2}", "|L|(?:\\d{1,2}|L)W") },
  { name: "month", from: 1, to: 12, shape: shapeOf(month) },
  {
    name: "day of the week",
    from: 0,
    to: 7,
    shape: shapeOf(weekday, `|(?:${weekday})(?:#[1-5]|L)`),
  },
];
const nicknames = ["@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually"];

const minCachedTimes = 200;
const cachedTimes = createLru<CronTimes | { problem: string }>(minCachedTimes);

/** Five fields or a nickname. */
export function readCron(text: string, zone: string): CronTimes | { problem: string } {
  const key = `${zone} ${text}`;
  const cached = cachedTimes.get(key);
  if (cached) return cached;
  const times = parse(text.trim(), zone);
  cachedTimes.set(key, times);
  return times;
}

function parse(text: string, zone: string): CronTimes | { problem: string } {
  if (nicknames.includes(text.toLowerCase())) return timesOf(text, zone, false);
  if (text.startsWith("@"))
    return { problem: `is not a valid time: use one of ${nicknames.join(", ")}, or five fields` };
  const fieldTexts = text.split(/\s+/);
  if (fieldTexts.length !== fields.length)
    return {
      problem: `has ${fieldTexts.length} fields instead of 5: minute hour day month weekday`,
    };
  const problem = fieldTexts.map(problemOf).find((fieldProblem) => fieldProblem !== null);
  if (problem !== undefined) return { problem };
  const [day = "", week = ""] = [fieldTexts[2], fieldTexts[4]];
  return timesOf(fieldTexts.map(spell).join(" "), zone, /^[*?]/.test(day) || /^[*?]/.test(week));
}

/** Croner accepts more, such as `?` in any field or `jan1` for 11, and names no field when it refuses. */
function problemOf(fieldText: string, index: number): string | null {
  const { name, from, to, shape } = fields[index] as Field;
  const refuse = (part: string, why = `give ${from} to ${to}, a list, a range or a step`) =>
    `has '${part}' as its ${name}: ${why}`;
  // Both 0 and 7 are Sunday.
  const maxStep = to === 7 ? 7 : to - from + 1;
  if (fieldText === "?" && name.startsWith("day")) return null;
  for (const part of fieldText.split(",")) {
    if (!shape.test(part)) return refuse(part);
    if (Number(part.split("/")[1]) > maxStep)
      return refuse(part, `a step cannot be more than ${maxStep}`);
    if (!isPattern(patternWith(part, index))) return refuse(part);
  }
  if (isPattern(patternWith(fieldText, index))) return null;
  return refuse(fieldText, "LW stands alone, not in a list");
}

function patternWith(fieldText: string, changedIndex: number): string {
  return fields
    .map((_, index) => (index === changedIndex ? spell(fieldText, changedIndex) : "*"))
    .join(" ");
}

function isPattern(text: string): boolean {
  try {
    return new CronPattern(text, undefined, { mode: "5-part" }) !== undefined;
  } catch {
    return false;
  }
}

/** As croner writes it: a step begins with a range, and a week from Saturday ends with 7. */
function spell(fieldText: string, index: number): string {
  const ranges = fieldText.replaceAll(/(^|,)(\w+)\//g, `$1$2-${fields[index]?.to}/`);
  if (index === 4) return ranges.replaceAll(/-(?:0|sun)\b/gi, "-7");
  return ranges;
}

function shapeOf(value: string, more = ""): RegExp {
  return new RegExp(`^(?:(?:\\*|(?:${value})(?:-(?:${value}))?)(?:/\\d{1,3})?${more})$`, "i");
}

/**
 * Hourly times are found in the zone, others by the wall clock: croner drops lists and steps in the hour that clocks
 * skip, and repeats them in the hour that comes twice.
 */
function timesOf(text: string, zone: string, domAndDow: boolean): CronTimes {
  const pattern = new CronPattern(text);
  const options = { mode: "5-part", domAndDow } as const;
  if (pattern.hour.every(Boolean)) {
    const cron = new Cron(text, { ...options, timezone: zone });
    return { next: (after) => nextByMonth(cron, pattern, zone, after) };
  }
  const cron = new Cron(text, { ...options, timezone: "UTC" });
  return {
    next(after) {
      let wall = nextByMonth(cron, pattern, "UTC", wallTimeAt(zone, after));
      while (wall !== null) {
        const moment = momentOf(zone, wall);
        if (moment > after) return moment;
        wall = nextByMonth(cron, pattern, "UTC", wall);
      }
      return null;
    },
  };
}

/** Croner reads 31 February as 3 March and continues there, so each month is searched from its first day. */
function nextByMonth(
  cron: Cron,
  { month }: CronPattern,
  zone: string,
  after: number,
): number | null {
  const now = new Date(wallTimeAt(zone, after));
  const startOf = (monthOffset: number) =>
    Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + monthOffset, 1);
  let from = after;
  for (let monthOffset = 1; ; monthOffset++) {
    const nextRun = cron.nextRun(new Date(from));
    if (nextRun === null) return null;
    if (wallTimeAt(zone, nextRun.getTime()) < startOf(monthOffset)) return nextRun.getTime();
    while (!month[new Date(startOf(monthOffset)).getUTCMonth()]) monthOffset++;
    from = momentOf(zone, startOf(monthOffset)) - 1;
  }
}
