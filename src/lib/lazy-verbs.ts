type Verb = (...given: never[]) => Promise<unknown>;

/** Functions of a value that is loaded on the first call, by the names they have outside and inside. */
export function lazyVerbs<
  T extends { [Name in M[keyof M]]: Verb },
  const M extends Readonly<Record<string, keyof T & string>>,
>(load: () => Promise<T>, names: M): { [Outside in keyof M]: T[M[Outside]] } {
  const call =
    (inside: M[keyof M]) =>
    async (...given: never[]) =>
      (await load())[inside](...given);
  const verbs = Object.entries(names).map(([outside, inside]) => [outside, call(inside as M[keyof M])]);
  return Object.fromEntries(verbs) as { [Outside in keyof M]: T[M[Outside]] };
}

type Joined<T> = (T extends unknown ? (part: T) => void : never) extends (all: infer All) => void ? All : never;

/** One object of several, whose namespaces (`jobs`, `tools` …) are joined where they have one in common. */
export function joinNamespaces<T extends object[]>(...parts: T): Joined<T[number]> {
  const joined: Record<string, unknown> = {};
  for (const [name, given] of parts.flatMap((part) => Object.entries(part) as [string, unknown][]))
    joined[name] = typeof given === "object" ? { ...(joined[name] as object), ...given } : given;
  return joined as Joined<T[number]>;
}
