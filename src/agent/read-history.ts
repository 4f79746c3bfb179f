import type { AssistantMessage, ChatMessage, ToolMessage } from "../model/chat.ts";
import { PlaneError, toPlaneError } from "../model/errors.ts";
import { isObject } from "../model/json.ts";
import { readContent, readResponse } from "./asked-calls.ts";
import { renameTurn } from "./unique-calls.ts";

const interrupted = "Interrupted: nothing is known of how this call ended.";

/**
 * A conversation that somebody gives back, made fit for a model: endpoints refuse one in which a call has no answer or
 * an answer no call.
 */
export function readHistory(given: unknown): ChatMessage[] {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) throw new PlaneError("USAGE", "'history' must be a list of messages.");
  const messages = given.map(readMessage);
  const history: ChatMessage[] = [];
  const taken = new Set<string>();
  for (const [at, message] of messages.entries()) {
    if (message.role === "tool") continue;
    if (message.role === "assistant" && message.tool_calls)
      history.push(...renameTurn(message, answersTo(message.tool_calls, messages.slice(at + 1)), taken));
    else history.push(message);
  }
  return history;
}

/** Those that follow at once: ids are given anew in each turn by some models. */
function answersTo(
  calls: NonNullable<AssistantMessage["tool_calls"]>,
  rest: readonly ChatMessage[],
): ToolMessage[] {
  const end = rest.findIndex(({ role }) => role !== "tool");
  const answers = (end === -1 ? rest : rest.slice(0, end)) as ToolMessage[];
  return calls.map(
    ({ id }) =>
      answers.find((answer) => answer.tool_call_id === id) ?? {
        role: "tool",
        tool_call_id: id,
        content: interrupted,
      },
  );
}

function readMessage(message: unknown, at: number): ChatMessage {
  const place = `Message ${at + 1} of 'history'`;
  if (!isObject(message)) throw new PlaneError("USAGE", `${place} is no object.`);
  const { role, tool_call_id } = message;
  try {
    if (role === "assistant") return readResponse(message);
    if (role === "system" || role === "user") return { role, content: readContent(message.content) };
    if (role === "tool" && typeof tool_call_id === "string")
      return { role, tool_call_id, content: readContent(message.content) };
  } catch (thrown) {
    throw new PlaneError("USAGE", `${place} cannot be used. ${toPlaneError(thrown).message}`);
  }
  const why =
    role === "tool" ? "has no 'tool_call_id'" : "must have the role system, user, assistant or tool";
  throw new PlaneError("USAGE", `${place} ${why}.`);
}
