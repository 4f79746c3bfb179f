import { Cron, CronDate } from "croner";

/*
 * What clocks show in a time zone. A wall time is kept as the moment at which a clock in UTC shows the same, so that
 * days and months can be counted without the zone.
 */
const dayMs = 86_400_000;

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/** What a clock in the zone shows at this moment. */
export function wallTimeAt(zone: string, at: number): number {
  if (zone === "UTC") return at;
  const { year, month, day, hour, minute, second } = new CronDate(new Date(at), zone);
  return Date.UTC(year, month, day, hour, minute, second) + millisecondsOf(at);
}

/** The first moment at which the clock shows this, or, where it never does, the one at which it has jumped over it. */
export function momentOf(zone: string, wall: number): number {
  if (zone === "UTC") return wall;
  const date = new Date(wall);
  const year = date.getUTCFullYear();
  // Croner takes years below 100 for those of the last century and ends with 9999.
  if (year < 100 || year > 9_999) return wall;
  const time = [date.getUTCSeconds(), date.getUTCMinutes(), date.getUTCHours()];
  const once = [...time, date.getUTCDate(), date.getUTCMonth() + 1, "*", year].join(" ");
  const found = new Cron(once, { timezone: zone, mode: "7-part" }).nextRun(new Date(wall - 2 * dayMs));
  return found === null ? wall : found.getTime() + millisecondsOf(wall);
}

/** A date is the beginning of that day; without an offset it is what a clock in the zone shows. Null when it is neither. */
export function readMoment(text: string, zone: string): { at: number; isDate: boolean } | null {
  const parts = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text);
  if (parts === null) return null;
  const [, date = "", time, offset] = parts;
  const wall = Date.parse(`${date}T${time ?? "00:00"}${offset ?? "Z"}`);
  const day = Date.parse(`${date}T00:00Z`);
  // 30 February is taken for 2 March by the parser.
  if (Number.isNaN(wall) || Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== date) return null;
  return { at: offset === undefined ? momentOf(zone, wall) : wall, isDate: time === undefined };
}

function millisecondsOf(at: number): number {
  return at - Math.floor(at / 1_000) * 1_000;
}
