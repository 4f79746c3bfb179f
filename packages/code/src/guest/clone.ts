import type { EngineErrors } from "./host.ts";

/** `structuredClone` of a program. */
export function createClone(errors: EngineErrors) {
  const { Map, Set, Date, RegExp, Array, Object, ArrayBuffer, Promise, Error, TypeError } =
    globalThis;
  type ViewKind = new (view: ArrayBufferView) => object;

  /** Of what has no parts that have to be copied, too. */
  function leafOf(original: object): object | undefined {
    if (original instanceof Date) return new Date(original.getTime());
    if (original instanceof RegExp) return new RegExp(original.source, original.flags);
    if (original instanceof ArrayBuffer) return original.slice(0);
    if (ArrayBuffer.isView(original)) return new (original.constructor as ViewKind)(original);
    if (!(original instanceof Error)) return undefined;
    const clone = new (errors[original.name] ?? Error)(original.message);
    clone.name = original.name;
    if (original.stack !== undefined) clone.stack = original.stack;
    return clone;
  }

  return function structuredClone(value: unknown): unknown {
    const clones = new Map<object, object>();

    function keep<T extends object>(original: object, clone: T): T {
      clones.set(original, clone);
      return clone;
    }

    function copyObject(original: object): object {
      const leaf = leafOf(original);
      if (leaf !== undefined) return keep(original, leaf);
      if (original instanceof Map) {
        const clone = keep(original, new Map());
        for (const [key, element] of original) clone.set(copy(key), copy(element));
        return clone;
      }
      if (original instanceof Set) {
        const clone = keep(original, new Set());
        for (const element of original) clone.add(copy(element));
        return clone;
      }
      const clone: Record<string, unknown> = keep(
        original,
        (Array.isArray(original) ? [] : {}) as Record<string, unknown>,
      );
      for (const [key, element] of Object.entries(original)) clone[key] = copy(element);
      return clone;
    }

    function copy(original: unknown): unknown {
      if (typeof original === "function" || typeof original === "symbol")
        throw new TypeError(`A ${typeof original} cannot be cloned`);
      if (original === null || typeof original !== "object") return original;
      if (original instanceof Promise)
        throw new TypeError("A promise cannot be cloned: put 'await' before it");
      return clones.get(original) ?? copyObject(original);
    }

    return copy(value);
  };
}
