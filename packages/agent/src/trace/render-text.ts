import { indentJson } from "@toolplane/core/lib/json/render-json";
import { plainText } from "@toolplane/core/lib/text/plain-text";
import { costText, countOf, grouped } from "@toolplane/core/lib/text/wording";
import type { AskedCall, ChatContent, ChatMessage } from "@toolplane/core/model/agent/chat";
import type { AgentCall, AgentRun } from "@toolplane/core/model/agent/run-schema";
import { callsIn, contentText } from "../style.ts";

export const titles = {
  system: "System",
  user: "Question",
  assistant: "Model",
  answer: "Answer",
  tool: "Tool",
} as const;

/** A run as people read it: what was asked, each call with its number, what was thought before what was said. */
export function renderRunText(run: AgentRun): string {
  const parts = [
    headOf(run),
    ...traceEntries(run).map((entry) =>
      entry.kind === "call" ? renderCall(entry) : renderMessage(entry),
    ),
  ];
  if (run.error) parts.push(`Error\n${indent(`${run.error.message} [${run.error.code}]`)}`);
  return plainText(parts.join("\n\n"));
}

export function headOf(run: AgentRun): string {
  const { usage, counters } = run;
  const models = run.steps.reduce((sum, { modelMs }) => sum + modelMs, 0);
  return [
    `Run ${run.id}: ${outcomeWords[run.outcome]} in ${durationOf(run.durationMs)}`,
    `asked by ${run.user ?? "anonymous"} at ${run.at.slice(0, 19).replace("T", " ")}, conversation ${run.conversation}`,
    `model ${run.model}, style ${run.style}${run.toolset === null ? "" : `, toolset ${run.toolset}`}`,
    `${countOf(run.turns, "turn")} with tools, ${countOf(counters.totalToolCalls, "call")}, ` +
      `the model asked ${countOf(run.steps.length, "time")} for ${durationOf(models)}`,
    ...endingsOf(run),
    ...(run.missing ?? []).map(({ server, reason }) => `no tools of ${server}: ${reason}`),
    ...(run.waiting ?? []).map(({ id, tool }) => `${tool} waits for approval ${id}`),
    `${countOf(usage.totalTokens, "token")}: ${grouped(usage.inputTokens)} in, ${grouped(usage.outputTokens)} out${
      usage.cost === undefined ? "" : `, ${costText(usage.cost)}`
    }`,
  ].join("\n");
}

/** How the model ended its answers, where that is known. */
function endingsOf({ steps, truncated, refused }: AgentRun): string[] {
  const finishes = steps.flatMap(({ finish }) => finish ?? []);
  const lines: string[] = [];
  if (finishes.length > 0) lines.push(`the model stopped with ${finishes.join(", ")}`);
  if (truncated) lines.push("the answer was cut off at the model's limit");
  if (refused) lines.push("the model refused to go on, or its content filter stopped it");
  return lines;
}

function renderMessage({ role, content, reasoning }: TraceMessage): string {
  const text = contentText(content, pictureOf);
  const parts: string[] = [];
  if (reasoning !== null) parts.push(`Reasoning\n${indent(reasoning)}`);
  if (text.trim() !== "") parts.push(`${titles[role]}\n${indent(text)}`);
  return parts.join("\n\n");
}

function renderCall({ number, tool, arguments: args, result, facts }: TraceCall): string {
  const lines = [`${number}. ${tool}${facts === null ? "" : `  ${factsOf(facts)}`}`];
  if (args !== null && args.trim() !== "") lines.push(indent(prettyJson(args)));
  if (result !== null) {
    const text = prettyJson(contentText(result, pictureOf));
    lines.push(indent(`→ ${indent(text, 2).trimStart()}`));
  }
  return lines.join("\n");
}

export function factsOf({ status, durationMs, provider, attempts, record }: AgentCall): string {
  const tried = attempts > 1 ? `, ${countOf(attempts, "attempt")}` : "";
  const by = provider === null ? "" : ` by ${provider}`;
  return `${status}${by} in ${durationOf(durationMs)}${tried}${record === null ? "" : `, call ${record}`}`;
}

function indent(text: string, by = 3): string {
  return text.replaceAll(/^(?=.)/gm, " ".repeat(by));
}

export type TraceCall = {
  kind: "call";
  number: number;
  tool: string;
  /** Null where the conversation was not kept. */
  arguments: string | null;
  result: ChatContent | null;
  /** Null for a call of an earlier run. */
  facts: AgentCall | null;
};
export type TraceMessage = {
  kind: "message";
  /** An answer is what the model said last. */
  role: ChatMessage["role"] | "answer";
  content: ChatContent;
  reasoning: string | null;
};
type TraceEntry = TraceMessage | TraceCall;

/** What happened, in order: what was said, and each call with its number, its arguments and its result. */
export function traceEntries(run: AgentRun): TraceEntry[] {
  const madeCalls = run.steps.flatMap(({ calls }) => calls);
  const isWhole = run.trace === "all_messages";
  const entries = isWhole ? conversationOf(run.messages, madeCalls) : shortStoryOf(run, madeCalls);
  let number = 0;
  return entries.map((entry, index) => {
    if (entry.kind === "call") return { ...entry, number: ++number };
    const isAnswer = entry.role === "assistant" && index === entries.length - 1;
    if (isAnswer) return { ...entry, role: "answer" };
    return entry;
  });
}

function shortStoryOf(
  { question, messages, answer }: AgentRun,
  madeCalls: readonly AgentCall[],
): TraceEntry[] {
  const calls = madeCalls.map((facts) => callEntry(facts.tool, null, facts));
  const lastMessages = messages.map((message) => messageEntry(message));
  const story = [spokenMessage("user", question), ...calls, ...lastMessages];
  if (lastMessages.length === 0 && answer !== null) story.push(spokenMessage("assistant", answer));
  return story;
}

function conversationOf(
  messages: readonly ChatMessage[],
  madeCalls: readonly AgentCall[],
): TraceEntry[] {
  const recordOf = matchCalls(messages, madeCalls);
  const entries: TraceEntry[] = [];
  let open = new Map<string, TraceCall>();
  for (const message of messages) {
    if (message.role === "tool") {
      const call = open.get(message.tool_call_id);
      if (call) call.result = message.content;
      else entries.push(messageEntry(message));
      open.delete(message.tool_call_id);
      continue;
    }
    const entry = messageEntry(message);
    if (message.role !== "assistant" || entry.reasoning !== null || !isEmpty(message.content))
      entries.push(entry);
    if (message.role !== "assistant") continue;
    const callEntries = (message.tool_calls ?? []).map((call) => {
      const { name, arguments: args } = call.function;
      return [call.id, callEntry(name, args, recordOf.get(call) ?? null)] as const;
    });
    open = new Map(callEntries);
    entries.push(...callEntries.map(([, entry]) => entry));
  }
  return entries;
}

/** Ids repeat in a longer conversation, and this run is its end: so search backwards. */
function matchCalls(
  messages: readonly ChatMessage[],
  madeCalls: readonly AgentCall[],
): Map<AskedCall, AgentCall> {
  const unmatched = [...madeCalls];
  const recordByCall = new Map<AskedCall, AgentCall>();
  for (const call of callsIn(messages).toReversed()) {
    const index = unmatched.findLastIndex(({ id }) => id === call.id);
    if (index >= 0) recordByCall.set(call, ...(unmatched.splice(index, 1) as [AgentCall]));
  }
  return recordByCall;
}

function callEntry(tool: string, args: string | null, facts: AgentCall | null): TraceCall {
  return { kind: "call", number: 0, tool, arguments: args, result: null, facts };
}

function spokenMessage(role: ChatMessage["role"], content: ChatContent): TraceMessage {
  return { kind: "message", role, content, reasoning: null };
}

function messageEntry(message: ChatMessage): TraceMessage {
  const thought = message.role === "assistant" ? (message.reasoning_content?.trim() ?? "") : "";
  return {
    ...spokenMessage(message.role, message.content),
    reasoning: thought === "" ? null : thought,
  };
}

function isEmpty(content: ChatContent): boolean {
  if (typeof content === "string") return content.trim() === "";
  return content.length === 0;
}

/** JSON on lines of its own, to the letter as it was written; anything else as it is. */
export function prettyJson(text: string): string {
  const trimmed = text.trim();
  if (!/^[{[]/.test(trimmed)) return text;
  try {
    JSON.parse(trimmed);
  } catch {
    return text;
  }
  return indentJson(trimmed).replaceAll(/^ +/gm, (spaces) => spaces + spaces);
}

function durationOf(ms: number): string {
  if (ms < 10) return `${Math.round(ms * 10) / 10} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(2)} s`;
  return `${(ms / 60_000).toFixed(1)} min`;
}

const outcomeWords = {
  completed: "completed",
  "max-iterations": "stopped after its last turn",
  budget: "stopped at its budget",
  failed: "failed",
  cancelled: "cancelled",
} as const satisfies Record<AgentRun["outcome"], string>;

export function pictureOf(url: string): string {
  const source = url.startsWith("data:") ? url.slice(5).replace(/[;,].*$/s, "") : url;
  return `[picture ${source}]`;
}
