import { uniqueId } from "../../lib/ids-and-time.ts";
import { PlaneError } from "../errors.ts";
import { isObject, objectOrEmpty, stringOrEmpty, type UnknownObject } from "../json.ts";
import type {
  AskedCall,
  AssistantMessage,
  ChatContent,
  ChatContentBlock,
  ToolMessage,
} from "./chat.ts";

/** Some models give no id, or the same to several calls, or in each turn the same as in the one before. */
export function withUniqueIds(calls: readonly AskedCall[], taken = new Set<string>()): AskedCall[] {
  return calls.map((call) => {
    const id = call.id === "" || taken.has(call.id) ? `call_${uniqueId()}` : call.id;
    taken.add(id);
    return id === call.id ? call : { ...call, id };
  });
}

/** What stands in a conversation for a name that was left out; endpoints take none without one. */
export const noName = "unnamed_tool";

/** The assistant's message of a chat completion, or the message itself, as a conversation keeps it. */
export function readResponse(response: unknown): AssistantMessage {
  const { content, tool_calls, reasoning_content, reasoning } = messageOf(response);
  const calls = withUniqueIds(readCalls(tool_calls));
  const thought = [reasoning_content, reasoning].find((text) => typeof text === "string");
  const chatContent = readContent(content);
  return {
    role: "assistant",
    content:
      thought === undefined || typeof chatContent !== "string" ? chatContent : chatContent.trim(),
    ...(thought === undefined || thought.trim() === ""
      ? {}
      : { reasoning_content: thought.trim() }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** Why a completion ended; a message alone does not say. */
export function finishOf(response: unknown): unknown {
  const { choices } = objectOrEmpty(response);
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  return isObject(choice) ? choice.finish_reason : undefined;
}

export function countCalls(response: unknown): number {
  return readCalls(messageOf(response).tool_calls).length;
}

function messageOf(response: unknown): UnknownObject {
  if (!isObject(response)) throw unreadable("it is not an object");
  if (response.choices === undefined) {
    if (response.role !== undefined && response.role !== "assistant")
      throw unreadable(`it is a message of role '${String(response.role)}', not of the assistant`);
    return response;
  }
  const choice: unknown = Array.isArray(response.choices) ? response.choices[0] : undefined;
  if (!isObject(choice) || !isObject(choice.message))
    throw unreadable("'choices' holds no message");
  return choice.message;
}

function readCalls(calls: unknown): AskedCall[] {
  if (calls === undefined || calls === null) return [];
  if (!Array.isArray(calls)) throw unreadable("'tool_calls' is not a list");
  return calls.map((call: unknown, index) => {
    const { id, function: requestedFunction } = objectOrEmpty(call);
    if (!isObject(requestedFunction) || typeof requestedFunction.name !== "string")
      throw unreadable(`call ${index + 1} of 'tool_calls' names no function`);
    return {
      id: stringOrEmpty(id),
      type: "function",
      function: {
        name: requestedFunction.name,
        arguments: readArguments(requestedFunction.arguments),
      },
    };
  });
}

/** Some endpoints send arguments that are parsed already. */
function readArguments(rawArguments: unknown): string {
  if (rawArguments === undefined || rawArguments === null) return "";
  return typeof rawArguments === "string" ? rawArguments : JSON.stringify(rawArguments);
}

export function readContent(content: unknown): ChatContent {
  if (content === undefined || content === null) return "";
  if (typeof content === "string") return content;
  if (Array.isArray(content) && content.every(isBlock)) return content;
  throw unreadable("'content' is neither a text nor a list of blocks");
}

function isBlock(block: unknown): block is ChatContentBlock {
  if (!isObject(block)) return false;
  if (block.type === "text") return typeof block.text === "string";
  return (
    block.type === "image_url" &&
    isObject(block.image_url) &&
    typeof block.image_url.url === "string"
  );
}

function unreadable(why: string): PlaneError {
  return new PlaneError(
    "USAGE",
    `The response cannot be read: ${why}. Give a chat completion, or its assistant message.`,
  );
}

/** A turn of a given history with unique ids, and the results of its calls. */
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

export function toToolMessage({
  call,
  content,
}: {
  call: AskedCall;
  content: ChatContent;
}): ToolMessage {
  return { role: "tool", tool_call_id: call.id, content };
}

/** What calls beyond a limit are answered with, once. */
export function refusalFor(why: string): string {
  return `Not run: ${why}. Give your final answer now, with what you know.`;
}

const refusalText = refusalFor("the maximum number of tool-calling turns is reached");

/** Said beside the conversation when the model is asked for the last time. */
export const closingText =
  "No tools can be called any more. Do not ask for any. Answer the question now with what you know, and say what is missing.";

/** A response with each of its calls refused. */
export function refuseCalls(
  message: AssistantMessage,
  text = refusalText,
): [AssistantMessage, ...ToolMessage[]] {
  const refused = (message.tool_calls ?? []).map(
    ({ id }): ToolMessage => ({ role: "tool", tool_call_id: id, content: text }),
  );
  return [message, ...refused];
}
