import type { AgentCall, AgentRun } from "../../model/agent/agent-run.ts";
import type { AskedCall, ChatContent, ChatMessage } from "../../model/agent/chat.ts";

export type ToldCall = {
  kind: "call";
  number: number;
  tool: string;
  /** As the model wrote them; null where the conversation was not kept. */
  arguments: string | null;
  result: ChatContent | null;
  /** Null for a call of an earlier run. */
  facts: AgentCall | null;
};
export type ToldMessage = {
  kind: "message";
  /** An answer is what the model said last. */
  role: ChatMessage["role"] | "answer";
  content: ChatContent;
  reasoning: string | null;
};
export type Told = ToldMessage | ToldCall;

/** What happened, in order: what was said, and each call with its number, its arguments and what came of it. */
export function storyOf(run: AgentRun): Told[] {
  const made = run.steps.flatMap(({ calls }) => calls);
  const told = run.trace === "all_messages" ? conversationOf(run.messages, made) : shortStoryOf(run, made);
  let number = 0;
  return told.map((one, at) => {
    if (one.kind === "call") return { ...one, number: ++number };
    return one.role === "assistant" && at === told.length - 1 ? { ...one, role: "answer" } : one;
  });
}

function shortStoryOf({ question, messages, answer }: AgentRun, made: readonly AgentCall[]): Told[] {
  const calls = made.map((facts) => toldCall(facts.tool, null, facts));
  const last = messages.map((message) => toldMessage(message));
  const end = last.length > 0 || answer === null ? last : [said("assistant", answer)];
  return [said("user", question), ...calls, ...end];
}

function conversationOf(messages: readonly ChatMessage[], made: readonly AgentCall[]): Told[] {
  const factsOf = matchCalls(messages, made);
  const told: Told[] = [];
  let open = new Map<string, ToldCall>();
  for (const message of messages) {
    if (message.role === "tool") {
      const call = open.get(message.tool_call_id);
      if (call) call.result = message.content;
      else told.push(toldMessage(message));
      open.delete(message.tool_call_id);
      continue;
    }
    const spoken = toldMessage(message);
    if (message.role !== "assistant" || spoken.reasoning !== null || !isEmpty(message.content)) told.push(spoken);
    if (message.role !== "assistant") continue;
    const asked = (message.tool_calls ?? []).map((call) => ({ call, told: askedCall(call, factsOf) }));
    open = new Map(asked.map(({ call, told: one }) => [call.id, one]));
    told.push(...asked.map(({ told: one }) => one));
  }
  return told;
}

/** Ids come again where a conversation goes on, and the run that is told of is its end: so from there on backwards. */
function matchCalls(messages: readonly ChatMessage[], made: readonly AgentCall[]): Map<AskedCall, AgentCall> {
  const asked = messages.flatMap((message) => (message.role === "assistant" ? (message.tool_calls ?? []) : []));
  const left = [...made];
  const found = new Map<AskedCall, AgentCall>();
  for (const call of asked.toReversed()) {
    const at = left.findLastIndex(({ id }) => id === call.id);
    if (at >= 0) found.set(call, ...(left.splice(at, 1) as [AgentCall]));
  }
  return found;
}

function askedCall(call: AskedCall, factsOf: ReadonlyMap<AskedCall, AgentCall>): ToldCall {
  return toldCall(call.function.name, call.function.arguments, factsOf.get(call) ?? null);
}

function toldCall(tool: string, args: string | null, facts: AgentCall | null): ToldCall {
  return { kind: "call", number: 0, tool, arguments: args, result: null, facts };
}

function said(role: ChatMessage["role"], content: ChatContent): ToldMessage {
  return { kind: "message", role, content, reasoning: null };
}

function toldMessage(message: ChatMessage): ToldMessage {
  const thought = message.role === "assistant" ? (message.reasoning_content?.trim() ?? "") : "";
  return { ...said(message.role, message.content), reasoning: thought === "" ? null : thought };
}

function isEmpty(content: ChatContent): boolean {
  return typeof content === "string" ? content.trim() === "" : content.length === 0;
}
