/** Milliseconds as of the wall clock when the process started; a changed clock does not move them. */
export function steadyNow(): number {
  return Math.round(performance.timeOrigin + performance.now());
}

/** Smaller differences are rounding and slow correction. */
const notableMs = 1_000;
let shiftMs = 0;

/** A steady moment as the wall clock shows it now. */
export function wallTime(steadyMs: number): string {
  const currentShiftMs = Date.now() - steadyNow();
  if (Math.abs(currentShiftMs - shiftMs) > notableMs) shiftMs = currentShiftMs;
  return new Date(steadyMs + shiftMs).toISOString();
}
