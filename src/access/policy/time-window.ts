import type { TimeWindow } from "../../model/policy.ts";

const weekdays: readonly string[] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const dayMinutes = 24 * 60;

/** Tells whether a moment lies in the window. */
export function createTimeTest({ from, to, days, timezone }: TimeWindow): (now: Date) => boolean {
  const start = minutesOf(from);
  const end = minutesOf(to);
  const length = (end - start + dayMinutes) % dayMinutes || dayMinutes;
  const clock = new Intl.DateTimeFormat("en-GB", {
    timeZone: timezone,
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  return (now) => {
    const { weekday, minutes } = readClock(clock, now);
    const passed = (minutes - start + dayMinutes) % dayMinutes;
    if (passed >= length) return false;
    // After midnight it is still the window of the day before.
    const begun = minutes < start ? (weekday + 6) % 7 : weekday;
    return days === undefined || days.some((day) => day === weekdays[begun]);
  };
}

function minutesOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(":").map(Number);
  return hours * 60 + minutes;
}

function readClock(clock: Intl.DateTimeFormat, now: Date): { weekday: number; minutes: number } {
  const parts = Object.fromEntries(clock.formatToParts(now).map(({ type, value }) => [type, value]));
  const weekday = weekdays.indexOf(String(parts.weekday).slice(0, 3).toLowerCase());
  return { weekday, minutes: minutesOf(`${parts.hour}:${parts.minute}`) };
}
