type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

export function withoutUndefined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<T>;
}

export function hasMembers(value: object): boolean {
  for (const _ in value) return true;
  return false;
}

/** Deep and in place. A frozen part counts as frozen all through. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}

/** Ignores the order of keys; an undefined member counts. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b))
    return Array.isArray(a) && Array.isArray(b) && sameItems(a, b);
  return sameFields(a as Fields, b as Fields);
}

type Fields = Readonly<Record<string, unknown>>;

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++)
    if (a[at] !== b[at] && !sameJson(a[at], b[at])) return false;
  return true;
}

// No lists of keys: half the time on large catalogues.
function sameFields(a: Fields, b: Fields): boolean {
  let more = 0;
  for (const key in a) {
    const left = a[key];
    const right = b[key];
    if (left !== right && !sameJson(left, right)) return false;
    if (left === undefined && !Object.hasOwn(b, key)) return false;
    more++;
  }
  for (const _ in b) more--;
  return more === 0;
}

/** Keeps the identity of equal items, and of the list. */
export function keepSameItems(before: unknown[], listed: unknown[]): unknown[] {
  const kept = listed.map((item, at) => (sameJson(before[at], item) ? before[at] : item));
  const isSame = kept.length === before.length && kept.every((item, at) => item === before[at]);
  return isSame ? before : kept;
}
