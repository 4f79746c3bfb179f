const random = (): string => Math.random().toString(36).slice(2, 10).padEnd(8, "0");

/** A random start per process, and a counter. */
const processPart = random();
let counter = Math.floor(Math.random() * 36 ** 6);

let stamp = { at: Number.NaN, text: "" };

/** No id of this moment or later sorts before it. */
export function firstIdOf(ms: number): string {
  return Math.min(Math.max(0, Math.floor(ms)), 36 ** 9 - 1)
    .toString(36)
    .padStart(9, "0");
}

/** Sorts by time, unique, no secret. */
export function uniqueId(): string {
  counter += 1;
  const now = Date.now();
  if (now !== stamp.at) stamp = { at: now, text: `${firstIdOf(now)}-${processPart}` };
  return stamp.text + counter.toString(36).padStart(8, "0");
}

let writtenSecond = { second: Number.NaN, text: "" };

/** All but the milliseconds is written once a second. */
export function nowText(): string {
  const now = Date.now();
  const second = Math.floor(now / 1_000);
  if (second !== writtenSecond.second)
    writtenSecond = { second, text: new Date(second * 1_000).toISOString().slice(0, -4) };
  return `${writtenSecond.text}${String(now - second * 1_000).padStart(3, "0")}Z`;
}
