import type { AgentMessage } from "../../../../src/model/agent/agent-run.ts";
import type { AgentRun } from "../../../../src/model/agent/run-schema.ts";
import type { UnknownObject } from "../../../../src/model/json.ts";

type CallPiece = NonNullable<AgentMessage["call"]>;

/** What the answer to a question took. */
export type Ended = Pick<AgentRun, "id" | "model" | "usage" | "turns" | "outcome" | "style">;

/** One item of the chat: a question, an answer, a thought, a tool call, or what all of it took. */
export type ChatItem =
  | { kind: "question"; id: string; text: string }
  | { kind: "thought" | "answer" | "error"; id: string; text: string }
  | { kind: "end"; id: string; ended: Ended }
  | {
      kind: "call";
      id: string;
      call: CallPiece;
      result: string | null;
      pictures: readonly string[];
      outcome?: UnknownObject;
    };

/** `ended`: the question whose run is over. */
export type Happened =
  | { question: string; id: string }
  | { message: AgentMessage }
  | { ended: string; took?: Ended };

/** The items after an event. */
export function listen(items: readonly ChatItem[], happened: Happened): readonly ChatItem[] {
  if ("question" in happened)
    return [...items, { kind: "question", id: happened.id, text: happened.question }];
  if ("ended" in happened) {
    const closed = items.map((item) => (isOpen(item) ? { ...item, result: "" } : item));
    const { took } = happened;
    return took ? [...closed, { kind: "end", id: `${happened.ended}-took`, ended: took }] : closed;
  }
  const { id, type, text, call, pictures = [], result: outcome } = happened.message;
  if (call && type === "action") return withCall(items, call, id);
  if (call && type === "observation")
    return items.map((item) =>
      isOpen(item) && item.call.id === call.id
        ? {
            ...item,
            call: { ...item.call, ...call },
            result: text,
            pictures,
            ...(outcome && { outcome }),
          }
        : item,
    );
  if (type === "action" || type === "observation" || text === "") return items;
  const isKnown = items.some((item) => item.id === id && item.kind === type);
  if (!isKnown) return [...items, { kind: type, id, text }];
  return items.map((item) =>
    item.id === id && item.kind === type ? { ...item, text: item.text + text } : item,
  );
}

type CallItem = Extract<ChatItem, { kind: "call" }>;

const isOpen = (item: ChatItem): item is CallItem => item.kind === "call" && item.result === null;

/** An action may arrive in parts; the last one has the arguments. */
function withCall(items: readonly ChatItem[], call: CallPiece, id: string): readonly ChatItem[] {
  const isSame = (item: ChatItem): item is CallItem => isOpen(item) && item.call.id === call.id;
  if (!items.some(isSame))
    return [...items, { kind: "call", id: `${id}-${call.id}`, call, result: null, pictures: [] }];
  return items.map((item) => (isSame(item) ? { ...item, call: { ...item.call, ...call } } : item));
}
