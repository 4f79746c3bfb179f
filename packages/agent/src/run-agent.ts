import { TimeLimiter } from "@toolplane/core/lib/async/time-limit";
import { uniqueId } from "@toolplane/core/lib/ids-and-time";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import type { AgentResult, AnswerParser, Generation } from "@toolplane/core/model/agent";
import type { AgentMessage, TraceType } from "@toolplane/core/model/agent/agent-run";
import { isCutOff, isRefused } from "@toolplane/core/model/agent/broken-replies";
import type { ChatMessage } from "@toolplane/core/model/agent/chat";
import type { AgentRun, MissingServer } from "@toolplane/core/model/agent/run-schema";
import { PlaneError, reportError, toPlaneError } from "@toolplane/core/model/errors";
import { type Conversation, createConversation } from "./conversation.ts";
import { type Ending, type LoopParts, loop } from "./loop.ts";
import { createMessageStream } from "./message-stream.ts";
import { type AskAside, splitQuestion } from "./patterns.ts";
import { messagesFor, reasoningIn } from "./trace/kept-run.ts";

export type RunParts = Omit<LoopParts, "limiter" | "stream"> & {
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
  /** Given what was said and done so far, which goes on changing. */
  onBegin?: ((begun: { at: string; conversation: Conversation }) => void) | undefined;
};

/** `converse` may be called again after more was said. */
export type Converse = (
  conversation: Conversation,
  converse: () => Promise<Ending>,
) => Promise<Ending>;

const once: Converse = (_, converse) => converse();

/** One question from beginning to end; a failure is part of its result. */
export async function runAgent(
  submitted: string,
  parts: RunParts,
  goOn = once,
): Promise<AgentResult> {
  const { id = uniqueId(), history, state, budget, signal, onMessage = () => undefined } = parts;
  const startedAt = performance.now();
  const begunAt = new Date().toISOString();
  let question = submitted;
  const conversation = createConversation([...history, { role: "user", content: question }], state);
  parts.onBegin?.({ at: begunAt, conversation });
  const stream = createMessageStream(onMessage);
  const limiter = new TimeLimiter(budget.timeMs, { capMs: budget.timeMs, caller: signal });
  let ending: Ending;
  let isSplit = ["tools", "react", "code"].includes(parts.style.name);
  const converse = async () => {
    if (!isSplit) {
      isSplit = true;
      const partResults = await splitQuestion(
        parts.style.name,
        question,
        await parts.listTools(conversation.state()),
        createAside(conversation, { ...parts, limiter }),
      );
      if (partResults !== null) conversation.add([{ role: "user", content: partResults }]);
    }
    return loop(conversation, { ...parts, limiter, stream });
  };
  try {
    question = await promptFor(submitted, parts, limiter.signal);
    if (question !== submitted) {
      conversation.goBackTo(history.length);
      conversation.add([{ role: "user", content: question }]);
    }
    ending = await goOn(conversation, converse);
  } catch (thrown) {
    const cancelled = new PlaneError(
      "CANCELLED",
      "The run was cancelled before the model had answered.",
    );
    if (limiter.isExpired)
      ending = { outcome: "budget", answer: null, error: outOfTime(budget.timeMs) };
    else if (signal?.aborted) ending = { outcome: "cancelled", answer: null, error: cancelled };
    else ending = { outcome: "failed", answer: null, error: toPlaneError(thrown) };
  } finally {
    limiter.clear();
  }
  if (ending.answer !== null && ending.error === null) stream.endDialog("answer");
  else stream.endDialog("error", ending.error?.message ?? "The model gave no answer.");
  const run = accountOf(conversation, ending, parts);
  return {
    id,
    at: begunAt,
    durationMs: Math.round(performance.now() - startedAt),
    question,
    ...run,
    history: [...conversation.messages],
    ...withoutUndefined({ state: conversation.state() }),
  };
}

/** What hooks leave of a question. Neither the model nor the record of the run has what they took out. */
async function promptFor(
  question: string,
  { guard, model }: RunParts,
  signal: AbortSignal,
): Promise<string> {
  const payload = { prompt: question, model: model.name };
  const { prompt } = (await guard?.("UserPromptSubmit", payload, signal)) ?? payload;
  return typeof prompt === "string" ? prompt : question;
}

/** In one budget with the conversation, which does not see it; what is said there is a thought. */
function createAside(
  conversation: Conversation,
  parts: RunParts & Pick<LoopParts, "limiter">,
): AskAside {
  const { onMessage = () => undefined, history, listTools } = parts;
  return async (text, withTools) => {
    const branch = conversation.branch([...history, { role: "user", content: text }]);
    const stream = createMessageStream((message) =>
      onMessage(message.type === "answer" ? { ...message, type: "thought" } : message),
    );
    const ending = await loop(branch, {
      ...parts,
      stream,
      listTools: withTools ? listTools : async () => [],
    });
    stream.end();
    return ending.answer;
  };
}

function outOfTime(timeMs: number): PlaneError {
  const text = `The run has used its ${timeMs / 1000} s. Give it more ('timeoutMs', --max-seconds), or ask for less.`;
  return new PlaneError("BUDGET_EXCEEDED", text, { data: { budget: "time", limit: timeMs } });
}

type Account = Omit<AgentRun, "id" | "at" | "durationMs" | "question">;

function accountOf(
  conversation: Conversation,
  { outcome, answer, error }: Ending,
  parts: RunParts,
): Account {
  const { user, style, model, toolset, trace } = parts;
  const waiting = conversation.waiting();
  const missing = parts.missing?.() ?? [];
  const finish = answer === null ? undefined : conversation.steps.at(-1)?.finish;
  return {
    user,
    style: style.name,
    model: model.name,
    toolset,
    conversation: parts.conversation,
    outcome,
    error: error === null ? null : reportError(error),
    answer,
    ...finishFlag(finish),
    ...withoutUndefined({
      waiting: waiting.length > 0 ? waiting : undefined,
      missing: missing.length > 0 ? missing : undefined,
    }),
    reasoning: reasoningIn(conversation.messages),
    turns: conversation.turns(),
    usage: conversation.usage(),
    counters: conversation.counters(),
    steps: conversation.steps,
    trace,
    messages: messagesFor(trace, conversation.messages),
  };
}

/** Why an answer is not what it could have been, where its model said so. */
function finishFlag(finish: string | undefined): Pick<AgentRun, "refused" | "truncated"> {
  if (isRefused(finish)) return { refused: true };
  if (isCutOff(finish)) return { truncated: true };
  return {};
}

type GenerateParts<T> = {
  parser: AnswerParser<T>;
  maxCorrectionSteps: number;
  maxRestarts: number;
};

/**
 * A run whose answer has to pass a parser. The model gets the parser's error and corrects itself; then it restarts
 * after the last result of its tools, so that no call is made twice.
 */
export async function generate<T>(
  prompt: string,
  parts: RunParts,
  { parser, maxCorrectionSteps, maxRestarts }: GenerateParts<T>,
  run: (prompt: string, parts: RunParts, goOn: Converse) => Promise<AgentResult> = runAgent,
): Promise<Generation<T>> {
  const generation = { value: null as T | null, corrections: 0, restarts: 0 };
  let sinceRestart = 0;
  const result = await run(prompt, parts, async (conversation, converse) => {
    for (;;) {
      const ending = await converse();
      if (ending.answer === null) return ending;
      const { value, problem } = await tryParser(parser, ending.answer);
      generation.value = value;
      if (problem === null) return ending;
      if (sinceRestart < maxCorrectionSteps) {
        sinceRestart += 1;
        generation.corrections += 1;
        const content = `Your answer cannot be used: ${problem}\nAnswer again, with this put right.`;
        conversation.add([{ role: "user", content }]);
      } else if (generation.restarts < maxRestarts) {
        sinceRestart = 0;
        generation.restarts += 1;
        conversation.goBackTo(checkpoint(conversation.messages, parts.history.length + 1));
      } else {
        const message = `The model gave no answer that can be used: ${problem}`;
        return { ...ending, outcome: "failed", error: new PlaneError("PROVIDER_FAILED", message) };
      }
    }
  });
  return { ...result, ...generation };
}

async function tryParser<T>(parser: AnswerParser<T>, answer: string) {
  try {
    return { value: await parser(answer), problem: null };
  } catch (thrown) {
    return { value: null, problem: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** After the last thing a tool said, or else after the prompt. */
function checkpoint(messages: readonly ChatMessage[], minLength: number): number {
  return Math.max(minLength, messages.findLastIndex(({ role }) => role === "tool") + 1);
}
