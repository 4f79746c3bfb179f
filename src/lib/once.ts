/** Makes a value when it is first asked for; `made` tells without making it. */
export function once<T>(make: () => T): (() => T) & { made(): boolean } {
  let value: { made: T } | undefined;
  const get = () => {
    value ??= { made: make() };
    return value.made;
  };
  return Object.assign(get, { made: () => value !== undefined });
}
