type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** What is there, for whoever tells a missing field from an undefined one. */
export function withoutUndefined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
