import type { Recurrence } from "../../../../src/model/work/job.ts";

const units = { hourly: "hour", daily: "day", weekly: "week", monthly: "month" };

/** A schedule in words, or as cron. */
export function renderRecurrence(recurrence: Recurrence | undefined): string {
  if (recurrence === undefined) return "on request";
  const { cron, frequency, interval = 1, timezone } = recurrence;
  if (cron !== undefined) return `${renderCron(cron) ?? cron} (${timezone})`;
  if (frequency === undefined) return "on request";
  return interval === 1 ? `every ${units[frequency]}` : `every ${interval} ${units[frequency]}s`;
}

/** Common patterns; null for others. */
function renderCron(cron: string): string | null {
  const [minute = "", hour = "", day, month, weekday = "", ...furtherFields] = cron
    .trim()
    .split(/\s+/);
  if (furtherFields.length > 0 || day !== "*" || month !== "*") return null;
  const [, minuteStep] = /^\*\/(\d+)$/.exec(minute) ?? [];
  if (hour === "*" && weekday === "*") {
    if (minuteStep !== undefined)
      return minuteStep === "1" ? "every minute" : `every ${minuteStep} minutes`;
    if (minute === "*") return "every minute";
    return /^\d+$/.test(minute) ? `every hour at :${minute.padStart(2, "0")}` : null;
  }
  if (!/^\d+$/.test(minute) || !/^\d+$/.test(hour)) return null;
  const time = `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  if (weekday === "*") return `every day at ${time}`;
  const days = renderDays(weekday);
  return days === null ? null : `${days} at ${time}`;
}

const days = [
  "Sunday",
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday",
  "Sunday",
];

function renderDays(weekday: string): string | null {
  const ranges = weekday.split(",").map((part) => part.split("-").map(nameOf));
  if (ranges.some((part) => part.length > 2 || part.includes(undefined))) return null;
  return ranges.map((part) => part.join(" to ")).join(", ");
}

function nameOf(day: string): string | undefined {
  if (/^[0-7]$/.test(day)) return days[Number(day)];
  return days.find((name) => name.slice(0, 3).toLowerCase() === day.toLowerCase());
}
