type Verb = (...given: never[]) => Promise<unknown>;

/** Functions of a value that is loaded on the first call. */
export function lazyVerbs<T extends { [Name in K]: Verb }, K extends keyof T & string>(
  load: () => Promise<T>,
  names: readonly K[],
): Pick<T, K> {
  const call =
    (name: K) =>
    async (...given: never[]) =>
      (await load())[name](...given);
  return Object.fromEntries(names.map((name) => [name, call(name)])) as Pick<T, K>;
}
