import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { pendingQuery } from "../../api/approval-queries.ts";
import { questionsQuery } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { MessageSquare, RefreshCw } from "../../parts/icons.ts";
import { Empty, Loading } from "../../parts/states.tsx";
import { ApprovalCard } from "../approvals/approval-card.tsx";
import { QuestionCard } from "../approvals/question-card.tsx";
import { ChatItemView } from "./chat-item.tsx";
import type { Chat } from "./conversation.ts";

type MessagesProps = {
  chat: Chat;
  isRaw: boolean;
  isOpening: boolean;
  onRegenerate: () => void;
  onAsk: (text: string) => void;
};

/** The messages, and the approvals that the run waits for. */
export function ChatMessages({
  chat: { items, conversation, isBusy },
  isRaw,
  isOpening,
  onRegenerate,
  onAsk,
}: MessagesProps) {
  const pending = useQuery(pendingQuery()).data?.approvals ?? [];
  const ownApprovals = pending.filter(({ options }) => options.conversation === conversation);
  const questions = useQuery(questionsQuery()).data?.questions ?? [];
  const ownQuestions = questions.filter((question) => question.conversation === conversation);
  const scrollerRef = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const lastQuestion = items.findLast(({ kind }) => kind === "question")?.id;
  // A new question scrolls to the answer.
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each question
  useEffect(() => {
    isAtEnd.current = true;
  }, [lastQuestion]);
  // Whatever grows: letters of an answer, and a card whose parts come one after the other.
  useEffect(() => {
    const scroller = scrollerRef.current;
    const content = scroller?.firstElementChild;
    if (!scroller || !content) return;
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) scroller.scrollTop = scroller.scrollHeight;
    });
    observer.observe(content);
    observer.observe(scroller);
    return () => observer.disconnect();
  }, []);
  return (
    <div
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable
      tabIndex={0}
      ref={scrollerRef}
      role="log"
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40;
      }}
      aria-label="Conversation"
      aria-busy={isBusy}
      className="min-h-0 flex-1 overflow-auto"
    >
      <div className="mx-auto flex max-w-3xl flex-col gap-3 pb-2">
        {isOpening && <Loading />}
        {items.length === 0 && !isOpening && (
          <Empty icon={MessageSquare} title="Ask something">
            The model may use your tools. Each call is shown here; approve it here if needed.
          </Empty>
        )}
        {(isOpening ? [] : items).map((item) => (
          <ChatItemView key={`${item.kind}-${item.id}`} {...{ item, isRaw, conversation, onAsk }} />
        ))}
        {ownApprovals.map((heldCall) => (
          <ApprovalCard key={heldCall.id} heldCall={heldCall} />
        ))}
        {ownQuestions.map((question) => (
          <QuestionCard key={question.id} question={question} />
        ))}
        {!isBusy && !isOpening && items.length > 0 && (
          <Button
            variant="quiet"
            icon={RefreshCw}
            className="self-start px-0!"
            onClick={onRegenerate}
          >
            Regenerate
          </Button>
        )}
      </div>
    </div>
  );
}
