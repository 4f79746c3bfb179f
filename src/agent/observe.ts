import type { Outcome } from "../model/call.ts";
import type { ChatContent, ContentBlock } from "../model/chat.ts";
import { forModels } from "../model/for-models.ts";
import { type ContentBlock as ResultBlock, readMedia, type ToolResult } from "../model/result.ts";

/** What became of a call, for the model to read: what it needs to know to do the next thing right. */
export function observe(outcome: Outcome, name = outcome.call.tool): ChatContent {
  const { result, call } = outcome;
  if (!result) {
    const { error } = outcome;
    // A model that reads another name than the one it used takes it for another tool.
    const message = forModels(error.message).replaceAll(`'${call.tool}'`, `'${name}'`);
    return `Error: ${message}${afterwards(outcome)} [${error.code}]`;
  }
  const content = contentOf(result);
  const notes = call.warnings.filter(isForTheModel).map((warning) => `Note: ${warning}`);
  return withText(content, result.isError ? "Error: " : "", notes);
}

/** What is said of its arguments is all that a model can do better. */
function isForTheModel(warning: string): boolean {
  return /^(The arguments were|Not declared by)/.test(warning);
}

function withText(content: ChatContent, before: string, after: readonly string[]): ChatContent {
  if (before === "" && after.length === 0) return content;
  if (typeof content === "string") return [`${before}${content}`, ...after].join("\n");
  return [
    ...(before === "" ? [] : [{ type: "text" as const, text: before.trim() }]),
    ...content,
    ...after.map((text) => ({ type: "text" as const, text })),
  ];
}

/** Texts one per line; with pictures among them, all of it in order. */
function contentOf(result: ToolResult): ChatContent {
  const blocks = result.content.map(toBlock);
  if (blocks.length === 0 && result.structuredContent !== undefined)
    return JSON.stringify(result.structuredContent);
  if (blocks.some(({ type }) => type === "image_url")) return blocks;
  return blocks.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

function toBlock(block: ResultBlock): ContentBlock {
  if (block.type === "text" && typeof block.text === "string") return { type: "text", text: block.text };
  if (block.type !== "image") return { type: "text", text: withoutPayload(block) };
  const media = readMedia(block);
  if ("problem" in media) return { type: "text", text: `[An image that cannot be shown: ${media.problem}.]` };
  return { type: "image_url", image_url: { url: `data:${media.mimeType};base64,${String(block.data)}` } };
}

/** Nobody reads base64; that it is there is worth knowing. */
function withoutPayload(block: ResultBlock): string {
  return JSON.stringify(block, (key, value: unknown) =>
    (key === "data" || key === "blob") && typeof value === "string"
      ? `(${value.length} characters of base64)`
      : value,
  );
}

/** A model that is not told so calls again, or waits for nothing. */
function afterwards({ approval }: Outcome): string {
  if (approval === undefined) return "";
  return " Do not call it again: it runs once a person says yes. Go on without its result, and say in your answer that it waits.";
}
