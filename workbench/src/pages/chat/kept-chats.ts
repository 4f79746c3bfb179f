import { queryOptions } from "@tanstack/react-query";
import { withoutUndefined } from "../../../../src/lib/json/plain-data.ts";
import type { ChatContent, ChatMessage } from "../../../../src/model/agent/chat.ts";
import { callOperation } from "../../api/operations.ts";
import type { RunAnswer, RunSummary } from "../../api/queries.ts";
import { isProgramRun } from "../calls/program.tsx";
import type { ChatItem, RunEnd } from "./chat-items.ts";

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
        const { conversation, question, at: startedAt } = run;
        if (!conversation.startsWith(chatPrefix) || isProgramRun(run)) continue;
        const { at: lastAt = startedAt, questions = new Set<string>() } =
          chats.get(conversation) ?? {};
        const title = titles.get(conversation) ?? question;
        // One that was asked again is one question.
        chats.set(conversation, {
          conversation,
          title,
          at: lastAt,
          questions: questions.add(question),
        });
      }
      return [...chats.values()];
    },
  });

export type OpenedChat = { items: ChatItem[]; history: ChatMessage[]; runs: RunAnswer[] };

/** The last run has the fullRuns conversation; each run has the numbers of its own question. */
export async function loadChat(conversation: string): Promise<OpenedChat | null> {
  const runPage = await callOperation("runs.page", { conversation, limit: maxTurns });
  const runs = runPage.runs.filter((run) => !isProgramRun(run));
  if (runs.length === 0) return null;
  const fullRuns = await Promise.all(runs.map(({ id }) => callOperation("runs.get", { id })));
  const [lastRun] = fullRuns;
  return {
    items: itemsOf(lastRun?.messages ?? [], fullRuns),
    history: lastRun?.messages ?? [],
    runs: fullRuns,
  };
}

export const runEndOf = ({
  id,
  model,
  usage,
  turns,
  outcome,
  style,
}: Pick<RunSummary, keyof RunEnd>): RunEnd => ({
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
  const endRun = () => {
    if (run) items.push({ kind: "end", id: `end-${run.id}`, run: runEndOf(run) });
    if (run?.error)
      items.splice(-1, 0, { kind: "error", id: `error-${run.id}`, text: run.error.message });
    run = undefined;
  };
  for (const [index, message] of messages.entries()) {
    if (message.role === "user") {
      endRun();
      run = runOf.get(message);
      items.push({ kind: "question", id: `kept-${index}`, text: textIn(message.content) });
    }
    if (message.role !== "assistant") continue;
    const reasoning = message.reasoning_content?.trim() ?? "";
    if (reasoning !== "") items.push({ kind: "thought", id: `kept-${index}`, text: reasoning });
    const answer = textIn(message.content);
    if (answer.trim() !== "") items.push({ kind: "answer", id: `kept-${index}`, text: answer });
    for (const { id, function: requested } of message.tool_calls ?? []) {
      const { tool = requested.name, status, record } = calls.get(id) ?? {};
      const call = {
        id,
        tool,
        arguments: parseArguments(requested.arguments),
        ...withoutUndefined({ status: status || undefined, record: record || undefined }),
      };
      const result = messages.find(
        (laterMessage, laterIndex) =>
          laterIndex > index && laterMessage.role === "tool" && laterMessage.tool_call_id === id,
      );
      const content = result?.content ?? "";
      items.push({
        kind: "call",
        id: `kept-${index}-${id}`,
        call,
        result: textIn(content),
        pictures: picturesIn(content),
      });
    }
  }
  endRun();
  return items;
}

/** From the end: of two runs of a question, the newer one is the one whose answer is kept. */
function runsByMessage(
  messages: readonly ChatMessage[],
  runs: readonly RunAnswer[],
): Map<ChatMessage, RunAnswer> {
  const unmatchedRuns = [...runs];
  const runByMessage = new Map<ChatMessage, RunAnswer>();
  for (const message of messages.filter(({ role }) => role === "user").reverse()) {
    const runIndex = unmatchedRuns.findIndex(
      ({ question }) => question === textIn(message.content),
    );
    const [run] = runIndex === -1 ? [] : unmatchedRuns.splice(runIndex, 1);
    if (run) runByMessage.set(message, run);
  }
  return runByMessage;
}

function parseArguments(text: string): unknown {
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
  if (typeof content === "string") return [];
  return content.flatMap((block) => (block.type === "image_url" ? block.image_url.url : []));
}
