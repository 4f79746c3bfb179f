import { isObject, type Path } from "../../model/json.ts";
import type { Reading } from "./reading.ts";

/** How far a value is taken apart: an empty tree is a value passed on whole, `*` stands for any name. */
export type Tree = { readonly [key: string]: Tree };

/** A tree that has exactly the keys of a type, so that neither can gain one alone. */
export type TreeOf<T> = { readonly [K in keyof T]-?: Tree };

export const whole: Tree = {};

export function named(tree: Tree): Tree {
  return { "*": tree };
}

/** Sets every value of the tree in its place; keys that are not in it are told. */
export function readTree(reading: Reading, tree: Tree, value: unknown, path: Path, source: Path): void {
  if (!isObject(value) || Object.keys(tree).length === 0) return reading.set(path, value, source);
  const anyName = tree["*"];
  for (const [key, inner] of Object.entries(value)) {
    const [to, from] = [
      [...path, key],
      [...source, key],
    ];
    const subtree = Object.hasOwn(tree, key) ? tree[key] : undefined;
    if (anyName) reading.define(to, from, () => readTree(reading, anyName, inner, to, from));
    else if (subtree) readTree(reading, subtree, inner, to, from);
    else reading.warnUnknownKey(from, Object.keys(tree));
  }
}
