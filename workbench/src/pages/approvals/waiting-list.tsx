import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { withoutUndefined } from "../../../../src/lib/json/plain-data.ts";
import { type Answered, waitingQuery } from "../../api/approval-queries.ts";
import { useOperation } from "../../api/operations.ts";
import { questionsQuery } from "../../api/queries.ts";
import { useMay, useMayChange } from "../../app/session.ts";
import { AskFirstLink } from "../../parts/ask-first-link.tsx";
import { classes } from "../../parts/class-names.ts";
import { CircleCheck } from "../../parts/icons.ts";
import { Panel } from "../../parts/page.tsx";
import { Complaint, Empty, QueryView } from "../../parts/states.tsx";
import { AnsweredCard } from "./answered-card.tsx";
import { AnsweredView } from "./answered-list.tsx";
import { ApprovalCard } from "./approval-card.tsx";
import { BulkAnswer } from "./bulk-answer.tsx";
import { groupHeld, matchesSearch } from "./group-held.ts";
import { type InboxItem, InboxList, type InboxSearch } from "./inbox-list.tsx";
import { QuestionCard } from "./question-card.tsx";
import { shownCard, useCardKeys } from "./use-card-keys.ts";
import { useGoneNotice, useOrder } from "./use-waiting.ts";

/** Cards that stay as they are while another is shown, with what was typed. */
const maxOpened = 20;

/** An inbox: waiting calls on one side, the decision on the other. What was answered here stays until the page is left. */
export function WaitingList({ id }: { id: string | undefined }) {
  const query = useInfiniteQuery(waitingQuery());
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  // All of them: one that is not listed cannot be chosen.
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const questions = useQuery(questionsQuery()).data?.questions ?? [];
  const [answered, setAnswered] = useState<ReadonlyMap<string, Answered>>(new Map());
  const [justAnswered, setJustAnswered] = useState<readonly Answered[]>([]);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [search, setSearch] = useState<InboxSearch>({ query: "", grouping: "none" });
  const [opened, setOpened] = useState<readonly string[]>([]);
  const mayAnswer = useMayChange("call");
  const mayManage = useMay("admin");
  const navigate = useNavigate();
  const hasJustMoved = useGoneNotice(query.data?.approvals, answered.size);
  const keepOrder = useOrder();
  const approvals = query.data?.approvals ?? [];
  const items = keepOrder(approvals, answered);
  const groups = groupHeld(
    items.filter(({ heldCall }) => matchesSearch(heldCall, search.query)),
    search.grouping,
  );
  // What is shown, gone through and selected is what is listed: nothing is answered that a search has hidden.
  const listed = groups.flatMap((group) => group.items);
  const isOpen = ({ answer }: InboxItem) => answer === undefined;
  const openIds = listed.filter(isOpen).map((item) => item.id);
  const shown = listed.some((item) => item.id === id) ? id : (openIds[0] ?? listed[0]?.id);
  useEffect(() => {
    if (shown !== undefined)
      setOpened((before) =>
        [shown, ...before.filter((openedId) => openedId !== shown)].slice(0, maxOpened),
      );
  }, [shown]);

  const showCall = (nextId: string | undefined, replace = false) => {
    setJustAnswered([]);
    void navigate({
      to: "/approvals",
      search: withoutUndefined({ id: nextId }),
      replace,
    });
  };
  useCardKeys((by) => {
    const target = listed[listed.findIndex((item) => item.id === shown) + by];
    if (target !== undefined) showCall(target.id, true);
  });
  const keepAnswers = (answers: readonly Answered[]) => {
    const answeredById = new Map([
      ...answered,
      ...answers.map((answer) => [answer.approval.id, answer] as const),
    ]);
    setAnswered(answeredById);
    setChosen(new Set());
    const shownIndex = listed.findIndex((item) => item.id === shown);
    const unanswered = [...listed.slice(shownIndex + 1), ...listed].filter(
      (item) => !answeredById.has(item.id),
    );
    showCall(unanswered[0]?.id, true);
    setJustAnswered(answers);
    focusShownCard();
  };
  const choose = (ids: readonly string[], isChosen: boolean) =>
    setChosen(
      (before) =>
        new Set(
          isChosen
            ? [...before, ...ids]
            : [...before].filter((chosenId) => !ids.includes(chosenId)),
        ),
    );

  return (
    <QueryView query={query} what="Loading approvals">
      {() => {
        const selected = listed
          .filter((item) => chosen.has(item.id) && isOpen(item))
          .map(({ heldCall }) => heldCall);
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
        const isList = items.length > 1;
        const mounted = [...new Set([shown, ...opened])].flatMap(
          (callId) => items.find((item) => item.id === callId) ?? [],
        );
        return (
          <div className="flex flex-col gap-4">
            {id !== undefined && !items.some((item) => item.id === id) && (
              <NoLongerWaiting id={id} />
            )}
            {questions.map((question) => (
              <QuestionCard key={question.id} question={question} />
            ))}
            {mayAnswer && approvals.length > 1 && (
              <BulkAnswer
                className={id === undefined ? "" : "max-lg:hidden"}
                chosen={selected}
                allLabel={
                  search.query.trim() === "" ? "Select all" : `Select the ${openIds.length} found`
                }
                onAll={
                  openIds.every((openId) => chosen.has(openId))
                    ? undefined
                    : () => choose(openIds, true)
                }
                onClear={() => setChosen(new Set())}
                onAnswered={keepAnswers}
              />
            )}
            <div
              className={classes(
                "grid items-start gap-4",
                isList && "lg:grid-cols-[minmax(280px,360px)_minmax(0,1fr)]",
              )}
            >
              {isList && (
                <div className={classes("min-w-0", id !== undefined && "max-lg:hidden")}>
                  <InboxList
                    groups={groups}
                    search={search}
                    onSearch={setSearch}
                    shown={shown}
                    onShow={showCall}
                    chosen={chosen}
                    onChoose={mayAnswer ? choose : undefined}
                  />
                </div>
              )}
              <div
                className={classes(
                  "flex min-w-0 max-w-3xl flex-col gap-4",
                  isList && id === undefined && justAnswered.length === 0 && "max-lg:hidden",
                )}
              >
                {isList && (
                  <button
                    type="button"
                    className="w-fit text-sm text-accent hover:underline lg:hidden"
                    onClick={() => showCall(undefined)}
                  >
                    ← All that wait
                  </button>
                )}
                {justAnswered.map((answer) => (
                  <AnsweredCard key={answer.approval.id} answered={answer} />
                ))}
                {mounted.map(({ id: callId, heldCall, answer }) => (
                  <div
                    key={callId}
                    hidden={callId !== shown || (answer && justAnswered.includes(answer))}
                  >
                    {answer ? (
                      <AnsweredCard answered={answer} />
                    ) : (
                      <ApprovalCard
                        heldCall={heldCall}
                        hasJustMoved={hasJustMoved}
                        onAnswered={(answer) => keepAnswers([answer])}
                      />
                    )}
                  </div>
                ))}
              </div>
            </div>
          </div>
        );
      }}
    </QueryView>
  );
}

/** The focused button disappears with its card; moves focus to what stands there now. */
function focusShownCard(): void {
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return;
    (shownCard() ?? document.getElementById("content"))?.focus({ preventScroll: true });
  });
}

/** The linked call was answered already, or is not visible to this user. */
function NoLongerWaiting({ id }: { id: string }) {
  const { data: heldCall, error } = useOperation("approvals.get", { id }, { retry: false });
  if (error) return <Complaint error={error} />;
  if (heldCall === undefined || heldCall.status === "pending") return null;
  return (
    <Panel title={`${heldCall.tool} no longer waits`}>
      <AnsweredView heldCall={heldCall} />
    </Panel>
  );
}
