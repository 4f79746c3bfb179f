/** '1 line', '1,200 lines'. `many` is for irregular plurals. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en-US")} ${nounFor(count, one, many)}`;
}

/** The noun alone, for '3 of 20 tools'. */
export function nounFor(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? one : many;
}

/** Exactly one full stop at the end. */
export function sentence(text: string): string {
  return /[.?!…]$/.test(text) ? text : `${text}.`;
}

/** To the microsecond: more is noise. */
export function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
