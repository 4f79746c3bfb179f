import type { TimeLimiter } from "@toolplane/core/lib/async/time-limit";
import { cutText } from "@toolplane/core/lib/text/cut-text";
import type { PromptEvent } from "@toolplane/core/model/access/hook";
import {
  closingText,
  noName,
  refusalFor,
  withUniqueIds,
} from "@toolplane/core/model/agent/asked-calls";
import {
  emptyReplyError,
  isCutOff,
  modelBrokeOff,
} from "@toolplane/core/model/agent/broken-replies";
import type {
  AskedCall,
  ChatMessage,
  ChatModel,
  ModelPart,
  ModelRequest,
} from "@toolplane/core/model/agent/chat";
import type { AgentOutcome, TokenUsage } from "@toolplane/core/model/agent/run-schema";
import type { PlaneError } from "@toolplane/core/model/errors";
import type { JsonObject } from "@toolplane/core/model/json";
import { type Budget, usedUp } from "./budgets.ts";
import { type Conversation, isOverBudget } from "./conversation.ts";
import type { MessageStream } from "./message-stream.ts";
import { limitParts, streamWithRetries } from "./models/stream.ts";
import { type CallByName, type Called, type OfferedTool, runCalls } from "./run-calls.ts";
import { callsIn, contentText, type ModelTurn, type Style } from "./style.ts";

/** What a run has left; infinite where it has no limit. Sampling by servers is taken from it. */
export type Left = { ms: number; tokens(): number; sampled(usage: TokenUsage): void };

export type LoopParts = {
  model: ChatModel;
  style: Style;
  system: string | null;
  budget: Budget;
  limiter: TimeLimiter;
  settings: Pick<ModelRequest, "temperature" | "maxOutputTokens">;
  /** Called in each turn: the state changes, and servers come and go. */
  listTools(state: string | undefined): Promise<readonly OfferedTool[]>;
  call(state: string | undefined, left: Left): CallByName;
  stream: MessageStream;
  /** Rejects where a hook denies it. */
  guard?(event: PromptEvent, payload: JsonObject, signal: AbortSignal): Promise<JsonObject>;
};

/** How much of a call is streamed. */
const shownCharacters = 1_000;
const shownArguments = 20_000;

/** One turn of the model; what it said before a failure is kept too. */
async function askModel(
  conversation: Conversation,
  tools: readonly OfferedTool[],
  { model, style, system, settings, limiter, stream, guard }: LoopParts,
): Promise<ModelTurn> {
  const offered = tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parameters,
  }));
  const turn = style.request({ messages: conversation.messages, tools: offered, system });
  const request = { ...turn, ...settings, signal: limiter.signal };
  const seen = { model: model.name, messages: turn.messages, tools: tools.map(({ name }) => name) };
  await guard?.("BeforeModel", seen as unknown as JsonObject, limiter.signal);
  const endStep = conversation.beginStep(tools.length);
  const heard = { text: "" };
  try {
    const parts = streamWithRetries(model, request, () => limiter.leftMs());
    const read = await style.read(listen(limitParts(parts), heard, model.name), stream);
    const said = withOwnIds(read, conversation.messages);
    endStep(said.usage, said.reason);
    conversation.add([said.message]);
    for (const call of said.calls) streamAction(call, stream);
    return said;
  } catch (thrown) {
    endStep();
    stream.end();
    if (heard.text.trim() !== "") conversation.add([{ role: "assistant", content: heard.text }]);
    throw thrown;
  }
}

async function* listen(parts: AsyncIterable<ModelPart>, heard: { text: string }, model: string) {
  let hasEnded = false;
  for await (const part of parts) {
    if (part.type === "text") heard.text += part.text;
    hasEnded ||= part.type === "end";
    yield part;
  }
  if (!hasEnded) throw modelBrokeOff(model);
}

function streamAction(
  { id, function: { name, arguments: text } }: AskedCall,
  stream: LoopParts["stream"],
): void {
  stream.tell("action", cutText(`${name} ${text}`.trim(), shownCharacters), {
    call: { id, tool: name, ...(text.length <= shownArguments && { arguments: readable(text) }) },
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

/** Asks until the model answers. Beyond its budget it is refused once, then asked once more without tools. */
export async function loop(conversation: Conversation, parts: LoopParts): Promise<Ending> {
  /** The outcome of an answer without tools, once none are offered any more. */
  let closing: AgentOutcome | null = null;
  let wasSilent = false;
  for (;;) {
    const tools: readonly OfferedTool[] = closing
      ? []
      : await parts.listTools(conversation.state());
    const said = await askModel(conversation, tools, closing ? withClosing(parts) : parts);
    if (said.answer !== null) {
      const outcome = closing ?? (conversation.isShort() ? "budget" : "completed");
      return { outcome, answer: said.answer, error: null };
    }
    if (said.silence && wasSilent) throw emptyReplyError(parts.model.name, said.silence);
    if (closing) return giveUp(conversation, said, closing, parts);
    wasSilent = said.silence !== undefined;
    closing = await respond(conversation, said, tools, parts);
    parts.limiter.signal.throwIfAborted();
  }
}

/** Makes the calls, or refuses them. Returns an outcome when the model has to close. */
async function respond(
  conversation: Conversation,
  said: ModelTurn,
  tools: readonly OfferedTool[],
  parts: LoopParts,
): Promise<AgentOutcome | null> {
  const over = usedUp(parts.budget, conversation.spent);
  if (said.problem !== null) {
    conversation.spent.turns += 1;
    parts.stream.tell("error", said.problem);
    conversation.add(parts.style.observe(said, []));
    return over?.outcome ?? null;
  }
  if (over) {
    refuse(conversation, said, refusalFor(over.why), parts);
    return over.outcome;
  }
  const { spent, sampled } = conversation;
  const left = {
    ms: parts.limiter.leftMs(),
    tokens: () => parts.budget.tokens - spent.tokens,
    sampled,
  };
  const called = await runCalls(said.calls, {
    offered: tools,
    call: parts.call(conversation.state(), left),
    memory: conversation.memory,
    callsLeft: parts.budget.calls - spent.calls,
    isCut: isCutOff(said.reason),
    signal: parts.limiter.signal,
    onEnd: (ended) => streamObservation(ended, parts.stream),
  });
  conversation.served(called);
  const observations = called.map(({ observation }) => observation);
  conversation.add(parts.style.observe(said, observations));
  if (called.every(({ isRepeat }) => isRepeat)) return "completed";
  const isBroke = called.every(isOverBudget) || called.some(({ isBeyondBudget }) => isBeyondBudget);
  return isBroke ? "budget" : null;
}

/** Calls at the very end are refused too, so that the conversation can go on another time. */
function giveUp(
  conversation: Conversation,
  said: ModelTurn,
  closing: AgentOutcome,
  parts: LoopParts,
): Ending {
  const { message, problem, prose } = said;
  if (problem === null)
    refuse(conversation, said, refusalFor("no tools can be called any more"), parts);
  const content = typeof message.content === "string" ? message.content : "";
  const text = (problem === null ? content : (prose ?? "")).trim();
  if (prose !== undefined) parts.stream.say("answer", text);
  return {
    outcome: closing === "completed" ? "max-iterations" : closing,
    answer: text || null,
    error: null,
  };
}

function refuse(
  conversation: Conversation,
  said: ModelTurn,
  text: string,
  { style, stream }: LoopParts,
): void {
  const observations = said.calls.map((call) => ({ call, content: text, isError: true }));
  conversation.refused(said.calls);
  for (const { id, function: asked } of said.calls)
    stream.tell("observation", text, {
      call: { id, tool: asked.name, status: "refused", record: null },
    });
  conversation.add(style.observe(said, observations));
}

function streamObservation(called: Called, stream: MessageStream): void {
  const { id, tool, status, record } = called.record;
  const { content } = called.observation;
  const result = called.hasPage && called.outcome?.result;
  const pictures =
    typeof content === "string"
      ? []
      : content.flatMap((one) => (one.type === "text" ? [] : one.image_url.url));
  const call = { id, tool, status, record };
  const more = { ...(pictures.length > 0 && { pictures }), ...(result && { result }) };
  stream.tell("observation", contentText(content), { call, ...more });
}

function withClosing(parts: LoopParts): LoopParts {
  return {
    ...parts,
    system: parts.system === null ? closingText : `${parts.system}\n\n${closingText}`,
  };
}

function named(call: AskedCall): AskedCall {
  if (call.function.name.trim() !== "") return call;
  return { ...call, function: { ...call.function, name: noName } };
}

/** Some models begin to count again in each turn; in a conversation each call has an id of its own. */
function withOwnIds(said: ModelTurn, messages: readonly ChatMessage[]): ModelTurn {
  if (said.calls.length === 0) return said;
  const calls = withUniqueIds(
    said.calls.map(named),
    new Set(callsIn(messages).map(({ id }) => id)),
  );
  const message = said.message.tool_calls ? { ...said.message, tool_calls: calls } : said.message;
  return { ...said, calls, message };
}
