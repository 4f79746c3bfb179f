import { type CronField, readCronValue } from "./cron-field.ts";

/** Days that are no numbers: which they are depends on the month. Dates are those of a calendar, in UTC. */
export type DayRule = (date: Date) => boolean;

/** `L`, `15W` and `LW` in a month: its last day, the working day nearest to one, its last working day. */
export function monthRule(part: string): DayRule | null {
  const found = /^(?:(L)|(\d{1,2}|L)W)$/i.exec(part);
  if (found === null) return null;
  const [, last, near = ""] = found;
  if (last !== undefined) return (date) => date.getUTCDate() === lastDay(date);
  if (near.toUpperCase() === "L") return (date) => date.getUTCDate() === workingDayAt(date, lastDay(date));
  const day = Number(near);
  if (day < 1 || day > 31) return null;
  return (date) => day <= lastDay(date) && date.getUTCDate() === workingDayAt(date, day);
}

/** `fri#2` and `friL` in a week: the second Friday of a month, and its last. */
export function weekRule(part: string, field: CronField): DayRule | null {
  const found = /^([a-z0-9]+?)(?:#([1-5])|(L))$/i.exec(part);
  const weekday = found === null ? null : readCronValue(found[1] ?? "", field);
  if (found === null || weekday === null) return null;
  const nth = Number(found[2] ?? 0);
  return (date) => {
    const day = date.getUTCDate();
    if (date.getUTCDay() !== weekday % 7) return false;
    return nth === 0 ? day + 7 > lastDay(date) : Math.ceil(day / 7) === nth;
  };
}

/** Monday to Friday, as near as it gets without leaving the month. */
function workingDayAt(date: Date, day: number): number {
  const weekday = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), day)).getUTCDay();
  if (weekday === 6) return day === 1 ? 3 : day - 1;
  if (weekday === 0) return day === lastDay(date) ? day - 2 : day + 1;
  return day;
}

function lastDay(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}
