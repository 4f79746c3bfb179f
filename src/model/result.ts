import { isObject, type Json, type UnknownObject } from "./json.ts";

/** One block of a result. Unknown kinds and unknown fields travel on untouched. */
export type ContentBlock = { type: string; [field: string]: unknown };

/** What a tool answered, as it came from the wire. */
export type ToolResult = {
  content: ContentBlock[];
  structuredContent?: Json;
  isError?: boolean;
  [field: string]: unknown;
};

export type NormalResult = { result: ToolResult; warnings: string[] };

/** Brings any answer of a provider into shape without dropping what it holds. */
export function normalizeResult(raw: unknown): NormalResult {
  if (!isObject(raw)) {
    return {
      result: { content: [textBlock(raw)], ...(raw === undefined ? {} : { structuredContent: raw as Json }) },
      warnings: ["The provider answered with a bare value instead of a tool result."],
    };
  }
  // What came in shape goes on as it came.
  if (isNormal(raw)) return { result: raw, warnings: [] };
  const warnings: string[] = [];
  const content = Array.isArray(raw.content) ? raw.content.map((block, at) => toBlock(block, at, warnings)) : [];
  if (raw.content !== undefined && !Array.isArray(raw.content)) {
    warnings.push("'content' is not a list; it is kept as one text block.");
    content.push(textBlock(raw.content));
  }
  if (raw.isError !== undefined && typeof raw.isError !== "boolean") {
    warnings.push(`'isError' is not a boolean: ${JSON.stringify(raw.isError)}.`);
  }
  const { isError, ...rest } = raw as UnknownObject & { isError?: unknown };
  const result = { ...rest, content } as ToolResult;
  if (isError === true || isError === "true") result.isError = true;
  else if (isError === false) result.isError = false;
  return { result, warnings };
}

function isNormal(raw: UnknownObject): raw is ToolResult {
  const { content, isError } = raw;
  return Array.isArray(content) && content.every(isBlock) && (isError === undefined || typeof isError === "boolean");
}

function isBlock(block: unknown): block is ContentBlock {
  return isObject(block) && typeof block.type === "string";
}

function toBlock(block: unknown, at: number, warnings: string[]): ContentBlock {
  if (isBlock(block)) return block;
  warnings.push(`Content block ${at + 1} has no type; it is kept as text.`);
  return textBlock(block);
}

function textBlock(value: unknown): ContentBlock {
  return { type: "text", text: typeof value === "string" ? value : (JSON.stringify(value) ?? "") };
}

/**
 * All text blocks in order, one per line.
 *
 * @example
 * if (outcome.ok) console.log(resultText(outcome.result));
 */
export function resultText(result: ToolResult): string {
  return result.content
    .filter((block) => block.type === "text" && typeof block.text === "string")
    .map((block) => block.text as string)
    .join("\n");
}

const imageExtensions = new Map([
  ["image/png", "png"],
  ["image/jpeg", "jpg"],
  ["image/gif", "gif"],
  ["image/svg+xml", "svg"],
  ["image/webp", "webp"],
  ["image/bmp", "bmp"],
]);

export type Media = { mimeType: string; extension: string; bytes: Uint8Array };

/**
 * The payload of an image or audio block, or the reason why it cannot be shown.
 *
 * @example
 * for (const block of outcome.result.content) {
 *   const media = readMedia(block);
 *   if (!("problem" in media)) await writeFile(`picture.${media.extension}`, media.bytes);
 * }
 */
export function readMedia(block: ContentBlock): Media | { problem: string } {
  const mimeType = typeof block.mimeType === "string" ? block.mimeType.toLowerCase() : "";
  const extension =
    block.type === "image"
      ? imageExtensions.get(mimeType)
      : /^audio\/([a-z0-9]+)$/.exec(mimeType.replace("x-", ""))?.[1];
  if (extension === undefined) return { problem: `${block.type} type '${mimeType}' is not one we show` };
  if (typeof block.data !== "string" || !isBase64(block.data)) {
    return { problem: `${block.type} data is not valid base64` };
  }
  return { mimeType, extension, bytes: Buffer.from(block.data, "base64") };
}

function isBase64(text: string): boolean {
  return text.length > 0 && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}
