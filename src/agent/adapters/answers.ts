import { cutOffText } from "../../model/agent/broken-replies.ts";
import type { AskedCall, ChatContent } from "../../model/agent/chat.ts";
import type { CallAnswer, ProcessOptions, Toolset } from "../../model/agent.ts";

/** A picture in the answer of a tool: its bytes in base64, or where it is. */
type Picture = { mediaType: string; data: string } | { url: string };

const dataUrlPrefix = /^data:([\w.+-]+\/[\w.+-]+);base64,/;

/** The address of a picture as chat completions write it. */
export function readPicture(url: string): Picture {
  const [prefix, mediaType] = dataUrlPrefix.exec(url.slice(0, 200)) ?? [];
  if (prefix === undefined || mediaType === undefined) return { url };
  return { mediaType, data: url.slice(prefix.length) };
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

/** Answers those calls that are whole by making them; the others are never made. */
export async function answerCompleteCalls(
  toolset: Pick<Toolset, "answerCalls">,
  calls: readonly AskedCall[],
  isCut: (call: AskedCall) => boolean,
  options: ProcessOptions | undefined,
): Promise<CallAnswer[]> {
  const completeCalls = calls.filter((call) => !isCut(call));
  if (completeCalls.length === 0) return calls.map(refused);
  const answers = await toolset.answerCalls(completeCalls, options);
  const answerTo = new Map(completeCalls.map((call, index) => [call, answers[index]]));
  return calls.map((call) => answerTo.get(call) ?? refused(call));
}

function refused(call: AskedCall): CallAnswer {
  return { call, content: `Error: ${cutOffText(call.function.name)}`, isError: true };
}
