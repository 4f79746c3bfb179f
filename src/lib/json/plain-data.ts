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

/** Not what every object inherits, such as `constructor`. */
export function ownField<T>(fields: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
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
  for (let index = 0; index < a.length; index++)
    if (a[index] !== b[index] && !sameJson(a[index], b[index])) return false;
  return true;
}

// No lists of keys: half the time on large catalogues.
function sameFields(a: Fields, b: Fields): boolean {
  let extraKeys = 0;
  for (const key in a) {
    const left = a[key];
    const right = b[key];
    if (left !== right && !sameJson(left, right)) return false;
    if (left === undefined && !Object.hasOwn(b, key)) return false;
    extraKeys++;
  }
  for (const _ in b) extraKeys--;
  return extraKeys === 0;
}

/** Keeps the identity of equal items, and of the list. */
export function keepSameItems(before: unknown[], listed: unknown[]): unknown[] {
  const mergedItems = listed.map((item, index) =>
    sameJson(before[index], item) ? before[index] : item,
  );
  const isSame =
    mergedItems.length === before.length &&
    mergedItems.every((item, index) => item === before[index]);
  return isSame ? before : mergedItems;
}
