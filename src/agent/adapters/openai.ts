import { finishOf, readResponse } from "../../model/agent/asked-calls.ts";
import { hasWholeArguments, isCutOff } from "../../model/agent/broken-replies.ts";
import type { AskedCall, ChatContent } from "../../model/agent/chat.ts";
import type { ProcessOptions, Toolset } from "../../model/agent.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject, stringOrEmpty } from "../../model/json.ts";
import { answerCompleteCalls, picturesOf, textOnly } from "./answers.ts";

type Completion<M> = { choices: readonly { message: M; finish_reason?: unknown }[] };

type ToolAnswer = { role: "tool"; tool_call_id: string; content: string };
type Pictures = {
  role: "user";
  content: ({ type: "text"; text: string } | { type: "image_url"; image_url: { url: string } })[];
};

/**
 * What follows on a chat completion: its message and what its calls came to. OpenAI takes pictures from users only, so
 * those of tools come in a message after them.
 *
 * @example
 * const tools = await toolset.schemas();
 * const completion = await openai.chat.completions.create({ model, messages, tools });
 * messages.push(...(await answerOpenAiCompletion(toolset, completion)));
 */
export async function answerOpenAiCompletion<M extends object>(
  toolset: Pick<Toolset, "answerCalls">,
  completion: Completion<M>,
  options?: ProcessOptions,
): Promise<(M | ToolAnswer | Pictures)[]> {
  const { tool_calls: calls = [] } = readResponse(completion);
  const [choice] = completion.choices;
  if (choice === undefined) return [];
  const isCut = isCutOff(finishOf(completion));
  const answers = await answerCompleteCalls(
    toolset,
    calls,
    (call) => isCut && !hasWholeArguments(call),
    options,
  );
  const pictures = answers.flatMap(({ call, content }) =>
    picturesOf(content).map((url) => ({ tool: call.function.name, url })),
  );
  return [
    calls.length === 0 ? choice.message : { ...choice.message, tool_calls: calls },
    ...answers.map(
      ({ call, content }): ToolAnswer => ({
        role: "tool",
        tool_call_id: call.id,
        content: textOnly(content),
      }),
    ),
    ...(pictures.length === 0 ? [] : [showPictures(pictures)]),
  ];
}

function showPictures(pictures: readonly { tool: string; url: string }[]): Pictures {
  return {
    role: "user",
    content: pictures.flatMap(({ tool, url }): Pictures["content"] => [
      { type: "text", text: `A picture that the tool ${tool} gave:` },
      { type: "image_url", image_url: { url } },
    ]),
  };
}

type OutputItem =
  | { type: "input_text"; text: string }
  | { type: "input_image"; image_url: string; detail: "auto" };

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
      "The response cannot be read: its 'output' is not a list of items. Give a response as OpenAI's API returns it.",
    );
  const isCut = isCutOff(response.status);
  const calls = response.output.flatMap(readCall);
  const answers = await answerCompleteCalls(
    toolset,
    calls,
    (call) => isCut && !hasWholeArguments(call),
    options,
  );
  return answers.map(({ call, content }) => ({
    type: "function_call_output",
    call_id: call.id,
    output: renderOutput(content),
  }));
}

function readCall(item: unknown): AskedCall[] {
  if (!isObject(item) || item.type !== "function_call") return [];
  const { call_id: id, name, arguments: argumentText } = item;
  if (typeof id !== "string" || typeof name !== "string") return [];
  return [
    {
      id,
      type: "function",
      function: { name, arguments: stringOrEmpty(argumentText) },
    },
  ];
}

function renderOutput(content: ChatContent): string | OutputItem[] {
  if (typeof content === "string") return content;
  return content.map((block) =>
    block.type === "text"
      ? { type: "input_text", text: block.text }
      : { type: "input_image", image_url: block.image_url.url, detail: "auto" },
  );
}
