import { type DayRule, monthRule, weekRule } from "./cron-days.ts";
import { type CronField, cronFields, readCronField } from "./cron-field.ts";
import { momentOf, momentsOf, offsetAt, wallTimeAt } from "./wall-clock.ts";

/** When something comes again: minute, hour, day of the month, month, day of the week. */
export type Cron = {
  minutes: number[];
  hours: number[];
  months: ReadonlySet<number>;
  isInMonth: DayRule;
  isInWeek: DayRule;
  /** With `*` it comes in every hour that passes; else at times of the day that a clock shows. */
  everyHour: boolean;
  /** Where both days are said, one of them is enough. */
  eitherDay: boolean;
};

const short: Record<string, string> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
};

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
/** From one 29 February to the next it can be eight years. */
const maxDays = 9 * 366;

export function parseCron(text: string): Cron | { problem: string } {
  const written = text.trim();
  const known = short[written.toLowerCase()];
  if (written.startsWith("@") && known === undefined)
    return { problem: `is no time: give one of ${Object.keys(short).join(", ")}, or five fields` };
  const words = (known ?? written).split(/\s+/);
  if (words.length !== cronFields.length)
    return { problem: `has ${words.length} fields instead of 5: minute hour day month weekday` };
  const read: { values: number[]; rules: DayRule[] }[] = [];
  for (const [at, field] of cronFields.entries()) {
    const found = readWord(words[at] ?? "", field);
    if (typeof found === "string") return { problem: found };
    read.push(found);
  }
  const [minutes = nothing, hours = nothing, days = nothing, months = nothing, weekdays = nothing] = read;
  const [inMonth, inWeek] = [new Set(days.values), new Set(weekdays.values.map((day) => day % 7))];
  return {
    minutes: minutes.values,
    hours: hours.values,
    months: new Set(months.values),
    isInMonth: (date) => inMonth.has(date.getUTCDate()) || days.rules.some((isDay) => isDay(date)),
    isInWeek: (date) => inWeek.has(date.getUTCDay()) || weekdays.rules.some((isDay) => isDay(date)),
    everyHour: hours.values.length === 24,
    eitherDay: !isAny(words[2]) && !isAny(words[4]),
  };
}

const nothing = { values: [], rules: [] };

function isAny(word = ""): boolean {
  return /^[*?]/.test(word);
}

/** Its values, and what only a calendar knows. */
function readWord(word: string, field: CronField): { values: number[]; rules: DayRule[] } | string {
  const ruleOf = { "day of the month": monthRule, "day of the week": weekRule }[field.name];
  const rules: DayRule[] = [];
  const plain = (ruleOf !== undefined && word === "?" ? "*" : word).split(",").filter((part) => {
    const rule = ruleOf?.(part, field) ?? null;
    if (rule !== null) rules.push(rule);
    return rule === null;
  });
  const values = readCronField(plain, field);
  return typeof values === "string" ? values : { values, rules };
}

/** The first time after this moment; null when there is none within nine years. */
export function nextCron(cron: Cron, zone: string, after: number): number | null {
  // A day early, because a clock that is set back shows the same times again.
  let day = Math.floor(wallTimeAt(zone, after) / dayMs) * dayMs - dayMs;
  for (let count = 0; count < maxDays; count++, day += dayMs) {
    if (!isDay(cron, new Date(day))) continue;
    const found = nextOfDay(cron, zone, day, after);
    if (found !== null) return found;
  }
  return null;
}

function isDay({ isInMonth, months, isInWeek, eitherDay }: Cron, date: Date): boolean {
  if (!months.has(date.getUTCMonth() + 1)) return false;
  return eitherDay ? isInMonth(date) || isInWeek(date) : isInMonth(date) && isInWeek(date);
}

function nextOfDay(cron: Cron, zone: string, day: number, after: number): number | null {
  const offset = offsetAt(zone, day - hourMs * 14);
  const isPlain = offset === offsetAt(zone, day + dayMs + hourMs * 14);
  if (isPlain) {
    if (day - offset + dayMs <= after) return null;
    for (const hour of cron.hours) {
      const start = day + hour * hourMs - offset;
      if (start + hourMs <= after) continue;
      for (const minute of cron.minutes)
        if (start + minute * minuteMs > after) return start + minute * minuteMs;
    }
    return null;
  }
  const walls = cron.hours.flatMap((hour) =>
    cron.minutes.map((minute) => day + hour * hourMs + minute * minuteMs),
  );
  const moments = walls.flatMap((wall) => (cron.everyHour ? momentsOf(zone, wall) : [momentOf(zone, wall)]));
  const later = moments.filter((at) => at > after);
  return later.length === 0 ? null : Math.min(...later);
}
