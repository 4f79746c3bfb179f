import { queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { z } from "zod";
import type { AgentChoices } from "../../../../src/operations/agent.ts";
import { pendingQuery } from "../../api/approval-queries.ts";
import { get } from "../../api/client.ts";
import { sessionQuery } from "../../api/queries.ts";
import { questionsQuery } from "../../api/question-queries.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { Select } from "../../parts/field.tsx";
import { MessageSquare, RotateCcw } from "../../parts/icons.ts";
import { Page } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { counted } from "../../parts/time.tsx";
import { ApprovalCard } from "../approvals/approval-card.tsx";
import { QuestionCard } from "../approvals/question-card.tsx";
import { ChatItemView } from "./chat-item.tsx";
import {
  type AskOptions,
  askChat,
  type Chat as Conversation,
  restartChat,
  stopChat,
  useConversation,
} from "./conversation.ts";
import { Question } from "./question.tsx";

type Choices = z.infer<typeof AgentChoices>;

const choicesQuery = () =>
  queryOptions({ queryKey: ["config", "agent"], queryFn: ({ signal }) => get<Choices>("/agent", signal) });

/** Chat with a model that has the plane's tools; shows every call. */
export function ChatPage() {
  const query = useQuery(choicesQuery());
  return (
    <QueryView query={query}>
      {(choices) =>
        choices.models.length === 0 ? (
          <Page title="Chat">
            <Empty icon={MessageSquare} title="No model is configured">
              Add one to “models” in the configuration: {'{"default": {"baseURL": "…", "model": "…"}}'}.
            </Empty>
          </Page>
        ) : (
          <Chat choices={choices} />
        )
      }
    </QueryView>
  );
}

function Chat({ choices }: { choices: Choices }) {
  const chat = useConversation(useQuery(sessionQuery()).data?.user ?? null);
  const [options, setOptions] = useState<AskOptions>({ model: "", toolset: "" });
  return (
    <Page
      fill
      title="Chat"
      actions={
        <>
          {choices.models.length > 1 && (
            <Select
              aria-label="Model"
              className="w-auto!"
              options={[{ value: "", text: "Default model" }, ...choices.models]}
              value={options.model}
              onChange={({ target }) => setOptions({ ...options, model: target.value })}
            />
          )}
          <Select
            aria-label="Tools"
            className="w-auto!"
            options={[{ value: "", text: "Every tool" }, ...choices.toolsets]}
            value={options.toolset}
            onChange={({ target }) => setOptions({ ...options, toolset: target.value })}
          />
          <NewChat chat={chat} />
        </>
      }
    >
      <Said chat={chat} />
      <Question isBusy={chat.isBusy} onAsk={(text) => void askChat(text, options)} onStop={stopChat} />
    </Page>
  );
}

/** Confirms first: the conversation is stored nowhere else. */
function NewChat({ chat: { items, isBusy } }: { chat: Conversation }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button icon={RotateCcw} disabled={items.length === 0} onClick={() => setAsking(true)}>
        New chat
      </Button>
      <Confirm
        open={isAsking}
        title="Start a new chat?"
        action="New chat"
        onClose={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false);
          restartChat();
        }}
      >
        <p>
          The conversation leaves this page{isBusy && ", and the model stops"}. Its calls and runs stay under “Calls”.
        </p>
      </Confirm>
    </>
  );
}

/** The messages, and the approvals that the run waits for. */
function Said({ chat: { items, conversation, isBusy, last } }: { chat: Conversation }) {
  const pending = useQuery(pendingQuery()).data?.approvals ?? [];
  const ours = pending.filter(({ options }) => options.conversation === conversation);
  const questions = useQuery(questionsQuery()).data?.questions ?? [];
  const asked = questions.filter((question) => question.conversation === conversation);
  const list = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const lastQuestion = items.findLast(({ kind }) => kind === "question")?.id;
  // A new question scrolls to the answer.
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each question
  useEffect(() => {
    isAtEnd.current = true;
  }, [lastQuestion]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever something is added, a few letters too
  useEffect(() => {
    if (list.current && isAtEnd.current) list.current.scrollTop = list.current.scrollHeight;
  }, [items, ours.length, asked.length, isBusy, last]);
  return (
    <div
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable
      tabIndex={0}
      ref={list}
      role="log"
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40;
      }}
      aria-label="Conversation"
      aria-busy={isBusy}
      className="min-h-0 flex-1 overflow-auto"
    >
      <div className="mx-auto flex max-w-3xl flex-col gap-3 pb-2">
        {items.length === 0 && (
          <Empty icon={MessageSquare} title="Ask something">
            The model may use your tools. Each call is shown here; approve it here if needed.
          </Empty>
        )}
        {items.map((item) => (
          <ChatItemView key={item.id} item={item} />
        ))}
        {ours.map((held) => (
          <ApprovalCard key={held.id} held={held} />
        ))}
        {asked.map((question) => (
          <QuestionCard key={question.id} question={question} />
        ))}
        {last && !isBusy && (
          <p className="text-xs text-muted">
            {last.trace.model}, {counted(last.usage.totalTokens, "token")}, {counted(last.turns, "turn")}
            {last.outcome !== "completed" && `, ${last.outcome}`}
          </p>
        )}
      </div>
    </div>
  );
}
