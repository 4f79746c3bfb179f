import { useCallback, useReducer, useRef, useState } from "react";
import type { AgentAnswer } from "../../../../src/model/agent-answer.ts";
import type { AgentMessage } from "../../../../src/model/agent-run.ts";
import type { ChatMessage } from "../../../../src/model/chat.ts";
import { readProblem, send } from "../../api/client.ts";
import { readServerSentEvents } from "../../api/event-stream.ts";
import { messageOf } from "../../parts/states.tsx";

type CallPiece = NonNullable<AgentMessage["call"]>;
/** One thing on the page: what a person said, what the model said or thought, or a tool that it called. */
export type ChatItem =
  | { kind: "question"; id: string; text: string }
  | { kind: "thought" | "answer" | "error"; id: string; text: string }
  | { kind: "call"; id: string; call: CallPiece; result: string | null };

type Happened = { question: string; id: string } | { message: AgentMessage } | { clear: true };

export type AskOptions = { model: string; toolset: string };

/** So long a call in a chat waits for its yes; people read first. */
const waitSeconds = 600;

/** A conversation with a model: what was said, and saying more. It lives as long as the page. */
export function useConversation() {
  const [items, tell] = useReducer(listen, []);
  const [isBusy, setBusy] = useState(false);
  const [last, setLast] = useState<AgentAnswer | null>(null);
  const id = useRef(newId());
  const history = useRef<ChatMessage[]>([]);
  const leaving = useRef<AbortController | null>(null);
  const ask = useCallback(async (question: string, { model, toolset }: AskOptions) => {
    const turn = newId();
    leaving.current = new AbortController();
    tell({ question, id: turn });
    setBusy(true);
    const body = {
      ...{ question, conversation: id.current },
      ...(history.current.length === 0 ? {} : { history: history.current }),
      ...(model === "" ? {} : { model }),
      ...(toolset === "" ? {} : { toolset }),
    };
    const hear = (message: AgentMessage & Partial<AgentAnswer>) => {
      // Of another question the same ids may come again.
      tell({ message: { ...message, id: `${turn}-${message.id}` } });
      if (!message.endOfDialog || message.history === undefined) return;
      history.current = message.history;
      setLast(message as unknown as AgentAnswer);
    };
    try {
      await follow(body, leaving.current.signal, hear);
    } catch (thrown) {
      const text = leaving.current.signal.aborted ? "You stopped it." : messageOf(thrown);
      tell({ message: { id: `${turn}-end`, type: "error", text, end: true, endOfDialog: true } });
    } finally {
      setBusy(false);
    }
  }, []);
  const restart = () => {
    leaving.current?.abort();
    id.current = newId();
    history.current = [];
    setLast(null);
    tell({ clear: true });
  };
  return {
    items,
    isBusy,
    last,
    conversation: id.current,
    ask,
    stop: () => leaving.current?.abort(),
    restart,
  };
}

async function follow(
  body: object,
  signal: AbortSignal,
  hear: (message: AgentMessage) => void,
): Promise<void> {
  const headers = { accept: "text/event-stream", prefer: `wait=${waitSeconds}` };
  const response = await send("POST", "/agent", { body, signal, headers });
  if (!response.ok || !response.body) throw await readProblem(response);
  await readServerSentEvents(response.body, ({ data }) => hear(JSON.parse(data) as AgentMessage));
}

function listen(items: readonly ChatItem[], happened: Happened): readonly ChatItem[] {
  if ("clear" in happened) return [];
  if ("question" in happened)
    return [...items, { kind: "question", id: happened.id, text: happened.question }];
  const { id, type, text, call } = happened.message;
  if (call && type === "action") return withCall(items, call, id);
  if (call && type === "observation")
    return items.map((item) =>
      item.kind === "call" && item.call.id === call.id && item.result === null
        ? { ...item, call: { ...item.call, ...call }, result: text }
        : item,
    );
  if (type === "action" || type === "observation" || text === "") return items;
  const known = items.some((item) => item.id === id && item.kind === type);
  if (!known) return [...items, { kind: type, id, text }];
  return items.map((item) =>
    item.id === id && item.kind === type ? { ...item, text: item.text + text } : item,
  );
}

/** An action may come in pieces; the one with the arguments is the last. */
function withCall(items: readonly ChatItem[], call: CallPiece, id: string): readonly ChatItem[] {
  const isOpen = (item: ChatItem) => item.kind === "call" && item.call.id === call.id && item.result === null;
  if (!items.some(isOpen)) return [...items, { kind: "call", id: `${id}-${call.id}`, call, result: null }];
  return items.map((item) =>
    isOpen(item) && item.kind === "call" ? { ...item, call: { ...item.call, ...call } } : item,
  );
}

/** Also where the page came over plain HTTP, where browsers make no ids. */
function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(12))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}
