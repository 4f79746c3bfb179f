import type { ChatModel, ModelPart } from "../../src/model/agent/chat.ts";
import { callsOf } from "./work.ts";

const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };

/** Says what the model behind the endpoint says, without the endpoint: what is left is the work of the plane. */
export const instantModel: ChatModel = {
  name: "instant",
  async *stream({ messages }): AsyncGenerator<ModelPart> {
    const last = messages.at(-1);
    if (last?.role === "tool") yield { type: "text", text: "Done." };
    else
      for (const [at, { server, message }] of callsOf(
        Number(/\d+/.exec(String(last?.content))?.[0]),
      ).entries()) {
        const called = { name: `${server}__echo`, arguments: JSON.stringify({ message }) };
        yield { type: "call", call: { id: `call_${at}`, type: "function", function: called } };
      }
    yield { type: "end", reason: "stop", usage };
  },
};
