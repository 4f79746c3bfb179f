import { setImmediate as nextTurn } from "node:timers/promises";
import { ownField } from "../../lib/json/plain-data.ts";
import { sliceText } from "../../lib/text/cut-text.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { ToolResult } from "../../model/calls/result.ts";
import type { ResultPage } from "../../model/calls/result-schema.ts";
import { pageLimits, type ResultQuery } from "../../model/calls/stored-result.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Json } from "../../model/json.ts";
import { unescapePointer } from "../providers/mapping.ts";
import { bodyOf, jsonOf } from "./condense.ts";

const resultRoot = "$result";

/** Into the result as it came, not into its content. */
function isIntoResult(path: string): boolean {
  return (
    path === resultRoot || path.startsWith(`${resultRoot}.`) || path.startsWith(`${resultRoot}/`)
  );
}

function findPath(root: Json, path: string): Json {
  const steps = readSteps(isIntoResult(path) ? path.slice(resultRoot.length) : path);
  let node = root;
  for (const [depth, step] of steps.entries()) {
    const child = stepInto(node, step);
    const location = depth === 0 ? "at the top" : `at '${steps.slice(0, depth).join(".")}'`;
    if (child === undefined)
      throw badParameter("path", path, `${location} there is ${describeNode(node, step)}`);
    node = child;
  }
  return node;
}

/** `/a~1b/0` as in RFC 6901, or `a.b[0]`. */
function readSteps(path: string): string[] {
  if (path.startsWith("/")) return path.slice(1).split("/").map(unescapePointer);
  const dotted = path.replace(/^\$/, "").replaceAll(/\[(\d+)\]/g, ".$1");
  return dotted.split(".").filter((step) => step !== "");
}

function stepInto(value: Json, step: string): Json | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(step) ? value[Number(step)] : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  return ownField(value, step);
}

function describeNode(node: Json, step: string): string {
  if (Array.isArray(node)) return `a list of ${node.length}, whose entries are counted from 0`;
  if (typeof node !== "object" || node === null) return "a single value and nothing below it";
  const keys = Object.keys(node);
  const [near] = nearest(step, keys, 1);
  const firstKeys = keys.slice(0, 10).map((key) => shorten(key));
  const listing =
    keys.length === 0 ? "nothing" : `${firstKeys.join(", ")}${keys.length > 10 ? ", …" : ""}`;
  return `no '${shorten(step)}' but ${listing}${near === undefined ? "" : `; did you mean '${shorten(near)}'`}`;
}

function shorten(text: string): string {
  if (text.length > 60) return `${text.slice(0, 60)}…`;
  return text;
}

/** Names the parameter; a `value` of null is none. */
export function badParameter(
  parameter: string,
  value: unknown,
  why: string,
  data: object = {},
): PlaneError {
  const quoted = value === null ? null : shorten(String(value));
  const what = quoted === null ? `'${parameter}'` : `'${parameter}' cannot be '${quoted}'`;
  return new PlaneError("USAGE", `${what}: ${why}.`, {
    data: { parameter, value: quoted, ...data },
  });
}

type PageQuery = {
  unit: ResultPage["unit"];
  offset: number;
  limit: number;
  path: string | null;
  grep: string | null;
};

const maxPattern = 1_000;
const parameters = ["offset", "limit", "path", "grep", "lines"];

async function parseQuery(query: ResultQuery): Promise<PageQuery> {
  const unknown = Object.keys(query).find((name) => !parameters.includes(name));
  if (unknown !== undefined)
    throw badParameter(
      unknown,
      null,
      `there is no such parameter; known are ${parameters.join(", ")}`,
    );
  const { offset = 0, limit, path = null, grep = null, lines = false } = query;
  if (typeof lines !== "boolean") throw badParameter("lines", lines, "give true or false");
  const unit = unitOf(grep, lines);
  const { usual, most: maxLimit } = pageLimits[unit];
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw badParameter("offset", offset, "give a whole number from 0");
  if (limit !== undefined && (!Number.isSafeInteger(limit) || limit < 1 || limit > maxLimit))
    throw badParameter("limit", limit, `give a whole number from 1 to ${maxLimit} (${unit})`);
  if (path !== null && typeof path !== "string") throw badParameter("path", path, "give a text");
  if (grep !== null) await requirePattern(grep);
  return { unit, offset, limit: limit ?? usual, path: path === "" ? null : path, grep };
}
function unitOf(grep: string | null, isByLine: boolean): ResultPage["unit"] {
  if (grep !== null) return "matches";
  return isByLine ? "lines" : "characters";
}

async function requirePattern(grep: unknown): Promise<void> {
  if (typeof grep !== "string" || grep === "" || grep.length > maxPattern)
    throw badParameter("grep", grep, `give a pattern of 1 to ${maxPattern} characters`);
  const { patternProblem } = await import("../../lib/text/linear-pattern.ts");
  const problem = patternProblem(grep);
  if (problem !== null) throw badParameter("grep", grep, problem);
}

const contextLines = 2;
/** Lines searched before others get their turn. */
const linesPerTurn = 5_000;

async function findLines(lines: readonly string[], pattern: string): Promise<number[]> {
  const { createPatternSet } = await import("../../lib/text/linear-pattern.ts");
  const findMatches = createPatternSet([pattern]);
  const hits: number[] = [];
  for (const [index, line] of lines.entries()) {
    if (index % linesPerTurn === linesPerTurn - 1) await nextTurn();
    if (findMatches(line).length > 0) hits.push(index);
  }
  return hits;
}

/** Numbered from 1; `:` marks a match, `-` its context. */
function renderFound(lines: readonly string[], hitIndexes: readonly number[]): string[] {
  const hits = new Set(hitIndexes);
  const rendered: string[] = [];
  let last = -1;
  for (const hit of hitIndexes) {
    const from = Math.max(hit - contextLines, last + 1);
    if (from > last + 1 && last >= 0) rendered.push("--");
    // Lines after it belong to the next match, unless they match.
    for (
      let lineIndex = from;
      lineIndex <= Math.min(hit + contextLines, lines.length - 1);
      lineIndex += 1
    )
      rendered.push(`${lineIndex + 1}${hits.has(lineIndex) ? ":" : "-"} ${lines[lineIndex]}`);
    last = Math.max(last, Math.min(hit + contextLines, lines.length - 1));
  }
  return rendered;
}

type Page = Pick<ResultPage, "unit" | "offset" | "total" | "nextOffset" | "text">;

export async function readPage(result: ToolResult, query: ResultQuery): Promise<Page> {
  const pageQuery = await parseQuery(query);
  const text = pageQuery.path === null ? bodyOf(result).text : textAt(result, pageQuery.path);
  if (pageQuery.unit === "characters") return pageOfCharacters(text, pageQuery);
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  if (pageQuery.unit === "lines") return pageOf(lines, pageQuery, (items) => items);
  return pageOf(await findLines(lines, pageQuery.grep ?? ""), pageQuery, (hits) =>
    renderFound(lines, hits),
  );
}

function pageOfCharacters(text: string, { unit, offset, limit }: PageQuery): Page {
  requireWithin(offset, text.length, unit);
  const slice = sliceText(text, offset, offset + limit);
  // A limit of one cannot hold a surrogate pair; such a page goes one further.
  const page = slice === "" && offset < text.length ? text.slice(offset, offset + 2) : slice;
  const end = offset + page.length;
  return {
    unit,
    offset,
    total: text.length,
    nextOffset: end < text.length ? end : null,
    text: page,
  };
}

/** As many as fit: a page of endless lines is no page. */
function pageOf<T>(
  items: readonly T[],
  query: PageQuery,
  render: (shown: readonly T[]) => readonly string[],
): Page {
  const { unit, offset, limit } = query;
  requireWithin(offset, items.length, unit);
  const { most: maxCharacters } = pageLimits.characters;
  let pageItems = items.slice(offset, offset + limit);
  let text = render(pageItems).join("\n");
  while (text.length > maxCharacters && pageItems.length > 1) {
    pageItems = pageItems.slice(0, Math.ceil(pageItems.length / 2));
    text = render(pageItems).join("\n");
  }
  if (text.length > maxCharacters) text = `${sliceText(text, 0, maxCharacters)}…`;
  const end = offset + pageItems.length;
  return { unit, offset, total: items.length, nextOffset: end < items.length ? end : null, text };
}

function requireWithin(offset: number, total: number, unit: string): void {
  if (offset > total)
    throw badParameter("offset", offset, `there are only ${total} ${unit}`, { total });
}

function textAt(result: ToolResult, path: string): string {
  const root = isIntoResult(path) ? (result as Json) : jsonOf(result);
  const alternatives = "Use 'offset', 'lines' or 'grep', or a path that begins with '$result'";
  if (root === undefined)
    throw badParameter("path", path, `the result is text and not JSON. ${alternatives}`);
  const node = findPath(root, path);
  if (typeof node === "string") return node;
  return JSON.stringify(node, null, 1);
}
