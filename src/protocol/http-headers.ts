import { isRawJSON } from "../lib/json/exact-numbers.ts";
import { valueAtPath } from "../lib/text/fill-references.ts";
import { isObject, objectOrEmpty, type UnknownObject } from "../model/json.ts";

const plainPattern = /^(?!=\?base64\?)[!-~](?:[ -~]*[!-~])?$/;

/** Plain, or marked and in base64. */
export function encodeHeaderValue(value: string): string {
  if (plainPattern.test(value)) return value;
  return `=?base64?${Buffer.from(value, "utf8").toString("base64")}?=`;
}

const encodedPattern = /^=\?base64\?(.*)\?=$/;
const base64Pattern = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Null when it is marked as base64 and is none. */
export function decodeHeaderValue(value: string): string | null {
  const [, text] = encodedPattern.exec(value) ?? [];
  if (text === undefined) return value;
  if (!base64Pattern.test(text)) return null;
  return Buffer.from(text, "base64").toString("utf8");
}

const headerNamePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
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
    isReachable: boolean,
  ): string | undefined => {
    if (Array.isArray(node)) return firstOf(node, (item) => visit(item, path, false));
    if (!isObject(node)) return undefined;
    if (keyword in node) {
      const problem = problemOf(node, path, isReachable, mirrored);
      if (problem !== undefined) return problem;
      mirrored.push({ path, header: String(node[keyword]) });
    }
    const properties = Object.entries(objectOrEmpty(node.properties));
    return (
      firstOf(properties, ([name, child]) => visit(child, [...path, name], isReachable)) ??
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
    const problem = find(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** A schema is read once, not with every call. */
const headersOfSchema = new WeakMap<object, Mirrored[]>();

function mirroredArguments(schema: unknown): Mirrored[] {
  if (!isObject(schema)) return [];
  const mirrored = headersOfSchema.get(schema) ?? readParamHeaders(schema).mirrored;
  headersOfSchema.set(schema, mirrored);
  return mirrored;
}

function problemOf(
  node: UnknownObject,
  path: readonly string[],
  isReachable: boolean,
  earlierHeaders: readonly Mirrored[],
): string | undefined {
  const header = node[keyword];
  const location = `'${keyword}' of '${path.join(".")}'`;
  if (!isReachable || path.length === 0) return `${location} is not on a plain property`;
  if (typeof header !== "string" || !headerNamePattern.test(header))
    return `${location} is not the name of a header`;
  if (!["string", "integer", "boolean"].includes(String(node.type)))
    return `${location} is not on a text, whole number or boolean`;
  if (earlierHeaders.some((earlier) => earlier.header.toLowerCase() === header.toLowerCase()))
    return `${location} names a header that another argument has`;
  return undefined;
}

export function hasParamHeaders(schema: unknown): boolean {
  return mirroredArguments(schema).length > 0;
}

export function paramHeaders(schema: unknown, args: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of mirroredArguments(schema)) {
    const value = valueAtPath(args, path);
    // An exact number is ASCII, which needs no encoding.
    if (isRawJSON(value)) headers[`Mcp-Param-${header}`] = JSON.stringify(value);
    else if (value !== undefined && value !== null && typeof value !== "object")
      headers[`Mcp-Param-${header}`] = encodeHeaderValue(String(value));
  }
  return headers;
}
