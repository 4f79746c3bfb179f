import type { Path } from "../../model/json.ts";
import type { ConfigDocument } from "../setting.ts";

/** More than anyone nests by hand, and less than any walk over the data can overflow on. */
export const maxLevels = 200;

/** A value with the place it was read from; inside an object that is the place of its key. */
export type Place =
  | { offset: number; kind: "scalar"; value: unknown }
  | { offset: number; kind: "list" | "object"; inside: Map<string | number, Place> };

export type Container = Extract<Place, { inside: unknown }>;

export function toDocument(file: string, root: Place, lineAt: (offset: number) => number): ConfigDocument {
  return { file, data: toData(root), lineOf: (path) => lineAt(nearestPlace(root, path).offset) };
}

function nearestPlace(root: Place, path: Path): Place {
  let place = root;
  for (const part of path) {
    const next = place.kind === "scalar" ? undefined : place.inside.get(part);
    if (next === undefined) return place;
    place = next;
  }
  return place;
}

/** Objects without a prototype: a key named `__proto__` is just a key. */
export function toData(place: Place): unknown {
  if (place.kind === "scalar") return place.value;
  if (place.kind === "list") return [...place.inside.values()].map(toData);
  const result: { [key: string]: unknown } = Object.create(null);
  for (const [key, inner] of place.inside) result[key] = toData(inner);
  return result;
}
