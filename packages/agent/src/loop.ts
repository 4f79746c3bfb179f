import type { TimeLimiter } from "@toolplane/core/lib/async/time-limit";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
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
export type Remaining = { ms: number; tokens(): number; sampled(usage: TokenUsage): void };

export type LoopParts = {
  model: ChatModel;
  style: Style;
  system: string | null;
  budget: Budget;
  limiter: TimeLimiter;
  settings: Pick<ModelRequest, "temperature" | "maxOutputTokens">;
  /** Called in each turn: the state changes, and servers come and go. */
  listTools(state: string | undefined): Promise<readonly OfferedTool[]>;
  call(state: string | undefined, remaining: Remaining): CallByName;
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
  const modelTools = tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parameters,
  }));
  const turnRequest = style.request({ messages: conversation.messages, tools: modelTools, system });
  const request = { ...turnRequest, ...settings, signal: limiter.signal };
  const guardedRequest = {
    model: model.name,
    messages: turnRequest.messages,
    tools: tools.map(({ name }) => name),
  };
  await guard?.("BeforeModel", guardedRequest as unknown as JsonObject, limiter.signal);
  const endStep = conversation.beginStep(tools.length);
  const heard = { text: "" };
  try {
    const parts = streamWithRetries(model, request, () => limiter.leftMs());
    const readTurn = await style.read(listen(limitParts(parts), heard, model.name), stream);
    const turn = withOwnIds(readTurn, conversation.messages);
    endStep(turn.usage, turn.reason);
    conversation.add([turn.message]);
    for (const call of turn.calls) streamAction(call, stream);
    return turn;
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
  const call = { id, tool: name };
  stream.tell("action", cutText(`${name} ${text}`.trim(), shownCharacters), {
    call: text.length <= shownArguments ? { ...call, arguments: readable(text) } : call,
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
    const turn = await askModel(conversation, tools, closing ? withClosing(parts) : parts);
    if (turn.answer !== null) {
      const outcome = closing ?? (conversation.isShort() ? "budget" : "completed");
      return { outcome, answer: turn.answer, error: null };
    }
    if (turn.silence && wasSilent) throw emptyReplyError(parts.model.name, turn.silence);
    if (closing) return giveUp(conversation, turn, closing, parts);
    wasSilent = turn.silence !== undefined;
    closing = await respond(conversation, turn, tools, parts);
    parts.limiter.signal.throwIfAborted();
  }
}

/** Makes the calls, or refuses them. Returns an outcome when the model has to close. */
async function respond(
  conversation: Conversation,
  turn: ModelTurn,
  tools: readonly OfferedTool[],
  parts: LoopParts,
): Promise<AgentOutcome | null> {
  const exhausted = usedUp(parts.budget, conversation.spent);
  if (turn.problem !== null) {
    conversation.spent.turns += 1;
    parts.stream.tell("error", turn.problem);
    conversation.add(parts.style.observe(turn, []));
    return exhausted?.outcome ?? null;
  }
  if (exhausted) {
    refuse(conversation, turn, refusalFor(exhausted.why), parts);
    return exhausted.outcome;
  }
  const { spent, sampled } = conversation;
  const remaining = {
    ms: parts.limiter.leftMs(),
    tokens: () => parts.budget.tokens - spent.tokens,
    sampled,
  };
  const called = await runCalls(turn.calls, {
    offered: tools,
    call: parts.call(conversation.state(), remaining),
    memory: conversation.memory,
    callsLeft: parts.budget.calls - spent.calls,
    isCut: isCutOff(turn.reason),
    signal: parts.limiter.signal,
    onEnd: (ended) => streamObservation(ended, parts.stream),
  });
  conversation.served(called);
  const observations = called.map(({ observation }) => observation);
  conversation.add(parts.style.observe(turn, observations));
  if (called.every(({ isRepeat }) => isRepeat)) return "completed";
  const isBroke = called.every(isOverBudget) || called.some(({ isBeyondBudget }) => isBeyondBudget);
  return isBroke ? "budget" : null;
}

/** Calls at the very end are refused too, so that the conversation can go on another time. */
function giveUp(
  conversation: Conversation,
  turn: ModelTurn,
  closing: AgentOutcome,
  parts: LoopParts,
): Ending {
  const { message, problem, prose } = turn;
  if (problem === null)
    refuse(conversation, turn, refusalFor("no tools can be called any more"), parts);
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
  turn: ModelTurn,
  text: string,
  { style, stream }: LoopParts,
): void {
  const observations = turn.calls.map((call) => ({ call, content: text, isError: true }));
  conversation.refused(turn.calls);
  for (const { id, function: calledFunction } of turn.calls)
    stream.tell("observation", text, {
      call: { id, tool: calledFunction.name, status: "refused", record: null },
    });
  conversation.add(style.observe(turn, observations));
}

function streamObservation(called: Called, stream: MessageStream): void {
  const { id, tool, status, record } = called.record;
  const { content } = called.observation;
  const result = called.hasPage ? called.outcome?.result : undefined;
  const blocks = typeof content === "string" ? [] : content;
  const pictures = blocks.flatMap((block) => (block.type === "text" ? [] : block.image_url.url));
  const call = { id, tool, status, record };
  const extras = { pictures: pictures.length > 0 ? pictures : undefined, result };
  stream.tell("observation", contentText(content), { call, ...withoutUndefined(extras) });
}

function withClosing(parts: LoopParts): LoopParts {
  return {
    ...parts,
    system: parts.system === null ? closingText : `${parts.system}\n\n${closingText}`,
  };
}

function withName(call: AskedCall): AskedCall {
  if (call.function.name.trim() !== "") return call;
  return { ...call, function: { ...call.function, name: noName } };
}

/** Some models begin to count again in each turn; in a conversation each call has an id of its own. */
function withOwnIds(turn: ModelTurn, messages: readonly ChatMessage[]): ModelTurn {
  if (turn.calls.length === 0) return turn;
  const calls = withUniqueIds(
    turn.calls.map(withName),
    new Set(callsIn(messages).map(({ id }) => id)),
  );
  const message = turn.message.tool_calls ? { ...turn.message, tool_calls: calls } : turn.message;
  return { ...turn, calls, message };
}
