import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { answeredQuery, type HeldAnswer } from "../../api/approval-queries.ts";
import { StateBadge } from "../../parts/badge.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Facts } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { ArgumentList } from "./argument-list.tsx";

const columnsFor = (onOpen: (heldCall: HeldAnswer) => void): Column<HeldAnswer>[] => [
  {
    title: "Tool",
    width: "minmax(140px, 2fr)",
    render: (heldCall) => (
      <button
        type="button"
        className="max-w-full truncate font-mono text-xs font-medium hover:underline"
        onClick={() => onOpen(heldCall)}
      >
        {heldCall.tool}
      </button>
    ),
  },
  {
    title: "State",
    width: "110px",
    render: ({ status }) => <StateBadge kind="held" state={status} />,
  },
  {
    title: "Asked by",
    width: "minmax(80px, 1fr)",
    wide: true,
    render: ({ principal }) => principal.user ?? "–",
  },
  {
    title: "Answered by",
    width: "minmax(80px, 1fr)",
    wide: true,
    render: ({ answer }) => answer?.by ?? "–",
  },
  {
    title: "When",
    width: "80px",
    align: "right",
    render: ({ at: requestedAt, answer }) => <Time at={answer?.at ?? requestedAt} />,
  },
];

/** Answered and expired calls, newest first. */
export function AnsweredList() {
  const query = useInfiniteQuery(answeredQuery());
  const [open, setOpen] = useState<HeldAnswer | null>(null);
  const hasMore = query.hasNextPage && !query.isFetchingNextPage;
  return (
    <QueryView query={query}>
      {({ pages }) => (
        <div className="flex h-[calc(100dvh-220px)] min-h-72 flex-col">
          <DataTable
            label="Answered"
            columns={columnsFor(setOpen)}
            rows={pages.flatMap(({ approvals }) =>
              approvals.filter(({ status }) => status !== "pending"),
            )}
            keyOf={({ id }) => id}
            onOpen={setOpen}
            hasMore={hasMore}
            isLoadingMore={query.isFetchingNextPage}
            onMore={query.fetchNextPage}
            empty={!query.hasNextPage && <Empty title="No answers yet" />}
          />
          <Dialog side open={open !== null} onClose={() => setOpen(null)} title={open?.tool ?? ""}>
            {open && <AnsweredView heldCall={open} />}
          </Dialog>
        </div>
      )}
    </QueryView>
  );
}

export function AnsweredView({ heldCall }: { heldCall: HeldAnswer }) {
  const { answer, outcome, principal, verdict } = heldCall;
  return (
    <div className="flex flex-col gap-4">
      <Facts
        items={[
          ["State", <StateBadge key="state" kind="held" state={heldCall.status} />],
          ["Why asked", verdict.reason],
          ["Asked by", principal.user],
          ["Through", heldCall.face],
          ["Asked", <Time key="asked" at={heldCall.at} />],
          ["Answer", answer && (answer.decision === "approve" ? "approved" : "rejected")],
          ["By", answer?.by],
          ["Reason", answer?.reason],
          ["Outcome", outcome && (outcome.ok ? "succeeded" : (outcome.code ?? "tool error"))],
        ]}
      />
      {answer?.arguments && <ArgumentList title="Executed arguments" args={answer.arguments} />}
      <ArgumentList
        title={answer?.arguments ? "Requested arguments" : "Arguments"}
        args={heldCall.shown}
        before={heldCall.before}
        injected={heldCall.injected}
      />
      <Link
        to="/calls/$id"
        params={{ id: outcome?.callId ?? heldCall.callId }}
        className="w-fit text-sm text-accent hover:underline"
      >
        Call record
      </Link>
    </div>
  );
}
