import { uniqueId } from "../../lib/ids-and-time.ts";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import type { ChatContentBlock } from "../../model/agent/chat.ts";
import type { CallAnswer, ProcessOptions, Toolset } from "../../model/agent.ts";

import type { AbortSignal, URL } from "../../model/platform.ts";
import { readPicture } from "./answers.ts";

type ModelOutputPart =
  | { type: "text"; text: string }
  | {
      type: "file";
      mediaType: string;
      data: { type: "data"; data: string } | { type: "url"; url: URL };
    };

type ModelOutput =
  | { type: "text"; value: string }
  | { type: "error-text"; value: string }
  | { type: "content"; value: ModelOutputPart[] };

/** What a tool of the AI SDK gives back: content for the model, and whether it is an error. */
export type ToolOutput = Pick<CallAnswer, "content" | "isError">;

/** A tool as `generateText` and `streamText` of the AI SDK take it. */
export type AiSdkTool<Schema> = {
  description: string;
  inputSchema: Schema;
  execute(
    input: unknown,
    options: { toolCallId: string; abortSignal?: AbortSignal },
  ): Promise<ToolOutput>;
  toModelOutput(result: { output: ToolOutput }): ModelOutput;
};

/**
 * A toolset as `tools` of the AI SDK's `generateText`, `streamText` and agents. `jsonSchema` is that library's own, so
 * that it is the version you have.
 *
 * @example
 * import { generateText, jsonSchema } from "ai";
 *
 * const tools = await asAiSdkTools(plane.toolset("reading"), jsonSchema);
 * const { text } = await generateText({ model, tools, prompt: "What is in notes.txt?" });
 */
export async function asAiSdkTools<Schema>(
  toolset: Pick<Toolset, "schemas" | "answerCalls">,
  jsonSchema: (schema: { type: "object" }) => Schema,
  options: Omit<ProcessOptions, "signal"> = {},
): Promise<Record<string, AiSdkTool<Schema>>> {
  const schemas = await toolset.schemas();
  const tools = schemas.map(({ function: { name, description, parameters } }) => {
    const tool: AiSdkTool<Schema> = {
      description,
      inputSchema: jsonSchema(parameters),
      async execute(input, { toolCallId, abortSignal }) {
        const toolCall = { name, arguments: JSON.stringify(input ?? {}) };
        const [answer] = await toolset.answerCalls(
          [{ id: toolCallId || uniqueId(), type: "function", function: toolCall }],
          { ...options, ...withoutUndefined({ signal: abortSignal }) },
        );
        return { content: answer?.content ?? "", isError: answer?.isError ?? true };
      },
      toModelOutput: ({ output }) => renderOutput(output),
    };
    return [name, tool] as const;
  });
  return Object.fromEntries(tools);
}

function renderOutput({ content, isError }: ToolOutput): ModelOutput {
  if (typeof content !== "string") return { type: "content", value: content.map(renderPart) };
  return { type: isError ? "error-text" : "text", value: content };
}

function renderPart(block: ChatContentBlock): ModelOutputPart {
  if (block.type === "text") return { type: "text", text: block.text };
  const picture = readPicture(block.image_url.url);
  if ("data" in picture) {
    const { mediaType, data } = picture;
    return { type: "file", mediaType, data: { type: "data", data } };
  }
  if (!URL.canParse(picture.url)) return { type: "text", text: "[picture]" };
  return { type: "file", mediaType: "image/*", data: { type: "url", url: new URL(picture.url) } };
}
