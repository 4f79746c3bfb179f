import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage, type ToolCall } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";

type Options = BaseChatModelCallOptions & { tools?: object[] };
type Asked = { id: string; function: { name: string; arguments: string } };

/** A chat model behind an endpoint that speaks chat completions. */
export class ChatModel extends BaseChatModel<Options> {
  readonly #url: string;

  constructor(url: string) {
    super({ maxRetries: 0 });
    this.#url = url;
  }

  override _llmType(): string {
    return "chat-completions";
  }

  override bindTools(tools: BindToolsInput[]) {
    return this.withConfig({ tools: tools.map((tool) => convertToOpenAITool(tool)) });
  }

  override async _generate(messages: BaseMessage[], { tools = [] }: Options): Promise<ChatResult> {
    const body = JSON.stringify({ model: "scripted", messages: messages.map(toWire), tools });
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${this.#url}/chat/completions`, {
      method: "POST",
      headers,
      body,
    });
    const { choices } = (await response.json()) as {
      choices: [{ message: { content: string | null; tool_calls?: Asked[] } }];
    };
    const { content, tool_calls: asked = [] } = choices[0].message;
    const calls = asked.map(
      ({ id, function: { name, arguments: args } }): ToolCall => ({
        type: "tool_call",
        id,
        name,
        args: JSON.parse(args),
      }),
    );
    const message = new AIMessage({ content: content ?? "", tool_calls: calls });
    return { generations: [{ text: content ?? "", message }] };
  }
}

function toWire(message: BaseMessage): object {
  const { content } = message;
  const type = message.getType();
  if (type === "tool")
    return { role: "tool", content, tool_call_id: Reflect.get(message, "tool_call_id") };
  if (!AIMessage.isInstance(message))
    return { role: type === "human" ? "user" : "system", content };
  const calls = (message.tool_calls ?? []).map(({ id, name, args }) => ({
    type: "function",
    id,
    function: { name, arguments: JSON.stringify(args) },
  }));
  return { role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}
