import type { AssistantMessage, ChatMessage, ToolMessage } from "../model/agent/chat.ts";
import { withUniqueIds } from "./asked-calls.ts";
import { silenceOf } from "./silence.ts";
import type { Observation, Said, Style, Turn } from "./style.ts";

/** The model's own way of calling tools. */
export const toolsStyle: Style = {
  name: "tools",
  request: ({ messages, tools, system }: Turn) => ({
    messages: system === null ? messages : [{ role: "system", content: system }, ...messages],
    ...(tools.length === 0 ? {} : { tools }),
  }),
  async read(parts, voice) {
    const said = { text: "", thought: "", reason: "unknown" };
    const asked: Said["calls"] = [];
    let usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
    for await (const part of parts) {
      if (part.type === "text") {
        said.text += part.text;
        voice.say("answer", part.text);
      } else if (part.type === "reasoning") {
        said.thought += part.text;
        voice.say("thought", part.text);
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
