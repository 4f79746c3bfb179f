import { readJson } from "../../lib/json/measure-json.ts";
import { sameJson } from "../../lib/json/plain-data.ts";
import { indentJson } from "../../lib/json/render-json.ts";
import { type ContentBlock, resultText, type ToolResult } from "../../model/calls/result.ts";
import type { ResultPart } from "../../model/calls/stored-result.ts";
import { isObject, type Json, stringOrNull } from "../../model/json.ts";

/** `json` is undefined for other than objects and lists. */
export type ResultBody = { text: string; json: Json | undefined; isStructured: boolean };

/** The text, or structured content that says more. */
export function bodyOf(result: ToolResult): ResultBody {
  const { source, value, isStructured } = readBody(result);
  // A JSON text reads better without quotes.
  if (typeof value === "string") return { text: value, json: undefined, isStructured };
  const json = objectOrList(value);
  // One endless line can neither be searched nor cut well.
  const text = json !== undefined && !source.includes("\n") ? inLines(source, json) : source;
  return { text, json, isStructured };
}

/** Numbers with too many digits take the slower way. */
function inLines(source: string, json: Json): string {
  if (/\d[\d.]{15}/.test(source)) return indentJson(source);
  return JSON.stringify(json, null, 1);
}

export function jsonOf(result: ToolResult): Json | undefined {
  return objectOrList(readBody(result).value);
}

function objectOrList(value: Json | undefined): Json | undefined {
  return typeof value === "object" && value !== null ? value : undefined;
}

function readBody(result: ToolResult) {
  const text = resultText(result);
  const structured =
    result.structuredContent === undefined ? "" : JSON.stringify(result.structuredContent);
  const isStructured = structured.length > text.length;
  if (isStructured) return { source: structured, value: result.structuredContent, isStructured };
  return { source: text, value: parseJson(text), isStructured };
}

function parseJson(text: string): Json | undefined {
  if (!/^\s*[{["]/.test(text)) return undefined;
  return readJson(text) as Json | undefined;
}

type CondenseOptions = {
  limit: number;
  /** The tool has promised it. */
  keepsStructured: boolean;
};

export type Condensed = {
  body: ResultBody;
  parts: ResultPart[];
  /** Without large parts. `null` is the place of the digest. */
  blocks: (ContentBlock | null)[];
  fields: Omit<ToolResult, "content">;
};

export function condense(
  result: ToolResult,
  { limit, keepsStructured }: CondenseOptions,
): Condensed | null {
  const { content, ...fields } = result;
  const parts: ResultPart[] = [];
  const half = Math.ceil(limit / 2);

  function takeOut(field: "structuredContent" | "_meta") {
    const characters = sizeOf(fields[field]);
    if (fields[field] === undefined || characters < half) return;
    delete fields[field];
    parts.push({ path: `$result.${field}`, type: field, mimeType: null, characters });
  }

  if (!keepsStructured) takeOut("structuredContent");
  takeOut("_meta");
  const isLong = resultText(result).length > limit;
  const blocks = content.flatMap((block, index): (ContentBlock | null)[] => {
    if (isText(block)) return isLong ? [] : [block];
    const part = largePart(block, index, limit);
    if (part === null) return [block];
    parts.push(part);
    return [];
  });
  if (!isLong && parts.length === 0) return null;
  const body = bodyOf(result);
  // The body need not be named as a part.
  const isRead = body.isStructured || sameJson(body.json ?? body.text, result.structuredContent);
  const named = parts.filter(({ path }) => !(isRead && path === "$result.structuredContent"));
  return { body, parts: named, blocks: withPlace(blocks, isLong), fields };
}

/** Short text introduces the rest, so the digest follows it. */
function withPlace(blocks: (ContentBlock | null)[], isLong: boolean): (ContentBlock | null)[] {
  const last = isLong ? -1 : blocks.findLastIndex((block) => block?.type === "text");
  return blocks.toSpliced(last + 1, 0, null);
}

function isText({ type, text }: ContentBlock): boolean {
  return type === "text" && typeof text === "string";
}

function largePart(block: ContentBlock, index: number, limit: number): ResultPart | null {
  const { type } = block;
  const inside = type === "resource" && isObject(block.resource) ? block.resource : block;
  const blockPath =
    inside === block ? `$result.content.${index}` : `$result.content.${index}.resource`;
  const field = ["data", "blob", "text"].find((name) => typeof inside[name] === "string");
  // Media is no text for a model, whatever its size.
  if (field === "data" || field === "blob") return null;
  const characters = sizeOf(block as Json);
  if (characters <= limit) return null;
  const mimeType = stringOrNull(inside.mimeType);
  return {
    path: field === undefined ? blockPath : `${blockPath}.${field}`,
    type,
    mimeType,
    characters,
  };
}

function sizeOf(value: unknown): number {
  if (value === undefined) return 0;
  return JSON.stringify(value).length;
}
