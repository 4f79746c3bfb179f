const random = (): string => Math.random().toString(36).slice(2, 10).padEnd(8, "0");

/** A random start per process, and a counter. */
const own = random();
let made = Math.floor(Math.random() * 36 ** 6);

let stamp = { at: Number.NaN, text: "" };

/** No id of this moment or later sorts before it. */
export function firstIdOf(ms: number): string {
  return Math.min(Math.max(0, Math.floor(ms)), 36 ** 9 - 1)
    .toString(36)
    .padStart(9, "0");
}

/** Sorts by time, unique, no secret. */
export function uniqueId(): string {
  made += 1;
  const at = Date.now();
  if (at !== stamp.at) stamp = { at, text: `${firstIdOf(at)}-${own}` };
  return stamp.text + made.toString(36).padStart(8, "0");
}

let known = { second: Number.NaN, text: "" };

/** All but the milliseconds is written once a second. */
export function nowText(): string {
  const at = Date.now();
  const second = Math.floor(at / 1_000);
  if (second !== known.second)
    known = { second, text: new Date(second * 1_000).toISOString().slice(0, -4) };
  return `${known.text}${String(at - second * 1_000).padStart(3, "0")}Z`;
}
