/** A number with its noun: '1 line', '2 lines', '1,200 lines'. `many` is for nouns that do not end with an s. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en-US")} ${nounFor(count, one, many)}`;
}

/** The noun alone, for '3 of 20 tools'. */
export function nounFor(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? one : many;
}

/** Ends with one full stop, whatever it ended with. */
export function sentence(text: string): string {
  return /[.?!…]$/.test(text) ? text : `${text}.`;
}

/** Milliseconds to the microsecond: more than a clock knows is noise. */
export function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
