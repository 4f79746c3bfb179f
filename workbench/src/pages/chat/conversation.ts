import { useSyncExternalStore } from "react";
import type { AgentAnswer } from "../../../../src/model/agent/agent-answer.ts";
import type { AgentMessage } from "../../../../src/model/agent/agent-run.ts";
import type { ChatMessage } from "../../../../src/model/agent/chat.ts";
import { readProblem, send } from "../../api/client.ts";
import { readServerSentEvents } from "../../api/server-sent-events.ts";
import { messageOf } from "../../parts/states.tsx";
import { type ChatItem, type Happened, listen } from "./chat-items.ts";

export type AskOptions = { model: string; toolset: string };

export type Chat = {
  /** The owner: another user who signs in here does not see it. */
  user: string | null;
  conversation: string;
  items: readonly ChatItem[];
  isBusy: boolean;
  last: AgentAnswer | null;
};

/** So long a call in a chat waits for its yes; people read first. */
const waitSeconds = 600;

const listeners = new Set<() => void>();
let chat: Chat = begin(null);
let history: ChatMessage[] = [];
let leaving = new AbortController();

/** A conversation with a model. It continues on other pages and ends with the tab. */
export function useConversation(user: string | null): Chat {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => {
      // Before anything of it is shown.
      if (chat.user !== user) startOver(user);
      return chat;
    },
  );
}

export function restartChat(): void {
  startOver(chat.user);
  for (const tell of listeners) tell();
}

export function stopChat(): void {
  leaving.abort();
}

export async function askChat(question: string, { model, toolset }: AskOptions): Promise<void> {
  const turn = newId();
  const { conversation } = chat;
  leaving = new AbortController();
  const { signal } = leaving;
  // A new chat ignores events of the old one.
  const isOver = () => chat.conversation !== conversation;
  const tell = (happened: Happened) => !isOver() && change({ items: listen(chat.items, happened) });
  const hear = (message: AgentMessage & Partial<AgentAnswer>) => {
    // Ids repeat between questions.
    tell({ message: { ...message, id: `${turn}-${message.id}` } });
    if (isOver() || !message.endOfDialog || message.history === undefined) return;
    history = message.history;
    change({ last: message as unknown as AgentAnswer });
  };
  change({ isBusy: true });
  tell({ question, id: turn });
  const body = {
    ...{ question, conversation },
    ...(history.length === 0 ? {} : { history }),
    ...(model === "" ? {} : { model }),
    ...(toolset === "" ? {} : { toolset }),
  };
  try {
    await follow(body, signal, hear);
  } catch (thrown) {
    const text = signal.aborted ? "Stopped." : messageOf(thrown);
    tell({ message: { id: `${turn}-end`, type: "error", text, end: true, endOfDialog: true } });
  } finally {
    tell({ ended: turn });
    if (!isOver()) change({ isBusy: false });
  }
}

function begin(user: string | null): Chat {
  return { user, conversation: newId(), items: [], isBusy: false, last: null };
}

function startOver(user: string | null): void {
  leaving.abort();
  history = [];
  chat = begin(user);
}

function change(part: Partial<Chat>): void {
  chat = { ...chat, ...part };
  for (const tell of listeners) tell();
}

async function follow(body: object, signal: AbortSignal, hear: (message: AgentMessage) => void): Promise<void> {
  const headers = { accept: "text/event-stream", prefer: `wait=${waitSeconds}` };
  const response = await send("POST", "/agent", { body, signal, headers });
  if (!response.ok || !response.body) throw await readProblem(response);
  let isWhole = false;
  await readServerSentEvents(response.body, ({ data }) => {
    const message = JSON.parse(data) as AgentMessage;
    isWhole ||= message.endOfDialog;
    hear(message);
  });
  if (!isWhole) throw new Error("The connection to the plane was lost before the model answered.");
}

/** Works over plain HTTP, where `crypto.randomUUID` is missing. */
function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
