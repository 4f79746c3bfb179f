import { isRecord } from "./schema-words.ts";

/** A copy with a value at a place. Undefined, and the sign by which the forms' library removes a name, take it out. */
export function setAt(whole: unknown, path: readonly (string | number)[], value: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  if (typeof first === "number") {
    const list: unknown[] = Array.isArray(whole) ? [...whole] : [];
    // An item stays in its place, with nothing in it.
    for (let at = list.length; at < first; at += 1) list.push(null);
    list[first] = setAt(list[first], rest, value) ?? null;
    return list;
  }
  const { [first]: before, ...others } = isRecord(whole) ? whole : {};
  const next = setAt(before, rest, value);
  if (next === undefined || typeof next === "symbol") return others;
  // Names keep their order.
  return before === undefined
    ? { ...others, [first]: next }
    : { ...(whole as object), [first]: next };
}
