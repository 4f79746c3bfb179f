/** Every value of a label is a series that is kept; what comes after the first so many is counted together. */
export const maxValues = 1_000;

export function createBoundedLabel(limit = maxValues): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= limit) return "other";
    known.add(value);
    return value;
  };
}
