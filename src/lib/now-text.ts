let known = { second: Number.NaN, text: "" };

/** The time as ISO 8601. All but the milliseconds is written once a second. */
export function nowText(): string {
  const at = Date.now();
  const second = Math.floor(at / 1_000);
  if (second !== known.second) known = { second, text: new Date(second * 1_000).toISOString().slice(0, -4) };
  return `${known.text}${String(at - second * 1_000).padStart(3, "0")}Z`;
}
