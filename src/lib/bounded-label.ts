/** Every value of a label is a series that is kept; what comes after the first so many is counted together. */
export const maxValues = 1_000;

export function createBoundedLabel(limit = maxValues): (value: string) => string {
  const keptValues = new Set<string>();
  return (value) => {
    if (keptValues.has(value)) return value;
    if (keptValues.size >= limit) return "other";
    keptValues.add(value);
    return value;
  };
}
