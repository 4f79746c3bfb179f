/**
 * An object whose fields are set one after another and read when they are used, so that what is made early may use what is
 * made later. Reading a field too early is a defect, and the error names it.
 */
export function madeInOrder<T extends object>(names: readonly (keyof T & string)[]): T {
  const target = {} as T;
  for (const name of names)
    Object.defineProperty(target, name, {
      configurable: true,
      enumerable: true,
      get() {
        throw new Error(`'${name}' is used before it is made`);
      },
      set(value) {
        Object.defineProperty(target, name, { value, enumerable: true });
      },
    });
  return target;
}
