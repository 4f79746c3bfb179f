import { momentOf, momentsOf, offsetAt, wallTimeAt } from "./wall-clock.ts";

/** When something comes again: minute, hour, day of the month, month, day of the week. */
export type Cron = {
  minutes: number[];
  hours: number[];
  days: ReadonlySet<number>;
  months: ReadonlySet<number>;
  weekdays: ReadonlySet<number>;
  /** With `*` it comes in every hour that passes; else at times of the day that a clock shows. */
  everyHour: boolean;
  /** Where both days are said, one of them is enough. */
  eitherDay: boolean;
};

type Field = { name: string; from: number; to: number; words?: readonly string[] };

const fields: readonly Field[] = [
  { name: "minute", from: 0, to: 59 },
  { name: "hour", from: 0, to: 23 },
  { name: "day of the month", from: 1, to: 31 },
  {
    name: "month",
    from: 1,
    to: 12,
    words: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
  },
  { name: "day of the week", from: 0, to: 7, words: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];

const short: Record<string, string> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
};

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
/** From one 29 February to the next it can be eight years. */
const mostDays = 9 * 366;

export function parseCron(text: string): Cron | { problem: string } {
  const words = (short[text.trim().toLowerCase()] ?? text).trim().split(/\s+/);
  if (words.length !== fields.length)
    return { problem: `has ${words.length} fields instead of 5: minute hour day month weekday` };
  const read: number[][] = [];
  for (const [at, field] of fields.entries()) {
    const values = readField(words[at] ?? "", field);
    if (typeof values === "string") return { problem: values };
    read.push(values);
  }
  const [minutes = [], hours = [], days = [], months = [], weekdays = []] = read;
  return {
    minutes,
    hours,
    days: new Set(days),
    months: new Set(months),
    weekdays: new Set(weekdays.map((day) => day % 7)),
    everyHour: words[1] === "*",
    eitherDay: !words[2]?.startsWith("*") && !words[4]?.startsWith("*"),
  };
}

/** The first time after this moment; null when there is none within nine years. */
export function nextCron(cron: Cron, zone: string, after: number): number | null {
  // A day early, because a clock that is set back shows the same times again.
  let day = Math.floor(wallTimeAt(zone, after) / dayMs) * dayMs - dayMs;
  for (let count = 0; count < mostDays; count++, day += dayMs) {
    if (!isDay(cron, new Date(day))) continue;
    const found = nextOfDay(cron, zone, day, after);
    if (found !== null) return found;
  }
  return null;
}

function isDay({ days, months, weekdays, eitherDay }: Cron, date: Date): boolean {
  if (!months.has(date.getUTCMonth() + 1)) return false;
  const [inMonth, inWeek] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())];
  return eitherDay ? inMonth || inWeek : inMonth && inWeek;
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

/** The values in order, or what is wrong. */
function readField(text: string, field: Field): number[] | string {
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const found = /^(\*|[a-z0-9]+)(?:-([a-z0-9]+))?(?:\/(\d{1,2}))?$/i.exec(part);
    const [, first = "", last, step = "1"] = found ?? [];
    const from = first === "*" ? field.from : readValue(first, field);
    const open = first === "*" || (last === undefined && part.includes("/"));
    const to = last === undefined ? (open ? field.to : from) : readValue(last, field);
    const isRange = found !== null && from !== null && to !== null && from <= to && Number(step) > 0;
    if (!isRange || (first === "*" && last !== undefined))
      return `has '${part}' as its ${field.name}: give ${field.from} to ${field.to}, a list, a range or a step`;
    for (let value = from; value <= to; value += Number(step)) values.add(value);
  }
  return [...values].sort((a, b) => a - b);
}

function readValue(text: string, { from, to, words }: Field): number | null {
  const word = words?.indexOf(text.toLowerCase()) ?? -1;
  const value =
    word >= 0 ? word + (words?.length === 12 ? 1 : 0) : /^\d{1,2}$/.test(text) ? Number(text) : -1;
  return value >= from && value <= to ? value : null;
}
