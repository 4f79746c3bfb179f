import { listOrEmpty, objectOrEmpty } from "../../../../src/model/json.ts";

/** A copy with a value at a place. Undefined, and the sign by which the forms' library removes a name, take it out. */
export function setAt(
  holder: unknown,
  path: readonly (string | number)[],
  value: unknown,
): unknown {
  const [first, ...innerPath] = path;
  if (first === undefined) return value;
  if (typeof first === "number") {
    const list = [...listOrEmpty(holder)];
    // An item stays in its place, with nothing in it.
    for (let index = list.length; index < first; index += 1) list.push(null);
    list[first] = setAt(list[first], innerPath, value) ?? null;
    return list;
  }
  const { [first]: valueBefore, ...siblings } = objectOrEmpty(holder);
  const nextValue = setAt(valueBefore, innerPath, value);
  if (nextValue === undefined || typeof nextValue === "symbol") return siblings;
  // Names keep their order.
  if (valueBefore === undefined) return { ...siblings, [first]: nextValue };
  return { ...(holder as object), [first]: nextValue };
}
