import type { TimeLimiter } from "../lib/async/time-limit.ts";
import { cutText } from "../lib/text/cut-text.ts";
import type { AgentOutcome } from "../model/agent/agent-run.ts";
import type { AskedCall, ChatMessage, ChatModel, ModelPart, ModelRequest, TokenUsage } from "../model/agent/chat.ts";
import type { PlaneError } from "../model/errors.ts";
import { closingText, noName, refusalFor, withUniqueIds } from "./asked-calls.ts";
import { isCutOff, modelBrokeOff, stayedSilent } from "./broken-replies.ts";
import { type Budget, usedUp } from "./budgets.ts";
import { type Conversation, isOverBudget } from "./conversation.ts";
import type { MessageStream } from "./message-stream.ts";
import { limitParts, streamWithRetries } from "./models/stream.ts";
import { type Called, type CallTool, type OfferedTool, runCalls } from "./run-calls.ts";
import type { Said, Style } from "./style.ts";

/** What a run has left; infinite where it has no limit. What a tool lets a model say is taken from it. */
export type Left = { ms: number; tokens(): number; sampled(usage: TokenUsage): void };

/** What a run of an agent is made with. */
export type LoopParts = {
  model: ChatModel;
  style: Style;
  system: string | null;
  budget: Budget;
  limiter: TimeLimiter;
  settings: Pick<ModelRequest, "temperature" | "maxOutputTokens">;
  /** Asked again in each turn: what was called may have led to another state, and servers come and go. */
  listTools(state: string | undefined): Promise<readonly OfferedTool[]>;
  call(state: string | undefined, left: Left): CallTool;
  stream: MessageStream;
};

/** The part of a call that is reported while a run goes on. */
const shownCharacters = 1_000;
const shownArguments = 20_000;

/** One turn of the model, kept in the conversation; what it had said before it failed is kept too. */
async function askModel(
  conversation: Conversation,
  tools: readonly OfferedTool[],
  { model, style, system, settings, limiter, stream }: LoopParts,
): Promise<Said> {
  const offered = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  const request = {
    ...style.request({ messages: conversation.messages, tools: offered, system }),
    ...settings,
    signal: limiter.signal,
  };
  const step = conversation.beginStep(tools.length);
  const heard = { text: "" };
  try {
    const parts = streamWithRetries(model, request, limiter.leftMs);
    const read = await style.read(listen(limitParts(parts), heard, model.name), stream);
    const said = withOwnIds(read, conversation.messages);
    step.end(said.usage, said.reason);
    conversation.said(said);
    for (const call of said.calls) tellAction(call, stream);
    return said;
  } catch (thrown) {
    step.end();
    stream.end();
    if (heard.text.trim() !== "") conversation.add([{ role: "assistant", content: heard.text }]);
    throw thrown;
  }
}

async function* listen(
  parts: AsyncIterable<ModelPart>,
  heard: { text: string },
  model: string,
): AsyncGenerator<ModelPart> {
  let hasEnded = false;
  for await (const part of parts) {
    if (part.type === "text") heard.text += part.text;
    hasEnded ||= part.type === "end";
    yield part;
  }
  if (!hasEnded) throw modelBrokeOff(model);
}

function tellAction({ id, function: { name, arguments: text } }: AskedCall, stream: LoopParts["stream"]): void {
  stream.tell("action", cutText(`${name} ${text}`.trim(), shownCharacters), {
    call: { id, tool: name, ...(text.length > shownArguments ? {} : { arguments: readable(text) }) },
  });
}

/** What is no JSON is shown as it is. */
function readable(text: string): unknown {
  try {
    return JSON.parse(text === "" ? "{}" : text);
  } catch {
    return text;
  }
}

export type Ending = { outcome: AgentOutcome; answer: string | null; error: PlaneError | null };

/** Why no tools are offered any more, and what an answer without them is worth. */
type Closing = { outcome: AgentOutcome };

/**
 * Asks the model until it answers. It gets what it asks for as long as its budget lasts, is refused once, is asked once
 * more without tools, and then it is over, whatever it says.
 */
export async function loop(conversation: Conversation, parts: LoopParts): Promise<Ending> {
  let closing: Closing | null = null;
  let wasSilent = false;
  for (;;) {
    const tools: readonly OfferedTool[] = closing ? [] : await parts.listTools(conversation.state);
    const said = await askModel(conversation, tools, closing ? withClosing(parts) : parts);
    if (said.answer !== null) {
      const outcome = closing?.outcome ?? (conversation.isShort() ? "budget" : "completed");
      return { outcome, answer: said.answer, error: null };
    }
    if (said.silence && wasSilent) throw stayedSilent(parts.model.name, said.silence);
    if (closing) return giveUp(conversation, said, closing, parts);
    wasSilent = said.silence !== undefined;
    closing = await respond(conversation, said, tools, parts);
    parts.limiter.signal.throwIfAborted();
  }
}

/** Gives the model what it asked for, or tells it why not; with the latter, and where nothing new came, it is to close. */
async function respond(
  conversation: Conversation,
  said: Said,
  tools: readonly OfferedTool[],
  parts: LoopParts,
): Promise<Closing | null> {
  const over = usedUp(parts.budget, conversation.spent);
  if (said.problem !== null) {
    conversation.spent.turns += 1;
    parts.stream.tell("error", said.problem);
    conversation.add(parts.style.observe(said, []));
    return over;
  }
  if (over) {
    refuse(conversation, said, refusalFor(over.why), parts);
    return over;
  }
  const called = await runCalls(said.calls, {
    offered: tools,
    call: parts.call(conversation.state, leftOf(conversation, parts)),
    memory: conversation.memory,
    callsLeft: parts.budget.calls - conversation.spent.calls,
    isCut: isCutOff(said.reason),
    signal: parts.limiter.signal,
    onEnd: (ended) => tellObservation(ended, parts.stream),
  });
  conversation.served(called);
  conversation.add(
    parts.style.observe(
      said,
      called.map(({ observation }) => observation),
    ),
  );
  if (called.every(({ isRepeat }) => isRepeat)) return { outcome: "completed" };
  const isBroke = called.every(isOverBudget) || called.some(({ isBeyondBudget }) => isBeyondBudget);
  return isBroke ? { outcome: "budget" } : null;
}

function leftOf({ spent, sampled }: Conversation, { budget, limiter }: LoopParts): Left {
  return { ms: limiter.leftMs(), tokens: () => budget.tokens - spent.tokens, sampled };
}

/** What it asks for at the very end is refused too, so that the conversation can go on another time. */
function giveUp(conversation: Conversation, said: Said, { outcome }: Closing, parts: LoopParts): Ending {
  if (said.problem === null) refuse(conversation, said, refusalFor("no tools can be called any more"), parts);
  const text = bestEffort(said);
  if (said.prose !== undefined) parts.stream.say("answer", text);
  return {
    outcome: outcome === "completed" ? "max-iterations" : outcome,
    answer: text === "" ? null : text,
    error: null,
  };
}

function bestEffort({ message, problem, prose = "" }: Said): string {
  if (problem !== null) return prose.trim();
  return typeof message.content === "string" ? message.content.trim() : "";
}

function refuse(conversation: Conversation, said: Said, text: string, { style, stream }: LoopParts): void {
  const observations = said.calls.map((call) => ({ call, content: text, isError: true }));
  conversation.refused(said.calls);
  for (const { call } of observations)
    stream.tell("observation", text, {
      call: { id: call.id, tool: call.function.name, status: "refused", record: null },
    });
  conversation.add(style.observe(said, observations));
}

function tellObservation({ observation, record }: Called, stream: MessageStream): void {
  const { content } = observation;
  const text =
    typeof content === "string"
      ? content
      : content.map((block) => (block.type === "text" ? block.text : "[picture]")).join("\n");
  const { id, tool, status, record: recorded } = record;
  stream.tell("observation", text, { call: { id, tool, status, record: recorded } });
}

function withClosing(parts: LoopParts): LoopParts {
  return { ...parts, system: parts.system === null ? closingText : `${parts.system}\n\n${closingText}` };
}

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
function withOwnIds(said: Said, messages: readonly ChatMessage[]): Said {
  if (said.calls.length === 0) return said;
  const calls = withUniqueIds(said.calls.map(named), idsIn(messages));
  const message = said.message.tool_calls ? { ...said.message, tool_calls: calls } : said.message;
  return { ...said, calls, message };
}
