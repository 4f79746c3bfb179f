import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import type { AskedCall, ChatMessage } from "@toolplane/core/model/agent/chat";
import type {
  AgentCall,
  AgentCounters,
  AgentStep,
  TokenUsage,
  WaitingCall,
} from "@toolplane/core/model/agent/run-schema";
import type { Outcome } from "@toolplane/core/model/calls/call";
import type { Spent } from "./budgets.ts";
import { roundedCost } from "./models/price.ts";
import { type Called, createRepeatDetector, notMadeRecord } from "./run-calls.ts";
import { noUsage } from "./style.ts";

export type Conversation = {
  messages: readonly ChatMessage[];
  steps: AgentStep[];
  spent: Spent;
  memory: ReturnType<typeof createRepeatDetector>;
  /** The agent's state, which decides what it may call. */
  state(): string | undefined;
  usage(): TokenUsage;
  counters(): AgentCounters;
  /** Turns in which it got what it asked for. */
  turns(): number;
  add(more: readonly ChatMessage[]): void;
  /** The model is asked, with so many tools. */
  beginStep(offered: number): (usage?: TokenUsage, finish?: string) => void;
  /** A server that was called has asked a model. */
  sampled(usage: TokenUsage): void;
  served(called: readonly Called[]): void;
  /** Did a used-up budget keep a call of the last turn from being made? */
  isShort(): boolean;
  waiting(): WaitingCall[];
  refused(calls: readonly AskedCall[]): void;
  /** Forgets everything after so many messages; what was used stays used. */
  goBackTo(length: number): void;
  /** Other messages beside these; what is done and used there counts here. */
  branch(messages: readonly ChatMessage[]): Conversation;
};

/** What a run has said, done and used so far. */
export function createConversation(
  history: readonly ChatMessage[],
  firstState: string | undefined,
): Conversation {
  const steps: AgentStep[] = [];
  const spent: Spent = { turns: 0, calls: 0, tokens: 0 };
  const waiting = new Map<string, WaitingCall>();
  let state = firstState;
  let turns = 0;
  let isShort = false;
  let askedTotals = { calls: 0, turns: 0 };
  const noteCalls = (calls: readonly AgentCall[], step: AgentStep | undefined) => {
    askedTotals = { calls: askedTotals.calls + calls.length, turns: askedTotals.turns + 1 };
    step?.calls.push(...calls);
  };
  const shared = {
    steps,
    spent,
    state: () => state,
    usage: () =>
      steps.reduce(
        (sum, { usage, sampled = noUsage }) => addUsage(addUsage(sum, usage), sampled),
        noUsage,
      ),
    counters: (): AgentCounters => ({
      totalToolCalls: askedTotals.calls,
      totalToolCallTurns: askedTotals.turns,
      totalGenerations: 1,
      generationsWithTools: askedTotals.calls > 0 ? 1 : 0,
    }),
    turns: () => turns,
    isShort: () => isShort,
    waiting: () => [...waiting.values()],
  };
  const begin = (firstMessages: readonly ChatMessage[]): Conversation => {
    const messages = [...firstMessages];
    /** Branches run at the same time, so each knows its own. */
    let currentStep: AgentStep | undefined;
    return {
      ...shared,
      messages,
      memory: createRepeatDetector(),
      add: (more) => void messages.push(...more),
      goBackTo: (length) => void messages.splice(length),
      branch: begin,
      beginStep(offered) {
        const startedAt = performance.now();
        const timestamp = new Date().toISOString();
        const turn = steps.length + 1;
        const step: AgentStep = {
          turn,
          at: timestamp,
          modelMs: 0,
          usage: noUsage,
          offered,
          refused: false,
          calls: [],
        };
        steps.push(step);
        currentStep = step;
        return (usage = noUsage, finish) => {
          if (finish !== undefined) step.finish = finish;
          step.modelMs = Math.round(performance.now() - startedAt);
          step.usage = usage;
          spent.tokens += usage.totalTokens;
        };
      },
      sampled(usage) {
        if (currentStep) currentStep.sampled = addUsage(currentStep.sampled ?? noUsage, usage);
        spent.tokens += usage.totalTokens;
      },
      served(called) {
        turns += 1;
        spent.turns += 1;
        spent.calls += called.filter(({ outcome }) => outcome !== null).length;
        isShort = called.some(isOverBudget);
        for (const { outcome } of called) if (outcome) noteWaiting(outcome, waiting);
        noteCalls(
          called.map(({ record }) => record),
          currentStep,
        );
        state = nextState(state, called);
      },
      refused(calls) {
        if (currentStep) currentStep.refused = true;
        if (calls.length > 0)
          noteCalls(
            calls.map((call) => notMadeRecord(call, "refused")),
            currentStep,
          );
      },
    };
  };
  return begin(history);
}

export function isOverBudget({ outcome, isBeyondBudget }: Called): boolean {
  return isBeyondBudget === true || outcome?.error?.code === "BUDGET_EXCEEDED";
}

function noteWaiting({ approval, plan, call }: Outcome, waiting: Map<string, WaitingCall>): void {
  const id = approval?.id ?? plan?.change;
  if (id !== undefined) waiting.set(id, { id, tool: call.tool });
}

/** The last call that leads to another state decides. */
function nextState(
  previousState: string | undefined,
  called: readonly Called[],
): string | undefined {
  const currentState = previousState || "undefined";
  const reached = called.flatMap(({ outcome }) =>
    outcome?.call.status === "succeeded" ? (outcome.call.state ?? []) : [],
  );
  return reached.findLast((state) => state !== currentState) ?? previousState;
}

function addUsage(first: TokenUsage, second: TokenUsage): TokenUsage {
  const cachedTokens = (first.cachedTokens ?? 0) + (second.cachedTokens ?? 0);
  const cost = addCost(first, second);
  return {
    inputTokens: first.inputTokens + second.inputTokens,
    outputTokens: first.outputTokens + second.outputTokens,
    totalTokens: first.totalTokens + second.totalTokens,
    ...withoutUndefined({ cachedTokens: cachedTokens || undefined, cost }),
  };
}

/** None where a part has no price, or another currency: a part of the cost is not the cost. */
function addCost(first: TokenUsage, second: TokenUsage): TokenUsage["cost"] {
  if (first.totalTokens === 0 || second.totalTokens === 0) return first.cost ?? second.cost;
  if (!first.cost || first.cost.unit !== second.cost?.unit) return undefined;
  return { amount: roundedCost(first.cost.amount + second.cost.amount), unit: first.cost.unit };
}
