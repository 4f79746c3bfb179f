import type { AskedCall, AssistantMessage, ChatMessage, ToolMessage } from "../model/agent/chat.ts";
import { noName, withUniqueIds } from "./asked-calls.ts";
import type { Said } from "./style.ts";

/** The ids of all calls that were asked for. */
function idsIn(messages: readonly ChatMessage[]): Set<string> {
  return new Set(
    messages.flatMap((message) => (message.role === "assistant" ? (message.tool_calls ?? []).map(({ id }) => id) : [])),
  );
}

function named(call: AskedCall): AskedCall {
  const { name } = call.function;
  return name.trim() === "" ? { ...call, function: { ...call.function, name: noName } } : call;
}

/** Some models begin to count anew in each turn; in a conversation each call has an id of its own. */
export function withOwnIds(said: Said, messages: readonly ChatMessage[]): Said {
  if (said.calls.length === 0) return said;
  const calls = withUniqueIds(said.calls.map(named), idsIn(messages));
  const message = said.message.tool_calls ? { ...said.message, tool_calls: calls } : said.message;
  return { ...said, calls, message };
}

/** The same for a turn of a conversation that somebody gives back, and what its calls came to. */
export function renameTurn(
  message: AssistantMessage,
  answers: readonly ToolMessage[],
  taken: Set<string>,
): [AssistantMessage, ...ToolMessage[]] {
  const calls = withUniqueIds(message.tool_calls ?? [], taken);
  const renamed = answers.map((answer, at) => ({
    ...answer,
    tool_call_id: calls[at]?.id ?? answer.tool_call_id,
  }));
  return [{ ...message, tool_calls: calls }, ...renamed];
}
