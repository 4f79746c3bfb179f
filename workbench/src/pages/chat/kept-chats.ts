import { queryOptions } from "@tanstack/react-query";
import type { ChatContent, ChatMessage } from "../../../../src/model/agent/chat.ts";
import { callOperation } from "../../api/operations.ts";
import type { RunAnswer, RunSummary } from "../../api/queries.ts";
import { isProgramRun } from "../calls/program.tsx";
import type { ChatItem, Ended } from "./chat-items.ts";

/** Runs of this page are recognised by the names of their conversations. */
export const chatPrefix = "chat-";
/** Runs that are looked through, newest first. */
const maxRuns = 300;
/** Of one conversation; older questions have no numbers of their own. */
const maxTurns = 50;

export type KeptChat = { conversation: string; title: string; at: string; questions: Set<string> };

/** The chats of a person, newest first; each is called by its title, or its first question. */
export const keptChatsQuery = (user: string | null) =>
  queryOptions({
    queryKey: ["runs", "chats", user],
    queryFn: async ({ signal }) => {
      const { runs } = await callOperation(
        "runs.page",
        { user: user ?? undefined, limit: maxRuns },
        { signal },
      );
      const chats = new Map<string, KeptChat>();
      const titles = new Map(
        runs.flatMap(({ conversation, title }) => (title ? [[conversation, title]] : [])),
      );
      for (const run of runs) {
        const { conversation, question, at } = run;
        if (!conversation.startsWith(chatPrefix) || isProgramRun(run)) continue;
        const { at: last = at, questions = new Set<string>() } = chats.get(conversation) ?? {};
        const title = titles.get(conversation) ?? question;
        // One that was asked again is one question.
        chats.set(conversation, {
          conversation,
          title,
          at: last,
          questions: questions.add(question),
        });
      }
      return [...chats.values()];
    },
  });

export type OpenedChat = { items: ChatItem[]; history: ChatMessage[]; runs: RunAnswer[] };

/** The last run has the whole conversation; each run has the numbers of its own question. */
export async function loadChat(conversation: string): Promise<OpenedChat | null> {
  const kept = await callOperation("runs.page", { conversation, limit: maxTurns });
  const runs = kept.runs.filter((run) => !isProgramRun(run));
  if (runs.length === 0) return null;
  const whole = await Promise.all(runs.map(({ id }) => callOperation("runs.get", { id })));
  const [last] = whole;
  return {
    items: itemsOf(last?.messages ?? [], whole),
    history: last?.messages ?? [],
    runs: whole,
  };
}

export const endedOf = ({
  id,
  model,
  usage,
  turns,
  outcome,
  style,
}: Pick<RunSummary, keyof Ended>): Ended => ({
  id,
  model,
  usage,
  turns,
  outcome,
  style,
});

/** The messages as the page shows them while they come. */
export function itemsOf(messages: readonly ChatMessage[], runs: readonly RunAnswer[]): ChatItem[] {
  const calls = new Map(
    runs.flatMap(({ steps }) => steps.flatMap((step) => step.calls.map((call) => [call.id, call]))),
  );
  const runOf = runsByMessage(messages, runs);
  const items: ChatItem[] = [];
  let run: RunAnswer | undefined;
  const finish = () => {
    if (run) items.push({ kind: "end", id: `end-${run.id}`, ended: endedOf(run) });
    if (run?.error)
      items.splice(-1, 0, { kind: "error", id: `error-${run.id}`, text: run.error.message });
    run = undefined;
  };
  for (const [at, message] of messages.entries()) {
    if (message.role === "user") {
      finish();
      run = runOf.get(message);
      items.push({ kind: "question", id: `kept-${at}`, text: textIn(message.content) });
    }
    if (message.role !== "assistant") continue;
    const thought = message.reasoning_content?.trim() ?? "";
    if (thought !== "") items.push({ kind: "thought", id: `kept-${at}`, text: thought });
    const said = textIn(message.content);
    if (said.trim() !== "") items.push({ kind: "answer", id: `kept-${at}`, text: said });
    for (const { id, function: asked } of message.tool_calls ?? []) {
      const { tool = asked.name, status, record } = calls.get(id) ?? {};
      const call = {
        id,
        tool,
        arguments: parsed(asked.arguments),
        ...(status ? { status } : {}),
        ...(record ? { record } : {}),
      };
      const result = messages.find(
        (one, place) => place > at && one.role === "tool" && one.tool_call_id === id,
      );
      const content = result?.content ?? "";
      items.push({
        kind: "call",
        id: `kept-${at}-${id}`,
        call,
        result: textIn(content),
        pictures: picturesIn(content),
      });
    }
  }
  finish();
  return items;
}

/** From the end: of two runs of a question, the newer one is the one whose answer is kept. */
function runsByMessage(
  messages: readonly ChatMessage[],
  runs: readonly RunAnswer[],
): Map<ChatMessage, RunAnswer> {
  const left = [...runs];
  const found = new Map<ChatMessage, RunAnswer>();
  for (const message of messages.filter(({ role }) => role === "user").reverse()) {
    const at = left.findIndex(({ question }) => question === textIn(message.content));
    const [run] = at === -1 ? [] : left.splice(at, 1);
    if (run) found.set(message, run);
  }
  return found;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function textIn(content: ChatContent): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? block.text : [])).join("\n");
}

function picturesIn(content: ChatContent): string[] {
  return typeof content === "string"
    ? []
    : content.flatMap((block) => (block.type === "image_url" ? block.image_url.url : []));
}
