import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
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
import { groupHeld, isSought } from "./group-held.ts";
import { InboxList, type Item, type Sought } from "./inbox-list.tsx";
import { QuestionCard } from "./question-card.tsx";
import { shownCard, useCardKeys } from "./use-card-keys.ts";
import { useOrder, useTellGone } from "./use-waiting.ts";

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
  const [sought, setSought] = useState<Sought>({ words: "", grouping: "none" });
  const [opened, setOpened] = useState<readonly string[]>([]);
  const mayAnswer = useMayChange("call");
  const mayManage = useMay("admin");
  const navigate = useNavigate();
  const isMoving = useTellGone(query.data?.approvals, answered.size);
  const keepOrder = useOrder();
  const approvals = query.data?.approvals ?? [];
  const items = keepOrder(approvals, answered);
  const groups = groupHeld(
    items.filter(({ held }) => isSought(held, sought.words)),
    sought.grouping,
  );
  // What is shown, gone through and selected is what is listed: nothing is answered that a search has hidden.
  const listed = groups.flatMap((group) => group.items);
  const isOpen = ({ answer }: Item) => answer === undefined;
  const open = listed.filter(isOpen).map((item) => item.id);
  const shown = listed.some((item) => item.id === id) ? id : (open[0] ?? listed[0]?.id);
  useEffect(() => {
    if (shown !== undefined)
      setOpened((before) => [shown, ...before.filter((one) => one !== shown)].slice(0, maxOpened));
  }, [shown]);

  const show = (next: string | undefined, replace = false) => {
    setJustAnswered([]);
    void navigate({ to: "/approvals", search: next === undefined ? {} : { id: next }, replace });
  };
  useCardKeys((by) => {
    const to = listed[listed.findIndex((item) => item.id === shown) + by];
    if (to !== undefined) show(to.id, true);
  });
  const take = (given: readonly Answered[]) => {
    const done = new Map([...answered, ...given.map((one) => [one.approval.id, one] as const)]);
    setAnswered(done);
    setChosen(new Set());
    const place = listed.findIndex((item) => item.id === shown);
    const left = [...listed.slice(place + 1), ...listed].filter((item) => !done.has(item.id));
    show(left[0]?.id, true);
    setJustAnswered(given);
    goOn();
  };
  const choose = (ids: readonly string[], isChosen: boolean) =>
    setChosen(
      (before) =>
        new Set(isChosen ? [...before, ...ids] : [...before].filter((one) => !ids.includes(one))),
    );

  return (
    <QueryView query={query} what="Loading approvals">
      {() => {
        const selected = listed
          .filter((item) => chosen.has(item.id) && isOpen(item))
          .map(({ held }) => held);
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
          (one) => items.find((item) => item.id === one) ?? [],
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
                all={sought.words.trim() === "" ? "Select all" : `Select the ${open.length} found`}
                onAll={open.every((one) => chosen.has(one)) ? undefined : () => choose(open, true)}
                onClear={() => setChosen(new Set())}
                onAnswered={take}
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
                    sought={sought}
                    onSeek={setSought}
                    shown={shown}
                    onShow={show}
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
                    onClick={() => show(undefined)}
                  >
                    ← All that wait
                  </button>
                )}
                {justAnswered.map((one) => (
                  <AnsweredCard key={one.approval.id} answered={one} />
                ))}
                {mounted.map(({ id: one, held, answer }) => (
                  <div
                    key={one}
                    hidden={one !== shown || (answer && justAnswered.includes(answer))}
                  >
                    {answer ? (
                      <AnsweredCard answered={answer} />
                    ) : (
                      <ApprovalCard
                        held={held}
                        isMoving={isMoving}
                        onAnswered={(given) => take([given])}
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
function goOn(): void {
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return;
    (shownCard() ?? document.getElementById("content"))?.focus({ preventScroll: true });
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
