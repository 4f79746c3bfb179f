import { isObject, type Path } from "../../model/json.ts";

/** What stands at the end of a path through objects. */
export function valueAt(data: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), data);
}
