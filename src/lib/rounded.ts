/** Milliseconds to the microsecond: more than a clock knows is noise. */
export function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
