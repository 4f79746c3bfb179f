import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { type Answered, type HeldAnswer, heldCallQuery, waitingQuery } from "../../api/approval-queries.ts";
import { questionsQuery } from "../../api/question-queries.ts";
import { GrowingList } from "../../parts/growing-list.tsx";
import { CircleCheck } from "../../parts/icons.ts";
import { Panel } from "../../parts/page.tsx";
import { Complaint, Empty, QueryView } from "../../parts/states.tsx";
import { toast } from "../../parts/toast.tsx";
import { AnsweredCard } from "./answered-card.tsx";
import { AnsweredView } from "./answered-list.tsx";
import { ApprovalCard } from "./approval-card.tsx";
import { QuestionCard } from "./question-card.tsx";

/** Waiting calls. One answered here stays visible with its outcome until the page is left. */
export function WaitingList({ id }: { id: string | undefined }) {
  const query = useInfiniteQuery(waitingQuery());
  const questions = useQuery(questionsQuery()).data?.questions ?? [];
  const [answered, setAnswered] = useState<Answered[]>([]);
  const isMoving = useTellGone(query.data?.approvals);
  useEffect(() => {
    if (id !== undefined) document.getElementById(`held-${id}`)?.scrollIntoView({ block: "start" });
  }, [id]);
  return (
    <QueryView query={query} what="Loading approvals">
      {({ approvals, total }) => (
        <div className="mx-auto flex w-full max-w-3xl flex-col gap-4 md:mx-0">
          {approvals.length + questions.length + answered.length === 0 && id === undefined && (
            <Empty icon={CircleCheck} title="No approvals waiting">
              New approvals appear here at once.
            </Empty>
          )}
          {id !== undefined && !approvals.some((held) => held.id === id) && <NoLongerWaiting id={id} />}
          {questions.map((question) => (
            <QuestionCard key={question.id} question={question} />
          ))}
          <GrowingList
            className="gap-4 empty:hidden"
            items={inFront(approvals, id)}
            total={total}
            onMore={() => !query.isFetchingNextPage && void query.fetchNextPage()}
            keyOf={(held) => held.id}
            idOf={(held) => `held-${held.id}`}
          >
            {(held) => (
              <ApprovalCard
                held={held}
                isMoving={isMoving}
                onAnswered={(one) => {
                  setAnswered((before) => [one, ...before]);
                  goOnFromHere();
                }}
              />
            )}
          </GrowingList>
          {answered.map((one) => (
            <AnsweredCard key={one.approval.id} answered={one} />
          ))}
        </div>
      )}
    </QueryView>
  );
}

/** The focused button disappears with its card; moves focus to the list. */
function goOnFromHere(): void {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) document.getElementById("content")?.focus();
  });
}

/** The linked call was answered already, or is not visible to this user. */
function NoLongerWaiting({ id }: { id: string }) {
  const { data: held, error } = useQuery({ ...heldCallQuery(id), retry: false });
  if (error) return <Complaint error={error} />;
  if (held === undefined || held.status === "pending") return null;
  return (
    <Panel title={`${held.tool} no longer waits`}>
      <AnsweredView held={held} />
    </Panel>
  );
}

/** The time between the clicks of a double click. */
const settleMs = 500;

/**
 * Explains a call that disappeared without an answer here. True while the next one moves into its place, so that a
 * second click does not approve an unread call.
 */
function useTellGone(approvals: readonly HeldAnswer[] | undefined): boolean {
  const client = useQueryClient();
  const before = useRef<readonly HeldAnswer[]>([]);
  const [movedAt, setMovedAt] = useState(0);
  useLayoutEffect(() => {
    if (approvals === undefined) return;
    const here = new Set(approvals.map(({ id }) => id));
    const gone = before.current.filter(({ id }) => !here.has(id));
    before.current = approvals;
    if (gone.length === 0) return;
    setMovedAt(performance.now());
    const isOurs = (id: string) => client.getMutationCache().find({ mutationKey: ["answer", id] });
    const elsewhere = gone.filter(({ id }) => !isOurs(id));
    const [only] = elsewhere;
    if (only === undefined) return;
    const what = elsewhere.length === 1 ? `${only.tool} no longer waits` : `${elsewhere.length} calls no longer wait`;
    toast(`${what}: answered by another person, or expired.`, "neutral");
  }, [approvals, client]);
  useEffect(() => {
    if (movedAt === 0) return;
    const timer = setTimeout(() => setMovedAt(0), settleMs);
    return () => clearTimeout(timer);
  }, [movedAt]);
  return movedAt !== 0;
}

/** Puts the linked call first. */
function inFront(approvals: readonly HeldAnswer[], id: string | undefined): HeldAnswer[] {
  return approvals.toSorted((a, b) => Number(b.id === id) - Number(a.id === id));
}
