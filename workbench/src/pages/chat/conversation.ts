import { useSyncExternalStore } from "react";
import { withoutUndefined } from "../../../../src/lib/json/plain-data.ts";
import type { AgentAnswer } from "../../../../src/model/agent/agent-answer.ts";
import type { AgentMessage } from "../../../../src/model/agent/agent-run.ts";
import type { ChatMessage } from "../../../../src/model/agent/chat.ts";
import type { InputOf } from "../../../../src/operations/operations.ts";
import { readProblem } from "../../api/client.ts";
import { sendOperation } from "../../api/operations.ts";
import { readServerSentEvents } from "../../api/server-sent-events.ts";
import { messageOf } from "../../parts/states.tsx";
import { toastError } from "../../parts/toast.ts";
import { addEvent, type ChatEvent, type ChatItem, type RunEnd } from "./chat-items.ts";
import { chatPrefix, loadChat, type OpenedChat, runEndOf } from "./kept-chats.ts";
import { followRun, stopRun } from "./running-chat.ts";

export const chatStyles = { tools: "Tool calls", react: "ReACT", code: "Code" } as const;
export type AskOptions = { model: string; toolset: string; style: keyof typeof chatStyles };

export type Chat = {
  /** The owner: another user who signs in here does not see it. */
  user: string | null;
  conversation: string;
  items: readonly ChatItem[];
  isBusy: boolean;
};

/** So long a call in a chat waits for its yes; people read first. */
const approvalWaitMs = 600_000;

const listeners = new Set<() => void>();
let chat: Chat = newChat(null);
let history: ChatMessage[] = [];
/** Before the last question. */
let historyBefore: ChatMessage[] = [];
let leaving = new AbortController();

/** A conversation with a model. It continues on other pages; what was answered is kept. */
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
  if (chat.isBusy) stopChat();
  startOver(chat.user);
  for (const listener of listeners) listener();
}

/** Goes on with a kept conversation. */
export function resumeChat(
  conversation: string,
  { items, history: openedHistory }: OpenedChat,
): void {
  startOver(chat.user);
  history = openedHistory;
  const lastQuestion = openedHistory.findLastIndex(({ role }) => role === "user");
  historyBefore = openedHistory.slice(0, Math.max(0, lastQuestion));
  changeChat({ conversation, items });
}

/** Asks the last question again, as if it had not been answered. */
export async function regenerate(options: AskOptions): Promise<void> {
  const questionIndex = chat.items.findLastIndex(({ kind }) => kind === "question");
  const question = chat.items[questionIndex];
  if (question?.kind !== "question" || chat.isBusy) return;
  history = historyBefore;
  changeChat({ items: chat.items.slice(0, questionIndex) });
  await askChat(question.text, options);
}

export function stopChat(): void {
  const { conversation } = chat;
  const followedRun = leaving;
  const isOver = () => chat.conversation === conversation && !chat.isBusy;
  void stopRun(conversation, isOver)
    .catch(toastError)
    .finally(() => followedRun.abort());
}

/** A conversation whose model is still at work, such as after the page was loaded again. */
export async function followChat(
  conversation: string,
  opened: OpenedChat | null,
  run: string,
): Promise<void> {
  startOver(chat.user);
  changeChat({ conversation, items: opened?.items ?? [], isBusy: true });
  const isOver = () => chat.conversation !== conversation;
  await followRun(run, opened?.runs ?? [], (items) => !isOver() && changeChat({ items }), isOver);
  const keptChat = await loadChat(conversation).catch(() => null);
  if (isOver()) return;
  if (keptChat) resumeChat(conversation, keptChat);
  else changeChat({ isBusy: false });
}

export async function askChat(
  question: string,
  { model, toolset, style }: AskOptions,
): Promise<void> {
  const turn = newId();
  const { conversation } = chat;
  leaving = new AbortController();
  const { signal } = leaving;
  // A new chat ignores events of the old one.
  const isOver = () => chat.conversation !== conversation;
  const addToChat = (event: ChatEvent) =>
    !isOver() && changeChat({ items: addEvent(chat.items, event) });
  const onMessage = (message: AgentMessage & Partial<AgentAnswer>) => {
    // Ids repeat between questions.
    addToChat({ message: { ...message, id: `${turn}-${message.id}` } });
    if (isOver() || !message.endOfDialog || message.history === undefined) return;
    history = message.history;
    const { trace, usage, turns, outcome } = message as unknown as AgentAnswer;
    runEnd = runEndOf({ ...trace, usage, turns, outcome });
  };
  let runEnd: RunEnd | undefined;
  historyBefore = history;
  changeChat({ isBusy: true });
  addToChat({ question, id: turn });
  const input: InputOf<"agent.run"> = {
    question,
    conversation,
    trace: "all_messages",
    approvalWaitMs,
    // A page that is left or loaded again does not end it.
    detached: true,
    ...withoutUndefined({ model: model || undefined, toolset: toolset || undefined }),
  };
  if (style !== "tools") input.style = style;
  if (history.length > 0) input.history = history;
  try {
    await followAnswer(input, signal, onMessage);
  } catch (thrown) {
    const text = signal.aborted ? "Stopped." : messageOf(thrown);
    addToChat({
      message: { id: `${turn}-end`, type: "error", text, end: true, endOfDialog: true },
    });
  } finally {
    addToChat({ endedQuestion: turn, ...withoutUndefined({ run: runEnd }) });
    if (!isOver()) changeChat({ isBusy: false });
  }
}

function newChat(user: string | null): Chat {
  return { user, conversation: chatPrefix + newId(), items: [], isBusy: false };
}

function startOver(user: string | null): void {
  leaving.abort();
  history = [];
  historyBefore = [];
  chat = newChat(user);
}

function changeChat(changes: Partial<Chat>): void {
  chat = { ...chat, ...changes };
  for (const listener of listeners) listener();
}

async function followAnswer(
  input: InputOf<"agent.run">,
  signal: AbortSignal,
  onMessage: (message: AgentMessage) => void,
) {
  const headers = { accept: "text/event-stream" };
  const response = await sendOperation("agent.run", input, { signal, headers });
  if (!response.ok || !response.body) throw await readProblem(response);
  let isComplete = false;
  await readServerSentEvents(response.body, ({ data }) => {
    const message = JSON.parse(data) as AgentMessage;
    isComplete ||= message.endOfDialog;
    onMessage(message);
  });
  if (!isComplete)
    throw new Error("The connection to the plane was lost before the model answered.");
}

/** Works over plain HTTP, where `crypto.randomUUID` is missing. */
function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(12))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}
