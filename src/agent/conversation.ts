import type { AgentCall, AgentCounters, AgentStep, WaitingCall } from "../model/agent/agent-run.ts";
import type { AskedCall, ChatMessage, TokenUsage } from "../model/agent/chat.ts";
import type { Outcome } from "../model/calls/call.ts";
import type { Spent } from "./budgets.ts";
import { type Called, type CallMemory, createCallMemory } from "./run-calls.ts";
import type { Said } from "./style.ts";

/** What a run has said, done and used so far. */
export type Conversation = {
  readonly messages: ChatMessage[];
  readonly steps: AgentStep[];
  readonly spent: Spent;
  readonly memory: CallMemory;
  /** The agent's state, which decides what it may call. */
  state: string | undefined;
  usage(): TokenUsage;
  counters(): AgentCounters;
  /** Times that it got what it asked for. */
  turns(): number;
  add(messages: readonly ChatMessage[]): void;
  /** The model is asked, with so many tools. */
  beginStep(offered: number): { end(usage?: TokenUsage, finish?: string): void };
  /** A server that was called has asked a model. */
  sampled(usage: TokenUsage): void;
  said(said: Said): void;
  served(called: readonly Called[]): void;
  /** Was something of the last turn not done because a budget was used up? */
  isShort(): boolean;
  waiting(): WaitingCall[];
  refused(calls: readonly AskedCall[]): void;
  /** Everything after so many messages was not said; what was used stays used. */
  goBackTo(length: number): void;
};

const nothing: TokenUsage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };

export function createConversation(messages: readonly ChatMessage[], state: string | undefined): Conversation {
  const steps: AgentStep[] = [];
  const spent: Spent = { turns: 0, calls: 0, tokens: 0 };
  const waiting = new Map<string, WaitingCall>();
  let turns = 0;
  let isShort = false;
  let askedFor = { calls: 0, turns: 0 };
  const note = (calls: readonly AgentCall[]) => {
    askedFor = { calls: askedFor.calls + calls.length, turns: askedFor.turns + 1 };
    steps.at(-1)?.calls.push(...calls);
  };
  const conversation: Conversation = {
    messages: [...messages],
    steps,
    spent,
    memory: createCallMemory(),
    state,
    usage: () => steps.reduce((sum, { usage, sampled = nothing }) => add(add(sum, usage), sampled), nothing),
    counters: () => ({
      totalToolCalls: askedFor.calls,
      totalToolCallTurns: askedFor.turns,
      totalGenerations: 1,
      generationsWithTools: askedFor.calls > 0 ? 1 : 0,
    }),
    turns: () => turns,
    add: (more) => void conversation.messages.push(...more),
    beginStep(offered) {
      const startedAt = performance.now();
      const at = new Date().toISOString();
      const step: AgentStep = {
        ...{ turn: steps.length + 1, at, modelMs: 0, usage: nothing, offered, refused: false, calls: [] },
      };
      steps.push(step);
      return {
        end(usage = nothing, finish) {
          if (finish !== undefined) step.finish = finish;
          step.modelMs = Math.round(performance.now() - startedAt);
          step.usage = usage;
          spent.tokens += usage.totalTokens;
        },
      };
    },
    sampled(usage) {
      const step = steps.at(-1);
      if (step) step.sampled = add(step.sampled ?? nothing, usage);
      spent.tokens += usage.totalTokens;
    },
    isShort: () => isShort,
    waiting: () => [...waiting.values()],
    said: ({ message }) => conversation.add([message]),
    served(called) {
      turns += 1;
      spent.turns += 1;
      spent.calls += called.filter(({ outcome }) => outcome !== null).length;
      isShort = called.some(isOverBudget);
      for (const { outcome } of called) if (outcome) noteWaiting(outcome, waiting);
      note(called.map(({ record }) => record));
      conversation.state = nextState(conversation.state, called);
    },
    refused(calls) {
      const step = steps.at(-1);
      if (step) step.refused = true;
      if (calls.length > 0) note(calls.map(refusedCall));
    },
    goBackTo: (length) => void conversation.messages.splice(length),
  };
  return conversation;
}

export function isOverBudget({ outcome, isBeyondBudget }: Called): boolean {
  return isBeyondBudget === true || outcome?.error?.code === "BUDGET_EXCEEDED";
}

function noteWaiting({ approval, plan, call }: Outcome, waiting: Map<string, WaitingCall>): void {
  const id = approval?.id ?? plan?.change;
  if (id !== undefined) waiting.set(id, { id, tool: call.tool });
}

/** Of calls side by side the last that leads somewhere decides; those that lead nowhere repeat where they began. */
function nextState(before: string | undefined, called: readonly Called[]): string | undefined {
  const current = before === undefined || before === "" ? "undefined" : before;
  const reached = called.flatMap(({ outcome }) =>
    outcome?.call.status === "succeeded" ? (outcome.call.state ?? []) : [],
  );
  return reached.findLast((state) => state !== current) ?? before;
}

function refusedCall({ id, function: { name } }: AskedCall): AgentCall {
  return { id, tool: name, record: null, status: "refused", durationMs: 0, provider: null, attempts: 0 };
}

function add(one: TokenUsage, other: TokenUsage): TokenUsage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    totalTokens: one.totalTokens + other.totalTokens,
  };
}
