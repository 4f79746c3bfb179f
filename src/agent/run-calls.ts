import { createGate } from "../lib/gate.ts";
import type { AgentCall } from "../model/agent-run.ts";
import type { Outcome } from "../model/call.ts";
import type { AskedCall, ChatContent, ModelTool } from "../model/chat.ts";
import type { ToolId } from "../model/tool.ts";
import type { CallMemory } from "./call-memory.ts";
import { cutOffText, hasWholeArguments } from "./cut-off.ts";
import { findBySpelling, unknownTool } from "./find-by-spelling.ts";
import { observe } from "./observe.ts";
import type { Observation } from "./style.ts";

/** A tool as the model is told of it, and what only we know. */
export type OfferedTool = ModelTool & {
  /** Unless it is known to only read. */
  mayChange: boolean;
  /** What it is called elsewhere. */
  id?: ToolId;
};

export type CallTool = (
  name: string,
  argumentsText: string,
  context: { id: string; signal: AbortSignal | undefined },
) => Promise<Outcome>;

/** So many at a time; the path knows better which of them have to wait for each other. */
const atOnce = 16;

export type RunCallsParts = {
  offered: readonly OfferedTool[];
  call: CallTool;
  memory: CallMemory;
  /** So many calls may still be made. */
  callsLeft: number;
  /** The reply that asked for them ended in the middle. */
  isCut?: boolean;
  signal: AbortSignal | undefined;
  /** Told as they end, which may be in another order. */
  onEnd?(called: Called): void;
};

export type Called = {
  observation: Observation;
  record: AgentCall;
  /** Answered with what an earlier call came to. */
  isRepeat: boolean;
  /** Not made, because the run had made all its calls. */
  isBeyondBudget?: true;
  outcome: Outcome | null;
};

/** Makes the calls of one turn side by side; what they came to is in the order in which they were asked for. */
export async function runCalls(calls: readonly AskedCall[], parts: RunCallsParts): Promise<Called[]> {
  const { offered, memory, signal, onEnd } = parts;
  const gate = createGate(atOnce, Number.POSITIVE_INFINITY);
  const byName = new Map(offered.map((tool) => [tool.name, tool]));
  let left = parts.callsLeft;
  const round = memory.round();
  const begun = new Map<AskedCall, string>();

  async function make(call: AskedCall, tool: OfferedTool): Promise<Called> {
    const first = round.before(call);
    if (first) return repeated(call, await first);
    if (left <= 0)
      return {
        ...notMade(call, `'${tool.name}' was not run: this run may make no more calls.`),
        isBeyondBudget: true,
      };
    left -= 1;
    const outcome = await round.keep(call, tool.mayChange, enter(call, tool.name));
    const called = toCalled(call, outcome, signal);
    const at = begun.get(call);
    return at === undefined ? called : { ...called, record: { ...called.record, at } };
  }

  async function enter(call: AskedCall, name: string): Promise<Outcome | null> {
    try {
      await gate.enter(signal);
    } catch {
      return null;
    }
    begun.set(call, new Date().toISOString());
    try {
      return await parts.call(name, call.function.arguments, { id: call.id, signal });
    } finally {
      gate.leave();
    }
  }

  const made = calls.map(async (call) => {
    const { name } = call.function;
    const tool = byName.get(name) ?? findBySpelling(name, offered);
    const called = !tool
      ? notMade(call, unknownTool(name, offered))
      : parts.isCut && !hasWholeArguments(call)
        ? notMade(call, cutOffText(name))
        : await make(call, tool);
    onEnd?.(called);
    return called;
  });
  const called = await Promise.all(made);
  round.end();
  return called;
}

function toCalled(call: AskedCall, outcome: Outcome | null, signal: AbortSignal | undefined): Called {
  if (outcome === null) return notMade(call, "Not run: the run ended before its turn came.", "cancelled");
  const isInterrupted =
    outcome.call.status === "cancelled" && signal?.aborted === true && mayHaveRun(outcome);
  const content: ChatContent = isInterrupted
    ? `Interrupted: the run ended before '${call.function.name}' did. Whether it took effect is not known.`
    : observe(outcome, call.function.name);
  return {
    observation: { call, content, isError: !outcome.ok },
    record: recordOf(call, outcome, isInterrupted ? "interrupted" : outcome.call.status),
    isRepeat: false,
    outcome,
  };
}

/** What waited for a person, or never left, has not. */
function mayHaveRun({ error }: Outcome): boolean {
  return error?.data.approvalId === undefined && error?.data.sent !== false;
}

function recordOf(call: AskedCall, { call: made }: Outcome, status: string): AgentCall {
  const { id: record, tool, durationMs, provider, attempts } = made;
  return { id: call.id, tool, record, status, durationMs, provider, attempts };
}

/** The record is the first call's: there is no other. */
function repeated(call: AskedCall, outcome: Outcome | null): Called {
  if (outcome === null) return notMade(call, "Not run: the run ended before its turn came.", "cancelled");
  const note =
    "(not run again: the same call was made before, and nothing was changed since; this is its result)";
  const said = observe(outcome, call.function.name);
  const content: ChatContent =
    typeof said === "string" ? `${note}\n${said}` : [{ type: "text", text: note }, ...said];
  return {
    observation: { call, content, isError: !outcome.ok },
    record: { ...recordOf(call, outcome, "repeated"), durationMs: 0, attempts: 0 },
    isRepeat: true,
    outcome: null,
  };
}

function notMade(call: AskedCall, text: string, status = "refused"): Called {
  const { name } = call.function;
  return {
    observation: { call, content: status === "cancelled" ? text : `Error: ${text}`, isError: true },
    record: { id: call.id, tool: name, record: null, status, durationMs: 0, provider: null, attempts: 0 },
    isRepeat: false,
    outcome: null,
  };
}
