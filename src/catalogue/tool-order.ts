import type { Tool } from "../model/catalogue/tool.ts";

/** Where a tool stands in a listing. A shared tool and what personas have in its place go by one name. */
export function placeOf({ name, persona }: Pick<Tool, "name" | "persona">): string {
  return persona === null ? name : `${name}\0${persona}`;
}

export function byPlace(a: Tool, b: Tool): number {
  const [left, right] = [placeOf(a), placeOf(b)];
  return left === right ? 0 : left < right ? -1 : 1;
}
