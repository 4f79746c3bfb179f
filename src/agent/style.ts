import type { AgentStyle } from "../model/agent/agent-run.ts";
import type {
  AskedCall,
  AssistantMessage,
  ChatContent,
  ChatMessage,
  ModelPart,
  ModelRequest,
  ModelTool,
  TokenUsage,
  ToolMessage,
} from "../model/agent/chat.ts";
import { withUniqueIds } from "./asked-calls.ts";
import { type Silence, silenceOf } from "./broken-replies.ts";
import type { MessageStream } from "./message-stream.ts";

/** What a style knows when the model is to be asked. */
export type Turn = {
  /** The conversation so far in the shape of chat completions, whatever the style: the question is in it. */
  messages: readonly ChatMessage[];
  /** What the model may call now; empty when it has to answer with what it knows. */
  tools: readonly ModelTool[];
  /** Who the model is and what it should know: not part of the conversation. */
  system: string | null;
};

/** What a model wanted in one turn. */
export type Said = {
  /** What the conversation keeps of it. Calls are in `tool_calls`, and there only when there are any. */
  message: AssistantMessage;
  /** What it thought, as far as that can be told; empty when it cannot. */
  thought: string;
  calls: AskedCall[];
  /** Null when it asked for calls, or when nothing can be made of what it said. */
  answer: string | null;
  /** Why nothing can be made of it, for the model to read; null when it was understood. */
  problem: string | null;
  /** Where it said nothing at all: why. */
  silence?: Silence;
  /** What it said without the form it should have; at the very end that is better than nothing. */
  prose?: string;
  usage: TokenUsage;
  /** Why it stopped, in the words of its endpoint: `length` when it had no room. */
  reason: string;
};

/** What became of one call, in the words that the model reads. */
export type Observation = { call: AskedCall; content: ChatContent; isError: boolean };

/** One way of giving a model tools. It has no state: a conversation can go on in another style. */
export type Style = {
  readonly name: AgentStyle;
  /** What the model is sent; limits and the signal are added by the loop. */
  request(turn: Turn): Pick<ModelRequest, "messages" | "tools" | "stop">;
  /**
   * Listens to the end and tells thoughts and answers as they come; throws what the stream throws. Actions and
   * observations are told by the loop.
   */
  read(parts: AsyncIterable<ModelPart>, stream: MessageStream): Promise<Said>;
  /** What is added to the conversation after a turn; with a problem and no observations, what tells the model of it. */
  observe(said: Said, observations: readonly Observation[]): ChatMessage[];
};

/** The model's own way of calling tools. */
export const toolsStyle: Style = {
  name: "tools",
  request: ({ messages, tools, system }: Turn) => ({
    messages: system === null ? messages : [{ role: "system", content: system }, ...messages],
    ...(tools.length === 0 ? {} : { tools }),
  }),
  async read(parts, stream) {
    const said = { text: "", thought: "", reason: "unknown" };
    const asked: Said["calls"] = [];
    let usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
    for await (const part of parts) {
      if (part.type === "text") {
        said.text += part.text;
        stream.say("answer", part.text);
      } else if (part.type === "reasoning") {
        said.thought += part.text;
        stream.say("thought", part.text);
      } else if (part.type === "call") asked.push(part.call);
      else ({ reason: said.reason, usage } = part);
    }
    return understand(said, withUniqueIds(asked), usage);
  },
  observe(said, observations) {
    if (said.problem !== null) return [{ role: "user", content: said.problem } satisfies ChatMessage];
    return observations.map(toToolMessage);
  },
};

function understand(
  { text, thought, reason }: { text: string; thought: string; reason: string },
  calls: Said["calls"],
  usage: Said["usage"],
): Said {
  const silence = calls.length === 0 && text.trim() === "" ? silenceOf(reason) : undefined;
  return {
    message: assistantMessage(text, thought, calls),
    thought: thought.trim(),
    calls,
    answer: calls.length > 0 || silence ? null : text.trim(),
    problem: silence?.told ?? null,
    ...(silence ? { silence } : {}),
    usage,
    reason,
  };
}

/** Where a model tells what it thought, both texts come with blanks around them. */
export function assistantMessage(
  text: string,
  thought: string,
  calls: AssistantMessage["tool_calls"],
): AssistantMessage {
  return {
    role: "assistant",
    content: thought === "" ? text : text.trim(),
    ...(thought.trim() === "" ? {} : { reasoning_content: thought.trim() }),
    ...(calls === undefined || calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

export function toToolMessage({ call, content }: Observation): ToolMessage {
  return { role: "tool", tool_call_id: call.id, content };
}
