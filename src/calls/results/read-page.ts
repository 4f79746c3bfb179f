import { setImmediate as nextTurn } from "node:timers/promises";
import { sliceText } from "../../lib/text/cut-text.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { ToolResult } from "../../model/calls/result.ts";
import type { ResultPage } from "../../model/calls/result-schema.ts";
import { pageLimits, type ResultQuery } from "../../model/calls/stored-result.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Json } from "../../model/json.ts";
import { unescapePointer } from "../providers/mapping.ts";
import { bodyOf, jsonOf } from "./condense.ts";

const whole = "$result";

/** Into the result as it came, not into its content. */
function isWhole(path: string): boolean {
  return path === whole || path.startsWith(`${whole}.`) || path.startsWith(`${whole}/`);
}

function findPath(root: Json, path: string): Json {
  const steps = readSteps(isWhole(path) ? path.slice(whole.length) : path);
  let here = root;
  for (const [at, step] of steps.entries()) {
    const next = stepInto(here, step);
    const place = at === 0 ? "at the top" : `at '${steps.slice(0, at).join(".")}'`;
    if (next === undefined)
      throw badParameter("path", path, `${place} there is ${whatIsThere(here, step)}`);
    here = next;
  }
  return here;
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
  return Object.hasOwn(value, step) ? value[step] : undefined;
}

function whatIsThere(here: Json, step: string): string {
  if (Array.isArray(here)) return `a list of ${here.length}, whose entries are counted from 0`;
  if (typeof here !== "object" || here === null) return "a single value and nothing below it";
  const keys = Object.keys(here);
  const [near] = nearest(step, keys, 1);
  const some = keys.slice(0, 10).map((key) => shorten(key));
  const known =
    keys.length === 0 ? "nothing" : `${some.join(", ")}${keys.length > 10 ? ", …" : ""}`;
  return `no '${shorten(step)}' but ${known}${near === undefined ? "" : `; did you mean '${shorten(near)}'`}`;
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** Names the parameter; a `value` of null is none. */
export function badParameter(
  parameter: string,
  value: unknown,
  why: string,
  data: object = {},
): PlaneError {
  const shown = value === null ? null : shorten(String(value));
  const what = shown === null ? `'${parameter}'` : `'${parameter}' cannot be '${shown}'`;
  return new PlaneError("USAGE", `${what}: ${why}.`, {
    data: { parameter, value: shown, ...data },
  });
}

type PageAsked = {
  unit: ResultPage["unit"];
  offset: number;
  limit: number;
  path: string | null;
  grep: string | null;
};

const maxPattern = 1_000;
const known = ["offset", "limit", "path", "grep", "lines"];

async function parseQuery(query: ResultQuery): Promise<PageAsked> {
  const unknown = Object.keys(query).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw badParameter(unknown, null, `there is no such parameter; known are ${known.join(", ")}`);
  const { offset = 0, limit, path = null, grep = null, lines = false } = query;
  if (typeof lines !== "boolean") throw badParameter("lines", lines, "give true or false");
  const unit = grep === null ? (lines ? "lines" : "characters") : "matches";
  const { usual, most } = pageLimits[unit];
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw badParameter("offset", offset, "give a whole number from 0");
  if (limit !== undefined && (!Number.isSafeInteger(limit) || limit < 1 || limit > most))
    throw badParameter("limit", limit, `give a whole number from 1 to ${most} (${unit})`);
  if (path !== null && typeof path !== "string") throw badParameter("path", path, "give a text");
  if (grep !== null) await requirePattern(grep);
  return { unit, offset, limit: limit ?? usual, path: path === "" ? null : path, grep };
}

async function requirePattern(grep: unknown): Promise<void> {
  if (typeof grep !== "string" || grep === "" || grep.length > maxPattern)
    throw badParameter("grep", grep, `give a pattern of 1 to ${maxPattern} characters`);
  const { patternProblem } = await import("../../lib/text/linear-pattern.ts");
  const problem = patternProblem(grep);
  if (problem !== null) throw badParameter("grep", grep, problem);
}

const around = 2;
/** Lines searched before others get their turn. */
const atATime = 5_000;

async function findLines(lines: readonly string[], pattern: string): Promise<number[]> {
  const { createPatternSet } = await import("../../lib/text/linear-pattern.ts");
  const matches = createPatternSet([pattern]);
  const found: number[] = [];
  for (const [at, line] of lines.entries()) {
    if (at % atATime === atATime - 1) await nextTurn();
    if (matches(line).length > 0) found.push(at);
  }
  return found;
}

/** Numbered from 1; `:` marks a match, `-` its context. */
function renderFound(lines: readonly string[], found: readonly number[]): string[] {
  const hits = new Set(found);
  const shown: string[] = [];
  let last = -1;
  for (const at of found) {
    const from = Math.max(at - around, last + 1);
    if (from > last + 1 && last >= 0) shown.push("--");
    // Lines after it belong to the next match, unless they match.
    for (let place = from; place <= Math.min(at + around, lines.length - 1); place += 1)
      shown.push(`${place + 1}${hits.has(place) ? ":" : "-"} ${lines[place]}`);
    last = Math.max(last, Math.min(at + around, lines.length - 1));
  }
  return shown;
}

type Page = Pick<ResultPage, "unit" | "offset" | "total" | "nextOffset" | "text">;

export async function readPage(result: ToolResult, query: ResultQuery): Promise<Page> {
  const asked = await parseQuery(query);
  const text = asked.path === null ? bodyOf(result).text : textAt(result, asked.path);
  if (asked.unit === "characters") return pageOfCharacters(text, asked);
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  if (asked.unit === "lines") return pageOf(lines, asked, (items) => items);
  return pageOf(await findLines(lines, asked.grep ?? ""), asked, (found) =>
    renderFound(lines, found),
  );
}

function pageOfCharacters(text: string, { unit, offset, limit }: PageAsked): Page {
  requireWithin(offset, text.length, unit);
  const shown = sliceText(text, offset, offset + limit);
  // A limit of one cannot hold a surrogate pair; such a page goes one further.
  const page = shown === "" && offset < text.length ? text.slice(offset, offset + 2) : shown;
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
  asked: PageAsked,
  render: (some: readonly T[]) => readonly string[],
): Page {
  const { unit, offset, limit } = asked;
  requireWithin(offset, items.length, unit);
  const { most } = pageLimits.characters;
  let some = items.slice(offset, offset + limit);
  let text = render(some).join("\n");
  while (text.length > most && some.length > 1) {
    some = some.slice(0, Math.ceil(some.length / 2));
    text = render(some).join("\n");
  }
  if (text.length > most) text = `${sliceText(text, 0, most)}…`;
  const end = offset + some.length;
  return { unit, offset, total: items.length, nextOffset: end < items.length ? end : null, text };
}

function requireWithin(offset: number, total: number, unit: string): void {
  if (offset > total)
    throw badParameter("offset", offset, `there are only ${total} ${unit}`, { total });
}

function textAt(result: ToolResult, path: string): string {
  const root = isWhole(path) ? (result as Json) : jsonOf(result);
  const other = "Use 'offset', 'lines' or 'grep', or a path that begins with '$result'";
  if (root === undefined)
    throw badParameter("path", path, `the result is text and not JSON. ${other}`);
  const found = findPath(root, path);
  return typeof found === "string" ? found : JSON.stringify(found, null, 1);
}
