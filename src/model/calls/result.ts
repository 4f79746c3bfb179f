import { readJson } from "../../lib/json/measure-json.ts";
import { sameJson } from "../../lib/json/plain-data.ts";
import { isObject, type Json, objectOrEmpty, stringOrNull, type UnknownObject } from "../json.ts";

/** A block of a result. Unknown kinds and fields pass through. */
export type ContentBlock = { type: string; [field: string]: unknown };

/** A tool's answer, as it came from the wire. */
export type ToolResult = {
  content: ContentBlock[];
  structuredContent?: Json;
  isError?: boolean;
  [field: string]: unknown;
};

type NormalResult = { result: ToolResult; warnings: string[] };

export function normalizeResult(raw: unknown): NormalResult {
  if (!isObject(raw)) {
    return {
      result: {
        content: [textBlock(raw)],
        ...(raw === undefined ? {} : { structuredContent: raw as Json }),
      },
      warnings: ["The provider answered with a bare value instead of a tool result."],
    };
  }
  if (isNormal(raw)) return { result: raw, warnings: [] };
  const warnings: string[] = [];
  const content = Array.isArray(raw.content)
    ? raw.content.map((block, at) => toBlock(block, at, warnings))
    : [];
  if (raw.content !== undefined && !Array.isArray(raw.content)) {
    warnings.push("'content' is not a list; it is kept as one text block.");
    content.push(textBlock(raw.content));
  }
  if (raw.isError !== undefined && typeof raw.isError !== "boolean") {
    warnings.push(`'isError' is not a boolean: ${JSON.stringify(raw.isError)}.`);
  }
  const { isError, ...otherFields } = raw as UnknownObject & { isError?: unknown };
  const result = { ...otherFields, content } as ToolResult;
  if (isError === true || isError === "true") result.isError = true;
  else if (isError === false) result.isError = false;
  return { result, warnings };
}

function isNormal(raw: UnknownObject): raw is ToolResult {
  const { content, isError } = raw;
  return (
    Array.isArray(content) &&
    content.every(isBlock) &&
    (isError === undefined || typeof isError === "boolean")
  );
}

function isBlock(block: unknown): block is ContentBlock {
  return isObject(block) && typeof block.type === "string";
}

function toBlock(block: unknown, index: number, warnings: string[]): ContentBlock {
  if (isBlock(block)) return block;
  warnings.push(`Content block ${index + 1} has no type; it is kept as text.`);
  return textBlock(block);
}

function textBlock(value: unknown): ContentBlock {
  return { type: "text", text: typeof value === "string" ? value : (JSON.stringify(value) ?? "") };
}

/**
 * All text blocks, one per line.
 * @example
 * if (outcome.ok) console.log(resultText(outcome.result));
 */
export function resultText(result: ToolResult): string {
  return result.content
    .filter((block) => block.type === "text" && typeof block.text === "string")
    .map((block) => block.text as string)
    .join("\n");
}

/** The structured content where the text does not say the same; undefined where it does. */
export function unsaidStructure({ content, structuredContent }: ToolResult): Json | undefined {
  if (structuredContent === undefined || content.length === 0) return structuredContent;
  const texts = content.flatMap(({ type, text }) =>
    type === "text" && typeof text === "string" ? [text] : [],
  );
  const spokenValues = texts.map(parseOrKeep);
  const structures: unknown[] = [structuredContent];
  // A value that is not an object has to be wrapped in one.
  if (isObject(structuredContent) && Object.keys(structuredContent).length === 1)
    structures.push(...Object.values(structuredContent));
  const isRepeated = structures.some((value) =>
    [spokenValues, spokenValues.join("\n"), ...spokenValues, ...texts].some((spoken) =>
      sameJson(spoken, value),
    ),
  );
  return isRepeated ? undefined : structuredContent;
}

function parseOrKeep(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The same in one piece, with the bytes of every artifact in it. */
export function isJsonOfArtifacts({ type, text }: ContentBlock): boolean {
  return type === "text" && typeof text === "string" && /^\s*\{[\s\S]*"artifacts"/.test(text);
}

const imageExtensions = new Map([
  ["image/png", "png"],
  ["image/jpeg", "jpg"],
  ["image/gif", "gif"],
  ["image/svg+xml", "svg"],
  ["image/webp", "webp"],
  ["image/bmp", "bmp"],
]);

type Media = { mimeType: string; extension: string; bytes: Uint8Array };

/**
 * The bytes of an image or audio block, or why there are none.
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
  if (extension === undefined)
    return { problem: `${block.type} type '${mimeType}' is not one we show` };
  if (typeof block.data !== "string" || !isBase64(block.data)) {
    return { problem: `${block.type} data is not valid base64` };
  }
  return { mimeType, extension, bytes: Buffer.from(block.data, "base64") };
}

function isBase64(text: string): boolean {
  return text.length > 0 && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}

/** A file of a result, without its content. */
export type ArtifactView = { name: string; mimeType: string | null; bytes: number };

export type Artifact = ArtifactView & { content: Uint8Array };

/** The parts of {results, artifacts, display, meta_data}. */
export type ArtifactResult = {
  results: Json | undefined;
  artifacts: Artifact[];
  problems: string[];
  display: Json | undefined;
  metadata: Json | undefined;
};

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Null without artifacts. */
export function readArtifacts(result: ToolResult): ArtifactResult | null {
  const answer = isObject(result.structuredContent) ? result.structuredContent : onlyJson(result);
  if (!answer || !Array.isArray(answer.artifacts)) return null;
  const readings = answer.artifacts.map(readArtifact);
  const artifacts = readings.filter((reading): reading is Artifact => typeof reading !== "string");
  const problems = readings.filter((reading): reading is string => typeof reading === "string");
  if (artifacts.length === 0 && problems.length === 0) return null;
  return {
    results: (answer.results ?? answer.result) as Json | undefined,
    artifacts,
    problems,
    display: answer.display as Json | undefined,
    metadata: (answer.meta_data ?? answer["meta-data"] ?? answer.metadata) as Json | undefined,
  };
}

export function viewOfArtifacts({ artifacts }: ArtifactResult): ArtifactView[] {
  return artifacts.map(({ name, mimeType, bytes }) => ({ name, mimeType, bytes }));
}

function readArtifact(artifact: unknown, index: number): Artifact | string {
  const { name, b64, mime, mime_type: mimeType } = objectOrEmpty(artifact) as UnknownObject;
  if (typeof name !== "string" || name === "") return `Artifact ${index + 1} has no name.`;
  if (typeof b64 !== "string" || b64.length % 4 !== 0 || !base64.test(b64))
    return `Artifact '${name}' has no valid base64 in 'b64'.`;
  const content = Buffer.from(b64, "base64");
  const type = mime ?? mimeType;
  return { name, mimeType: stringOrNull(type), bytes: content.length, content };
}

/** Looked at before it is parsed: most results are no JSON. */
function onlyJson({ content }: ToolResult): UnknownObject | null {
  const texts = content.filter(({ type }) => type === "text");
  const text = texts.length === 1 ? texts[0]?.text : undefined;
  if (typeof text !== "string" || !/^\s*\{/.test(text) || !text.includes('"artifacts"'))
    return null;
  const value = readJson(text);
  return isObject(value) ? value : null;
}
