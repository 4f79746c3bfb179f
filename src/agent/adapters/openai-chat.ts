import type { ProcessOptions, Toolset } from "../../model/agent.ts";
import { finishOf, readResponse } from "../asked-calls.ts";
import { answerWhole, hasWholeArguments, isCutOff } from "../cut-off.ts";
import { picturesOf, textOnly } from "./pictures.ts";

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
  const answers = await answerWhole(toolset, calls, (call) => isCut && !hasWholeArguments(call), options);
  const pictures = answers.flatMap(({ call, content }) =>
    picturesOf(content).map((url) => ({ of: call.function.name, url })),
  );
  return [
    calls.length === 0 ? choice.message : { ...choice.message, tool_calls: calls },
    ...answers.map(
      ({ call, content }): ToolAnswer => ({
        ...{ role: "tool", tool_call_id: call.id, content: textOnly(content) },
      }),
    ),
    ...(pictures.length === 0 ? [] : [showPictures(pictures)]),
  ];
}

function showPictures(pictures: readonly { of: string; url: string }[]): Pictures {
  return {
    role: "user",
    content: pictures.flatMap(({ of, url }): Pictures["content"] => [
      { type: "text", text: `A picture that the tool ${of} gave:` },
      { type: "image_url", image_url: { url } },
    ]),
  };
}
