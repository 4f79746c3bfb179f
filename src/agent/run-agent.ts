import { limitTime } from "../lib/async/time-limit.ts";
import { uniqueId } from "../lib/stamps.ts";
import type { AgentMessage, AgentRun, MissingServer, TraceType } from "../model/agent/agent-run.ts";
import type { ChatMessage } from "../model/agent/chat.ts";
import type { AgentResult } from "../model/agent.ts";

import { PlaneError, reportError, toPlaneError } from "../model/errors.ts";
import { type Conversation, createConversation } from "./conversation.ts";
import { isCutOff } from "./cut-off.ts";
import { type Ending, loop } from "./loop.ts";
import type { LoopParts } from "./loop-parts.ts";
import { messagesFor, reasoningIn } from "./trace/kept-messages.ts";
import { createVoice } from "./voice.ts";

export type RunParts = Omit<LoopParts, "limiter" | "voice"> & {
  id?: string;
  user: string | null;
  toolset: string | null;
  conversation: string;
  trace: TraceType;
  history: readonly ChatMessage[];
  state: string | undefined;
  /** Servers of its toolset that had nothing to offer. */
  missing?: (() => MissingServer[]) | undefined;
  signal?: AbortSignal | undefined;
  onMessage?: ((message: AgentMessage) => void) | undefined;
};

/** Goes on until there is an ending; `converse` may be called again after more was said. */
export type Converse = (conversation: Conversation, converse: () => Promise<Ending>) => Promise<Ending>;

const once: Converse = (_, converse) => converse();

/** One question from beginning to end: whatever happens on the way, it ends with a whole account of it. */
export async function runAgent(question: string, parts: RunParts, goOn = once): Promise<AgentResult> {
  const { id = uniqueId(), history, state, budget, signal, onMessage = () => undefined } = parts;
  const startedAt = performance.now();
  const at = new Date().toISOString();
  const conversation = createConversation([...history, { role: "user", content: question }], state);
  const voice = createVoice(onMessage);
  const limiter = limitTime(budget.timeMs, budget.timeMs, signal);
  let ending: Ending;
  try {
    ending = await goOn(conversation, () => loop(conversation, { ...parts, limiter, voice }));
  } catch (thrown) {
    ending = broken(thrown, limiter.expired() ? "time" : signal?.aborted ? "caller" : null, budget.timeMs);
  } finally {
    limiter.clear();
  }
  if (ending.answer !== null && ending.error === null) voice.endDialog("answer");
  else voice.endDialog("error", ending.error?.message ?? "The model gave no answer.");
  const run = accountOf(conversation, ending, parts);
  return {
    ...{ id, at, durationMs: Math.round(performance.now() - startedAt), question, ...run },
    history: [...conversation.messages],
    ...(conversation.state === undefined ? {} : { state: conversation.state }),
  };
}

function broken(thrown: unknown, endedBy: "time" | "caller" | null, timeMs: number): Ending {
  if (endedBy === "time") {
    const text = `The run has used its ${timeMs / 1000} s. Give it more ('timeoutMs', --max-seconds), or ask for less.`;
    const error = new PlaneError("BUDGET_EXCEEDED", text, { data: { budget: "time", limit: timeMs } });
    return { outcome: "budget", answer: null, error };
  }
  if (endedBy === "caller") {
    const error = new PlaneError("CANCELLED", "The run was cancelled before the model had answered.");
    return { outcome: "cancelled", answer: null, error };
  }
  return { outcome: "failed", answer: null, error: toPlaneError(thrown) };
}

type Account = Omit<AgentRun, "id" | "at" | "durationMs" | "question">;

function accountOf(conversation: Conversation, { outcome, answer, error }: Ending, parts: RunParts): Account {
  const { user, style, model, toolset, trace } = parts;
  const waiting = conversation.waiting();
  const missing = parts.missing?.() ?? [];
  const isTruncated = answer !== null && isCutOff(conversation.steps.at(-1)?.finish);
  return {
    user,
    style: style.name,
    model: model.name,
    toolset,
    conversation: parts.conversation,
    outcome,
    error: error === null ? null : reportError(error),
    answer,
    ...(isTruncated ? { truncated: true } : {}),
    ...(waiting.length === 0 ? {} : { waiting }),
    ...(missing.length === 0 ? {} : { missing }),
    reasoning: reasoningIn(conversation.messages),
    turns: conversation.turns(),
    usage: conversation.usage(),
    counters: conversation.counters(),
    steps: conversation.steps,
    trace,
    messages: messagesFor(trace, conversation.messages),
  };
}
