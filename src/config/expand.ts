const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Replaces `${NAME}` and `${NAME:-default}` once; what a value holds is not expanded again. */
export function expandText(text: string, environment: Environment, onUnset: (name: string) => void): string {
  return text.replaceAll(reference, (whole, name: string, fallback: string | undefined) => {
    const value = environment[name];
    if (value !== undefined && (value !== "" || fallback === undefined)) return value;
    if (fallback !== undefined) return fallback;
    onUnset(name);
    return whole;
  });
}

/** Expands every string in a value. `onUnset` hears the variable and where it is used. */
export function expandAll(
  value: unknown,
  environment: Environment,
  onUnset: (name: string, path: readonly (string | number)[]) => void,
  path: readonly (string | number)[] = [],
): unknown {
  if (typeof value === "string") return expandText(value, environment, (name) => onUnset(name, path));
  if (Array.isArray(value)) {
    return value.map((item, at) => expandAll(item, environment, onUnset, [...path, at]));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      expandAll(inner, environment, onUnset, [...path, key]),
    ]),
  );
}
