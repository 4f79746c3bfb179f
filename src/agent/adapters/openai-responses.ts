import type { AskedCall, ChatContent } from "../../model/agent/chat.ts";
import type { ProcessOptions, Toolset } from "../../model/agent.ts";

import { PlaneError } from "../../model/errors.ts";
import { isObject } from "../../model/json.ts";
import { answerWhole, hasWholeArguments, isCutOff } from "../cut-off.ts";

type OutputItem = { type: "input_text"; text: string } | { type: "input_image"; image_url: string; detail: "auto" };

/** The result of one call, as an item of OpenAI's Responses API. */
export type FunctionCallOutput = {
  type: "function_call_output";
  call_id: string;
  output: string | OutputItem[];
};

/**
 * What follows on a response of OpenAI's Responses API: one output for each function call, for the next `input`.
 *
 * @example
 * const tools = await toolset.schemas("openai-responses");
 * const response = await openai.responses.create({ model, input, tools });
 * input.push(...response.output, ...(await answerOpenAiResponse(toolset, response)));
 */
export async function answerOpenAiResponse(
  toolset: Pick<Toolset, "answerCalls">,
  response: { output: readonly object[]; status?: unknown },
  options?: ProcessOptions,
): Promise<FunctionCallOutput[]> {
  if (!isObject(response) || !Array.isArray(response.output))
    throw new PlaneError(
      "USAGE",
      "The response cannot be read: its 'output' is no list of items. Give a response as OpenAI's API returns it.",
    );
  const isCut = isCutOff(response.status);
  const calls = response.output.flatMap(readCall);
  const answers = await answerWhole(toolset, calls, (call) => isCut && !hasWholeArguments(call), options);
  return answers.map(({ call, content }) => ({
    type: "function_call_output",
    call_id: call.id,
    output: renderOutput(content),
  }));
}

function readCall(item: unknown): AskedCall[] {
  if (!isObject(item) || item.type !== "function_call") return [];
  const { call_id: id, name, arguments: written } = item;
  if (typeof id !== "string" || typeof name !== "string") return [];
  return [{ id, type: "function", function: { name, arguments: typeof written === "string" ? written : "" } }];
}

function renderOutput(content: ChatContent): string | OutputItem[] {
  if (typeof content === "string") return content;
  return content.map((block) =>
    block.type === "text"
      ? { type: "input_text", text: block.text }
      : { type: "input_image", image_url: block.image_url.url, detail: "auto" },
  );
}
