import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { sliceText } from "@toolplane/core/lib/text/cut-text";
import { redact, redactDeep } from "@toolplane/core/lib/text/redact";
import type { TraceType } from "@toolplane/core/model/agent/agent-run";
import type {
  AskedCall,
  ChatContent,
  ChatContentBlock,
  ChatMessage,
} from "@toolplane/core/model/agent/chat";
import type { AgentRun, AgentStep } from "@toolplane/core/model/agent/run-schema";

/** A run as it is kept: as much of the conversation as its trace says, and nowhere what looks like a secret. */
export function keptRun(run: AgentRun): AgentRun {
  const { question, answer, reasoning, error, steps, trace, messages } = run;
  return {
    // What is added for the caller alone, the conversation to go on with, is not kept.
    ...summaryOf(run),
    question: keptText(question),
    answer: answer === null ? null : keptText(answer),
    reasoning: reasoning === null ? null : keptText(reasoning),
    error: redactDeep(error),
    steps: steps.map(keptStep),
    messages: messagesFor(trace, messages).map(keptMessage),
  };
}

function summaryOf({
  id,
  at,
  durationMs,
  user,
  owner,
  style,
  model,
  toolset,
  conversation,
  outcome,
  turns,
  usage,
  counters,
  trace,
  truncated,
  refused,
  waiting,
  missing,
}: AgentRun) {
  return {
    id,
    at,
    durationMs,
    user,
    style,
    model: keptText(model),
    toolset,
    conversation,
    outcome,
    turns,
    usage,
    counters,
    trace,
    ...withoutUndefined({ owner, truncated, refused, waiting, missing: redactDeep(missing) }),
  };
}

/** Names and ids of calls are what a model wrote. */
export function keptStep(step: AgentStep): AgentStep {
  const calls = step.calls.map((call) => ({
    ...call,
    id: keptText(call.id),
    tool: keptText(call.tool),
  }));
  return { ...step, calls };
}

/** Characters of one text that are kept. Whole results are kept elsewhere. */
const maxText = 65_536;
const image = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/;

/** As much of a conversation as is asked for; the last message is the model's last. Each content is a list of blocks. */
export function messagesFor(trace: TraceType, messages: readonly ChatMessage[]): ChatMessage[] {
  if (trace === "none") return [];
  if (trace === "all_messages") return messages.map(inBlocks);
  const last = messages.findLast(({ role }) => role === "assistant");
  return last === undefined ? [] : [inBlocks(last)];
}

function inBlocks(message: ChatMessage): ChatMessage {
  const { content } = message;
  if (typeof content !== "string") return message;
  return { ...message, content: [{ type: "text", text: content }] };
}

/** What the model thought last; null where that is blank or nowhere told apart. */
export function reasoningIn(messages: readonly ChatMessage[]): string | null {
  const last = messages.findLast((message) => message.role === "assistant");
  const thought = last?.reasoning_content?.trim() ?? "";
  return thought === "" ? null : thought;
}

/** A message without what looks like a secret, and not longer than is worth keeping. */
export function keptMessage(message: ChatMessage): ChatMessage {
  if (message.role === "tool")
    return {
      ...message,
      tool_call_id: keptText(message.tool_call_id),
      content: keptContent(message.content),
    };
  if (message.role !== "assistant")
    return { role: message.role, content: keptContent(message.content) };
  const { content, reasoning_content: thought, tool_calls: calls } = message;
  return {
    role: "assistant",
    content: keptContent(content),
    ...withoutUndefined({
      reasoning_content: thought === undefined ? undefined : keptText(thought),
      tool_calls: calls?.map(keptCall),
    }),
  };
}

export function keptText(text: string): string {
  if (text.length <= maxText) return redact(text);
  const droppedCharacters = text.length - maxText;
  return `${redact(sliceText(text, 0, maxText))}… (${droppedCharacters} more characters were not kept)`;
}

function keptCall({ id, function: { name, arguments: args } }: AskedCall): AskedCall {
  return {
    id: keptText(id),
    type: "function",
    function: { name: keptText(name), arguments: keptText(args) },
  };
}

function keptContent(content: ChatContent): ChatContent {
  if (typeof content === "string") return keptText(content);
  return content.map(keptBlock);
}

function keptBlock(block: ChatContentBlock): ChatContentBlock {
  if (block.type === "text") return { type: "text", text: keptText(block.text) };
  return { type: "image_url", image_url: { url: keptAddress(block.image_url.url) } };
}

/** A small picture stays; the address of another goes without its query, which may be what opens it. */
function keptAddress(url: string): string {
  if (!url.startsWith("data:")) return keptText(url.replace(/[?#].*$/s, "?…"));
  if (image.test(url) && url.length <= maxText) return url;
  return `${url.slice(0, 40).replace(/,.*$/s, "")},… (${url.length} characters were not kept)`;
}
