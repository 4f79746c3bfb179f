/** 1234567 as '1,234,567'. Asking the system's locales takes longer than many a command. */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3}){1,7}$)/g, ",");
}

/** '1 line', '1,200 lines'. `plural` is for irregular plurals. */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${grouped(count)} ${nounFor(count, noun, plural)}`;
}

/** The noun alone, for '3 of 20 tools'. */
export function nounFor(count: number, noun: string, plural = `${noun}s`): string {
  return count === 1 ? noun : plural;
}

/** By code units, in no language: the same order everywhere. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Exactly one full stop at the end. */
export function sentence(text: string): string {
  return /[.?!…]$/.test(text) ? text : `${text}.`;
}

/** '10:41 UTC', and with its date on any other day than `now`. */
export function momentText(iso: string, now: number = Date.now()): string {
  const [date = "", time = ""] = new Date(iso).toISOString().split("T");
  const minute = `${time.slice(0, 5)} UTC`;
  if (new Date(now).toISOString().startsWith(date)) return minute;
  return `${date} ${minute}`;
}

/** To the microsecond: more is noise. */
export function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** '1.25 USD'; of less than ten cents two digits that say something. */
export function costText({ amount, unit }: { amount: number; unit: string }): string {
  const digits = amount > 0 && amount < 0.1 ? Math.min(1 - Math.floor(Math.log10(amount)), 20) : 2;
  return `${amount.toFixed(digits)} ${unit}`;
}

const mebibyte = 1024 * 1024;

/** As people read it. */
export function sizeText(bytes: number): string {
  if (bytes >= 1024 * mebibyte) return `${Number((bytes / 1024 / mebibyte).toFixed(1))} GiB`;
  if (bytes >= mebibyte) return `${Number((bytes / mebibyte).toFixed(1))} MiB`;
  return `${Math.ceil(bytes / 1024)} KiB`;
}
