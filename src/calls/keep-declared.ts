import { foldName } from "../lib/fold-name.ts";
import { isObject, type JsonObject, type UnknownObject } from "../model/json.ts";
import type { Tool } from "../model/tool.ts";

/** Undeclared arguments are left out, unless the schema welcomes them or declares none at all. */
export function keepDeclared(tool: Tool, args: JsonObject): { kept: JsonObject; dropped: string[] } {
  const keeps = keeperOf(tool);
  const names = Object.keys(args);
  if (names.every(keeps)) return { kept: args, dropped: [] };
  return {
    kept: Object.fromEntries(Object.entries(args).filter(([name]) => keeps(name))),
    dropped: names.filter((name) => !keeps(name)),
  };
}

type Keeps = (name: string) => boolean;

/** Found out once for each tool of a snapshot. */
const keepers = new WeakMap<Tool, Keeps>();

function keeperOf(tool: Tool): Keeps {
  const known = keepers.get(tool);
  if (known) return known;
  const { names, patterns, open } = declaredBy(tool.parameters);
  const welcomesAll = open || (isSilent(tool.parameters) && names.size === 0 && tool.injects.length === 0);
  const isDeclared = (name: string) => names.has(name) || patterns.some((pattern) => pattern.test(name));
  const taken = new Set(tool.reserved.map(foldName));
  // No server that is careless about spelling is to take one name for the other.
  const isForged = (name: string) =>
    tool.reserved.includes(name) || (!names.has(name) && (taken.has(foldName(name)) || name === "__proto__"));
  const keeps = (name: string) => !isForged(name) && (welcomesAll || isDeclared(name));
  keepers.set(tool, keeps);
  return keeps;
}

function isSilent({ additionalProperties, patternProperties }: UnknownObject): boolean {
  return additionalProperties === undefined && patternProperties === undefined;
}

type Declared = { names: Set<string>; patterns: RegExp[]; open: boolean };

/** What a schema and the schemas it is put together from declare. One that refers elsewhere may declare anything. */
function declaredBy(schema: UnknownObject): Declared {
  const parts = [schema.allOf, schema.anyOf, schema.oneOf, [schema.if, schema.then, schema.else]]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .filter(isObject)
    .map(declaredBy);
  const { properties, patternProperties, additionalProperties } = schema;
  return {
    names: new Set([...keysOf(properties), ...parts.flatMap(({ names }) => [...names])]),
    patterns: [...keysOf(patternProperties).flatMap(compile), ...parts.flatMap(({ patterns }) => patterns)],
    open:
      additionalProperties === true ||
      isObject(additionalProperties) ||
      typeof schema.$ref === "string" ||
      parts.some(({ open }) => open),
  };
}

function keysOf(value: unknown): string[] {
  return isObject(value) ? Object.keys(value) : [];
}

function compile(pattern: string): RegExp[] {
  try {
    return [new RegExp(pattern)];
  } catch {
    return [];
  }
}
