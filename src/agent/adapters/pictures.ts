import type { ChatContent } from "../../model/agent/chat.ts";

/** A picture in the answer of a tool: its bytes in base64, or where it is. */
export type Picture = { mediaType: string; data: string } | { url: string };

const inside = /^data:([\w.+-]+\/[\w.+-]+);base64,/;

/** The address of a picture as chat completions write it. */
export function readPicture(url: string): Picture {
  const [start, mediaType] = inside.exec(url.slice(0, 200)) ?? [];
  if (start === undefined || mediaType === undefined) return { url };
  return { mediaType, data: url.slice(start.length) };
}

/** The text of an answer, where pictures have to go elsewhere. */
export function textOnly(content: ChatContent): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : "[picture]")).join("\n");
}

export function picturesOf(content: ChatContent): string[] {
  if (typeof content === "string") return [];
  return content.flatMap((block) => (block.type === "image_url" ? [block.image_url.url] : []));
}
