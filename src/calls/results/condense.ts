import { sameJson } from "../../lib/json/plain-data.ts";
import { indentJson } from "../../lib/json/render-json.ts";
import { type ContentBlock, resultText, type ToolResult } from "../../model/calls/result.ts";
import type { ResultPart } from "../../model/calls/stored-result.ts";
import { isObject, type Json } from "../../model/json.ts";

/** What there is to read in a result. `json` is undefined where it is no object or list. */
export type Body = { text: string; json: Json | undefined; isStructured: boolean };

/** Its text, or its structured content where that says more. */
export function bodyOf(result: ToolResult): Body {
  const { written, value, isStructured } = readBody(result);
  // A text in JSON is easier to read without its quotes.
  if (typeof value === "string") return { text: value, json: undefined, isStructured };
  const json = typeof value === "object" && value !== null ? value : undefined;
  // One endless line can neither be searched by lines nor cut where it makes sense.
  const text = json !== undefined && !written.includes("\n") ? inLines(written, json) : written;
  return { text, json, isStructured };
}

/** Numbers of more digits than can be read and written again without loss take the slower way. */
function inLines(written: string, json: Json): string {
  return /\d[\d.]{15}/.test(written) ? indentJson(written) : JSON.stringify(json, null, 1);
}

export function jsonOf(result: ToolResult): Json | undefined {
  const { value } = readBody(result);
  return typeof value === "object" && value !== null ? value : undefined;
}

function readBody(result: ToolResult) {
  const said = resultText(result);
  const structured = result.structuredContent === undefined ? "" : JSON.stringify(result.structuredContent);
  const isStructured = structured.length > said.length;
  const value = isStructured ? result.structuredContent : parseJson(said);
  return { written: isStructured ? structured : said, value, isStructured };
}

function parseJson(text: string): Json | undefined {
  if (!/^\s*[{["]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

type CondenseOptions = {
  limit: number;
  /** Structured content stays as it is, because the tool has promised it. */
  keepsStructured: boolean;
};

export type Condensed = {
  body: Body;
  parts: ResultPart[];
  /** The result without what is too large. `null` stands where the digest belongs. */
  blocks: (ContentBlock | null)[];
  rest: Omit<ToolResult, "content">;
};

/** What is left of a result when everything too large is taken out; null when nothing is. */
export function condense(result: ToolResult, { limit, keepsStructured }: CondenseOptions): Condensed | null {
  const { content, ...rest } = result;
  const parts: ResultPart[] = [];
  const half = Math.ceil(limit / 2);
  const takeOut = (field: "structuredContent" | "_meta") => {
    const characters = sizeOf(rest[field]);
    if (rest[field] === undefined || characters < half) return;
    delete rest[field];
    parts.push({ path: `$result.${field}`, type: field, mimeType: null, characters });
  };
  if (!keepsStructured) takeOut("structuredContent");
  takeOut("_meta");
  const isLong = resultText(result).length > limit;
  const blocks = content.flatMap((block, at): (ContentBlock | null)[] => {
    if (isText(block)) return isLong ? [] : [block];
    const part = largePart(block, at, limit);
    if (part === null) return [block];
    parts.push(part);
    return [];
  });
  if (!isLong && parts.length === 0) return null;
  const body = bodyOf(result);
  // What is read as the body need not be named as a part of its own.
  const isRead = body.isStructured || sameJson(body.json ?? body.text, result.structuredContent);
  const named = parts.filter(({ path }) => !(isRead && path === "$result.structuredContent"));
  return { body, parts: named, blocks: withPlace(blocks, isLong), rest };
}

/** Short text says what the rest is about, so the digest follows it. */
function withPlace(blocks: (ContentBlock | null)[], isLong: boolean): (ContentBlock | null)[] {
  const last = isLong ? -1 : blocks.findLastIndex((block) => block?.type === "text");
  return blocks.toSpliced(last + 1, 0, null);
}

function isText({ type, text }: ContentBlock): boolean {
  return type === "text" && typeof text === "string";
}

function largePart(block: ContentBlock, at: number, limit: number): ResultPart | null {
  const { type } = block;
  const inside = type === "resource" && isObject(block.resource) ? block.resource : block;
  const place = inside === block ? `$result.content.${at}` : `$result.content.${at}.resource`;
  const field = ["data", "blob", "text"].find((name) => typeof inside[name] === "string");
  // Pictures, sounds and files are no text that a model reads, however large they are written down.
  if (field === "data" || field === "blob") return null;
  const characters = sizeOf(block as Json);
  if (characters <= limit) return null;
  const mimeType = typeof inside.mimeType === "string" ? inside.mimeType : null;
  return { path: field === undefined ? place : `${place}.${field}`, type, mimeType, characters };
}

function sizeOf(value: unknown): number {
  return value === undefined ? 0 : JSON.stringify(value).length;
}
