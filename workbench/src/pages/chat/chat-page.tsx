import { queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { z } from "zod";
import type { AgentChoices } from "../../../../src/faces/http/routes/agent-routes.ts";
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

/** A model with the tools of this plane, and every call that it makes in sight. */
export function ChatPage() {
  const query = useQuery(choicesQuery());
  return (
    <QueryView query={query}>
      {(choices) =>
        choices.models.length === 0 ? (
          <Page title="Chat">
            <Empty icon={MessageSquare} title="No model is configured">
              Write one into the section “models” of the configuration: {'{"default": {"baseURL": "…", "model": "…"}}'}.
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
              options={[{ value: "", text: "The usual model" }, ...choices.models]}
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
          <BeginAnew chat={chat} />
        </>
      }
    >
      <Said chat={chat} />
      <Question isBusy={chat.isBusy} onAsk={(text) => void askChat(text, options)} onStop={stopChat} />
    </Page>
  );
}

/** A conversation is kept nowhere else, so nobody loses one by a slip. */
function BeginAnew({ chat: { items, isBusy } }: { chat: Conversation }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button icon={RotateCcw} disabled={items.length === 0} onClick={() => setAsking(true)}>
        Begin anew
      </Button>
      <Confirm
        open={isAsking}
        title="Begin a new conversation?"
        action="Begin anew"
        onClose={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false);
          restartChat();
        }}
      >
        <p>
          What was said here is gone from this page{isBusy && ", and what the model is doing is stopped"}. Its calls
          stay on record, and the run can be read under “Calls”.
        </p>
      </Confirm>
    </>
  );
}

/** What was said, and what waits for a yes so that it can go on. */
function Said({ chat: { items, conversation, isBusy, last } }: { chat: Conversation }) {
  const pending = useQuery(pendingQuery()).data?.approvals ?? [];
  const ours = pending.filter(({ options }) => options.conversation === conversation);
  const questions = useQuery(questionsQuery()).data?.questions ?? [];
  const asked = questions.filter((question) => question.conversation === conversation);
  const list = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const lastQuestion = items.findLast(({ kind }) => kind === "question")?.id;
  // Whoever asks wants to see the answer, wherever they have scrolled to.
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
            The model may use your tools. Each call is shown here, and waits here where it needs your yes.
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
