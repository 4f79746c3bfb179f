import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import type { AgentStyle } from "@toolplane/core/model/agent/agent-run";
import { toToolMessage, withUniqueIds } from "@toolplane/core/model/agent/asked-calls";
import { type EmptyReply, emptyReplyOf } from "@toolplane/core/model/agent/broken-replies";
import type {
  AskedCall,
  AssistantMessage,
  ChatContent,
  ChatMessage,
  ModelPart,
  ModelRequest,
  ModelTool,
} from "@toolplane/core/model/agent/chat";
import type { TokenUsage } from "@toolplane/core/model/agent/run-schema";
import type { MessageStream } from "./message-stream.ts";

type Turn = {
  /** The conversation so far in the shape of chat completions, whatever the style. */
  messages: readonly ChatMessage[];
  /** Empty when the model has to answer with what it knows. */
  tools: readonly ModelTool[];
  /** Not part of the conversation. */
  system: string | null;
};

/** What a model wanted in one turn. */
export type ModelTurn = {
  message: AssistantMessage;
  calls: AskedCall[];
  /** Null when it asked for calls, or when its reply could not be understood. */
  answer: string | null;
  /** Why it was not understood, for the model to read. */
  problem: string | null;
  /** Why it said nothing at all. */
  silence?: EmptyReply;
  /** What it said without the form; at the very end that is better than nothing. */
  prose?: string;
  usage: TokenUsage;
  /** Why it stopped, in the words of its endpoint. */
  reason: string;
};

/** The outcome of one call, in the words that the model reads. */
export type Observation = { call: AskedCall; content: ChatContent; isError: boolean };

/** One way of giving a model tools. It has no state: a conversation can go on in another style. */
export type Style = {
  readonly name: AgentStyle;
  request(turn: Turn): Pick<ModelRequest, "messages" | "tools" | "stop">;
  /** Streams thoughts and answers; the loop streams actions and observations. Throws what the stream throws. */
  read(parts: AsyncIterable<ModelPart>, stream: MessageStream): Promise<ModelTurn>;
  /** What is added after a turn; with a problem and no observations, what tells the model of it. */
  observe(turn: ModelTurn, observations: readonly Observation[]): ChatMessage[];
};

export const noUsage: TokenUsage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };

/** A complete reply. */
export type ModelReply = {
  text: string;
  reasoning: string;
  calls: AskedCall[];
  usage: TokenUsage;
  reason: string;
};

export async function readReply(
  parts: AsyncIterable<ModelPart>,
  onText: (text: string, before: string) => void = () => undefined,
  onThought: (text: string) => void = () => undefined,
): Promise<ModelReply> {
  const reply: ModelReply = {
    text: "",
    reasoning: "",
    calls: [],
    usage: noUsage,
    reason: "unknown",
  };
  for await (const part of parts) {
    if (part.type === "text") {
      onText(part.text, reply.text);
      reply.text += part.text;
    } else if (part.type === "reasoning") {
      onThought(part.text);
      reply.reasoning += part.text;
    } else if (part.type === "call") reply.calls.push(part.call);
    else {
      reply.reason = part.reason;
      reply.usage = part.usage;
    }
  }
  return reply;
}

/** The model's own way of calling tools. */
export const toolsStyle: Style = {
  name: "tools",
  request: ({ messages, tools, system }) => ({
    messages: system === null ? messages : [{ role: "system", content: system }, ...messages],
    ...(tools.length > 0 && { tools }),
  }),
  async read(parts, stream) {
    const reply = await readReply(
      parts,
      (piece) => stream.say("answer", piece),
      (piece) => stream.say("thought", piece),
    );
    const { text, reasoning, usage, reason } = reply;
    const calls = withUniqueIds(reply.calls);
    const silence = calls.length === 0 && text.trim() === "" ? emptyReplyOf(reason) : undefined;
    return {
      message: assistantMessage(text, reasoning, calls),
      calls,
      answer: calls.length > 0 || silence ? null : text.trim(),
      problem: silence?.modelMessage ?? null,
      ...withoutUndefined({ silence }),
      usage,
      reason,
    };
  },
  observe(turn, observations) {
    if (turn.problem !== null) return [{ role: "user", content: turn.problem }];
    return observations.map(toToolMessage);
  },
};

/** Models that tell what they thought leave blanks around both texts. */
export function assistantMessage(
  text: string,
  thought: string,
  calls: AskedCall[],
): AssistantMessage {
  return {
    role: "assistant",
    content: thought === "" ? text : text.trim(),
    ...withoutUndefined({
      reasoning_content: thought.trim() || undefined,
      tool_calls: calls.length > 0 ? calls : undefined,
    }),
  };
}

/** The text of a message, with a stand-in for each picture. */
export function contentText(
  content: ChatContent,
  picture: (url: string) => string = () => "[picture]",
): string {
  if (typeof content === "string") return content;
  return content
    .map((block) => (block.type === "text" ? block.text : picture(block.image_url.url)))
    .join("\n");
}

export function callsIn(messages: readonly ChatMessage[]): AskedCall[] {
  return messages.flatMap((message) =>
    message.role === "assistant" ? (message.tool_calls ?? []) : [],
  );
}
