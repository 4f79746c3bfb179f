import type { AgentMessage } from "../../../../src/model/agent/agent-run.ts";
import type { AgentRun } from "../../../../src/model/agent/run-schema.ts";
import type { UnknownObject } from "../../../../src/model/json.ts";

type CallPart = NonNullable<AgentMessage["call"]>;

/** What a run took: its model, turns and tokens. */
export type RunEnd = Pick<AgentRun, "id" | "model" | "usage" | "turns" | "outcome" | "style">;

/** One item of the chat: a question, an answer, a thought, a tool call, or what all of it took. */
export type ChatItem =
  | { kind: "question"; id: string; text: string }
  | { kind: "thought" | "answer" | "error"; id: string; text: string }
  | { kind: "end"; id: string; run: RunEnd }
  | {
      kind: "call";
      id: string;
      call: CallPart;
      /** Null while the call runs; empty where its run ended without a result. */
      result: string | null;
      pictures: readonly string[];
      outcome?: UnknownObject;
    };

/** `endedQuestion`: the id of the question whose run is over. */
export type ChatEvent =
  | { question: string; id: string }
  | { message: AgentMessage }
  | { endedQuestion: string; run?: RunEnd };

const noResult = "";

/** The items after an event. */
export function addEvent(items: readonly ChatItem[], event: ChatEvent): readonly ChatItem[] {
  if ("question" in event)
    return [...items, { kind: "question", id: event.id, text: event.question }];
  if ("endedQuestion" in event) {
    const closedItems = items.map((item) => (isOpen(item) ? { ...item, result: noResult } : item));
    const { endedQuestion, run } = event;
    if (!run) return closedItems;
    return [...closedItems, { kind: "end", id: `${endedQuestion}-took`, run }];
  }
  const { id, type, text, call, pictures = [], result: outcome } = event.message;
  if (call && type === "action") return withCall(items, call, id);
  if (call && type === "observation")
    return items.map((item) => {
      if (!isOpen(item) || item.call.id !== call.id) return item;
      const answered = { ...item, call: { ...item.call, ...call }, result: text, pictures };
      return outcome ? { ...answered, outcome } : answered;
    });
  if (type === "action" || type === "observation" || text === "") return items;
  const isShown = items.some((item) => item.id === id && item.kind === type);
  if (!isShown) return [...items, { kind: type, id, text }];
  return items.map((item) =>
    item.id === id && item.kind === type ? { ...item, text: item.text + text } : item,
  );
}

type CallItem = Extract<ChatItem, { kind: "call" }>;

const isOpen = (item: ChatItem): item is CallItem => item.kind === "call" && item.result === null;

/** An action may arrive in parts; the last one has the arguments. */
function withCall(items: readonly ChatItem[], call: CallPart, id: string): readonly ChatItem[] {
  const isSame = (item: ChatItem): item is CallItem => isOpen(item) && item.call.id === call.id;
  if (!items.some(isSame))
    return [...items, { kind: "call", id: `${id}-${call.id}`, call, result: null, pictures: [] }];
  return items.map((item) => (isSame(item) ? { ...item, call: { ...item.call, ...call } } : item));
}
