import type { AssistantMessage, ToolMessage } from "../model/agent/chat.ts";

/** What calls beyond a limit are answered with, once. */
export function refusalFor(why: string): string {
  return `Not run: ${why}. Give your final answer now, with what you know.`;
}

export const refusalText = refusalFor("the maximum number of tool-calling turns is reached");

/** Said beside the conversation when the model is asked for the last time. */
export const closingText =
  "No tools can be called any more. Do not ask for any. Answer the question now with what you know, and say what is missing.";

/** A response with each of its calls refused. Nobody is asked anything. */
export function refuseCalls(message: AssistantMessage, text = refusalText): [AssistantMessage, ...ToolMessage[]] {
  const refused = (message.tool_calls ?? []).map(
    ({ id }): ToolMessage => ({ role: "tool", tool_call_id: id, content: text }),
  );
  return [message, ...refused];
}
