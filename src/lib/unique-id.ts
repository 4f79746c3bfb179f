/** Sorts by time and does not repeat. Not a secret: whoever guesses one gains nothing by it. */
export function uniqueId(): string {
  const random = () => Math.random().toString(36).slice(2, 10).padEnd(8, "0");
  return `${Date.now().toString(36).padStart(9, "0")}-${random()}${random()}`;
}
