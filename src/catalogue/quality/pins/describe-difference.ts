import { isObject } from "../../../model/json.ts";
import type { DefinitionDifference } from "../../../model/pin.ts";
import { makeVisible } from "../poisoning/make-visible.ts";

/** Where two definitions differ, each place with what stood and what stands there. */
export function describeDifference(before: unknown, after: unknown): DefinitionDifference[] {
  const [old, now] = [before, after].map((value) => new Map(leavesOf(value, "", 0)));
  const places = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...places]
    .filter((where) => old?.get(where) !== now?.get(where))
    .map((where) => ({ where, before: old?.get(where) ?? null, after: now?.get(where) ?? null }));
}

const deepest = 64;

function leavesOf(value: unknown, where: string, depth: number): [where: string, text: string][] {
  if (value === undefined) return [];
  const inner = depth > deepest ? [] : Array.isArray(value) ? [...value.entries()] : entriesOf(value);
  if (inner.length === 0) return [[where, makeVisible(JSON.stringify(value) ?? "null")]];
  return inner.flatMap(([key, item]) =>
    leavesOf(item, `${where}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`, depth + 1),
  );
}

/** In their order by name: another order is no difference. */
function entriesOf(value: unknown): [key: string, item: unknown][] {
  return isObject(value) ? Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)) : [];
}
