import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { type Answered, type HeldAnswer, isAnsweredHere, waitingQuery } from "../../api/approval-queries.ts";
import { useOperation } from "../../api/operations.ts";
import { questionsQuery } from "../../api/queries.ts";
import { useMay } from "../../app/session.ts";
import { AskFirstLink } from "../../parts/ask-first-link.tsx";
import { GrowingList } from "../../parts/growing-list.tsx";
import { CircleCheck } from "../../parts/icons.ts";
import { Panel } from "../../parts/page.tsx";
import { Complaint, Empty, QueryView } from "../../parts/states.tsx";
import { toast } from "../../parts/toast.tsx";
import { AnsweredCard } from "./answered-card.tsx";
import { AnsweredView } from "./answered-list.tsx";
import { ApprovalCard } from "./approval-card.tsx";
import { BulkAnswer } from "./bulk-answer.tsx";
import { QuestionCard } from "./question-card.tsx";
import { useCardKeys } from "./use-card-keys.ts";

/** Waiting calls. One answered here stays in its place with its outcome until the page is left. */
export function WaitingList({ id }: { id: string | undefined }) {
  const query = useInfiniteQuery(waitingQuery());
  const questions = useQuery(questionsQuery()).data?.questions ?? [];
  const [answered, setAnswered] = useState<ReadonlyMap<string, Answered>>(new Map());
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const mayAnswer = useMay("call");
  const mayManage = useMay("admin");
  const isMoving = useTellGone(query.data?.approvals, answered.size);
  const keepOrder = useOrder();
  useCardKeys();
  useEffect(() => {
    if (id !== undefined) document.getElementById(`held-${id}`)?.scrollIntoView({ block: "start" });
  }, [id]);
  const take = (given: readonly Answered[]) => {
    setAnswered((before) => new Map([...before, ...given.map((one) => [one.approval.id, one] as const)]));
    setChosen(new Set());
    goOnFrom(given.at(-1)?.approval.id);
  };
  return (
    <QueryView query={query} what="Loading approvals">
      {({ approvals, total }) => {
        const items = keepOrder(inFront(approvals, id), answered);
        const selected = approvals.filter((held) => chosen.has(held.id) && !answered.has(held.id));
        if (items.length + questions.length === 0 && id === undefined)
          return (
            <Empty
              icon={CircleCheck}
              title="No approvals waiting"
              action={mayManage && <AskFirstLink>Ask before a tool runs</AskFirstLink>}
            >
              Calls that need your approval appear here at once. The policy decides which do.
            </Empty>
          );
        return (
          <div className="mx-auto flex w-full max-w-3xl flex-col gap-4 md:mx-0">
            {id !== undefined && !items.some((item) => item.id === id) && <NoLongerWaiting id={id} />}
            {questions.map((question) => (
              <QuestionCard key={question.id} question={question} />
            ))}
            {mayAnswer && approvals.length > 1 && (
              <BulkAnswer
                chosen={selected}
                waiting={approvals.length}
                onAll={() => setChosen(new Set(approvals.map((held) => held.id)))}
                onClear={() => setChosen(new Set())}
                onAnswered={take}
              />
            )}
            <GrowingList
              className="gap-4 empty:hidden"
              items={items}
              total={total + items.length - approvals.length}
              onMore={() => !query.isFetchingNextPage && void query.fetchNextPage()}
              keyOf={(item) => item.id}
              idOf={(item) => `held-${item.id}`}
            >
              {({ held, answer }) =>
                answer ? (
                  <AnsweredCard answered={answer} />
                ) : (
                  <ApprovalCard
                    held={held}
                    isMoving={isMoving}
                    onAnswered={(one) => take([one])}
                    choice={
                      mayAnswer &&
                      approvals.length > 1 && (
                        <Choice
                          tool={held.tool}
                          isChosen={chosen.has(held.id)}
                          onToggle={() => setChosen(toggled(chosen, held.id))}
                        />
                      )
                    }
                  />
                )
              }
            </GrowingList>
          </div>
        );
      }}
    </QueryView>
  );
}

type Item = { id: string; held: HeldAnswer; answer: Answered | undefined };

/** Every card keeps its place; an event may tell that a call is answered before the answer to it arrives here. */
function useOrder() {
  const known = useRef(new Map<string, HeldAnswer>());
  return (approvals: readonly HeldAnswer[], answered: ReadonlyMap<string, Answered>): Item[] => {
    const waiting = new Set(approvals.map(({ id }) => id));
    for (const held of approvals) known.current.set(held.id, held);
    return [...known.current.values()].flatMap((held) => {
      const answer = answered.get(held.id);
      return waiting.has(held.id) || answer ? [{ id: held.id, held, answer }] : [];
    });
  };
}

function toggled(chosen: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(chosen);
  if (!next.delete(id)) next.add(id);
  return next;
}

function Choice({ tool, isChosen, onToggle }: { tool: string; isChosen: boolean; onToggle: () => void }) {
  return (
    <input type="checkbox" className="size-4" aria-label={`Select ${tool}`} checked={isChosen} onChange={onToggle} />
  );
}

/** The focused button disappears with its card; moves focus to what stands there now. */
function goOnFrom(id: string | undefined): void {
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return;
    const card = document.getElementById(`held-${id}`)?.querySelector<HTMLElement>("[data-card]");
    (card ?? document.getElementById("content"))?.focus({ preventScroll: true });
  });
}

/** The linked call was answered already, or is not visible to this user. */
function NoLongerWaiting({ id }: { id: string }) {
  const { data: held, error } = useOperation("approvals.get", { id }, { retry: false });
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
function useTellGone(approvals: readonly HeldAnswer[] | undefined, answered: number): boolean {
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
    const elsewhere = gone.filter(({ id }) => !isAnsweredHere(client, id));
    const [only] = elsewhere;
    if (only === undefined) return;
    const what = elsewhere.length === 1 ? `${only.tool} no longer waits` : `${elsewhere.length} calls no longer wait`;
    toast(`${what}: answered by another person, or expired.`, "neutral");
  }, [approvals, client]);
  // The outcome is smaller than its card was.
  useLayoutEffect(() => {
    if (answered > 0) setMovedAt(performance.now());
  }, [answered]);
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
