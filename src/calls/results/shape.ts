import { countOf } from "../../lib/count-of.ts";
import type { Json } from "../../model/json.ts";
import type { ResultShape } from "../../model/stored-result.ts";
import type { Body } from "./body.ts";
import { readTable } from "./read-table.ts";

const deepest = 3;
const maxKeys = 30;
/** So many entries of a list are looked at to say what it is a list of. */
const looked = 100;

/** What it is, so that the right part can be asked for. */
export function shapeOf({ text, json }: Body): ResultShape {
  if (json !== undefined) return { kind: "json", value: describe(json, deepest) };
  const table = readTable(text);
  if (table) return { kind: "table", ...table };
  return { kind: "text", lines: countLines(text), characters: text.length };
}

function describe(value: Json, depth: number): Json {
  if (Array.isArray(value)) return depth === 0 ? `list of ${value.length}` : describeList(value, depth);
  if (typeof value !== "object" || value === null) return typeOf(value);
  const keys = Object.keys(value);
  if (depth === 0) return `object with ${countOf(keys.length, "key")}`;
  const shown = keys.slice(0, maxKeys).map((key) => [key, describe(value[key] as Json, depth - 1)]);
  if (keys.length > maxKeys) shown.push(["…", countOf(keys.length - maxKeys, "more key")]);
  return Object.fromEntries(shown) as Json;
}

function describeList(list: Json[], depth: number): Json {
  const types = [...new Set(list.slice(0, looked).map(typeOf))];
  const [first] = list;
  const of = types.length === 1 && first !== undefined ? describe(first, depth - 1) : types.join(" or ");
  return list.length === 0 ? "list of 0" : { length: list.length, each: of };
}

function typeOf(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}

function countLines(text: string): number {
  if (text === "") return 0;
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return text.endsWith("\n") ? lines - 1 : lines;
}
