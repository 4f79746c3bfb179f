import { isRawJSON } from "../lib/json/exact-numbers.ts";
import { valueAtPath } from "../lib/text/fill-references.ts";
import { isObject, type UnknownObject } from "../model/json.ts";

const plain = /^(?!=\?base64\?)[!-~](?:[ -~]*[!-~])?$/;

/** Plain, or marked and in base64. */
export function encodeHeaderValue(value: string): string {
  return plain.test(value) ? value : `=?base64?${Buffer.from(value, "utf8").toString("base64")}?=`;
}

const encoded = /^=\?base64\?(.*)\?=$/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Null when it is marked as base64 and is none. */
export function decodeHeaderValue(value: string): string | null {
  const [, text] = encoded.exec(value) ?? [];
  if (text === undefined) return value;
  return base64.test(text) ? Buffer.from(text, "base64").toString("utf8") : null;
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const keyword = "x-mcp-header";

type Mirrored = { path: readonly string[]; header: string };

/** Arguments that a tool wants as HTTP headers, or the problem. */
export function readParamHeaders(schema: unknown): {
  mirrored: Mirrored[];
  problem: string | null;
} {
  const mirrored: Mirrored[] = [];
  const visit = (
    node: unknown,
    path: readonly string[],
    reachable: boolean,
  ): string | undefined => {
    if (Array.isArray(node)) return firstOf(node, (item) => visit(item, path, false));
    if (!isObject(node)) return undefined;
    if (keyword in node) {
      const problem = refuse(node, path, reachable, mirrored);
      if (problem !== undefined) return problem;
      mirrored.push({ path, header: String(node[keyword]) });
    }
    const properties = isObject(node.properties) ? Object.entries(node.properties) : [];
    return (
      firstOf(properties, ([name, child]) => visit(child, [...path, name], reachable)) ??
      firstOf(Object.entries(node), ([key, child]) =>
        key === "properties" || notSchemas.has(key) ? undefined : visit(child, path, false),
      )
    );
  };
  const problem = visit(schema, [], true) ?? null;
  return { mirrored: problem === null ? mirrored : [], problem };
}

/** Keywords whose value is data. */
const notSchemas = new Set([
  "default",
  "examples",
  "example",
  "enum",
  "const",
  "required",
  keyword,
]);

function firstOf<T>(
  items: readonly T[],
  find: (item: T) => string | undefined,
): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A schema is read once, not with every call. */
const known = new WeakMap<object, Mirrored[]>();

function mirroredIn(schema: unknown): Mirrored[] {
  if (!isObject(schema)) return [];
  const mirrored = known.get(schema) ?? readParamHeaders(schema).mirrored;
  known.set(schema, mirrored);
  return mirrored;
}

function refuse(
  node: UnknownObject,
  path: readonly string[],
  reachable: boolean,
  others: readonly Mirrored[],
): string | undefined {
  const header = node[keyword];
  const where = `'${keyword}' of '${path.join(".")}'`;
  if (!reachable || path.length === 0) return `${where} is not on a plain property`;
  if (typeof header !== "string" || !token.test(header))
    return `${where} is not the name of a header`;
  if (!["string", "integer", "boolean"].includes(String(node.type)))
    return `${where} is not on a text, whole number or boolean`;
  if (others.some((other) => other.header.toLowerCase() === header.toLowerCase()))
    return `${where} names a header that another argument has`;
  return undefined;
}

export function hasParamHeaders(schema: unknown): boolean {
  return mirroredIn(schema).length > 0;
}

export function paramHeaders(schema: unknown, args: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of mirroredIn(schema)) {
    const value = valueAtPath(args, path);
    if (isRawJSON(value)) headers[`Mcp-Param-${header}`] = JSON.stringify(value);
    else if (value !== undefined && value !== null && typeof value !== "object")
      headers[`Mcp-Param-${header}`] = encodeHeaderValue(String(value));
  }
  return headers;
}
