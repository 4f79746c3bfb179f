import { sameJson } from "../../lib/json/plain-data.ts";
import { type ContentBlock, resultText, type ToolResult } from "../../model/calls/result.ts";
import type { ResultPart } from "../../model/calls/stored-result.ts";
import { isObject, type Json } from "../../model/json.ts";
import { type Body, bodyOf } from "./body.ts";

type CondenseOptions = {
  /** Characters of text that are shown whole. */
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
