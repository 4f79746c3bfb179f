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

const columnsFor = (onOpen: (held: HeldAnswer) => void): Column<HeldAnswer>[] => [
  {
    title: "Tool",
    width: "minmax(140px, 2fr)",
    render: (held) => (
      <button
        type="button"
        className="max-w-full truncate font-mono text-xs font-medium hover:underline"
        onClick={() => onOpen(held)}
      >
        {held.tool}
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
            {open && <AnsweredView held={open} />}
          </Dialog>
        </div>
      )}
    </QueryView>
  );
}

export function AnsweredView({ held }: { held: HeldAnswer }) {
  const { answer, outcome, principal, verdict } = held;
  return (
    <div className="flex flex-col gap-4">
      <Facts
        items={[
          ["State", <StateBadge key="state" kind="held" state={held.status} />],
          ["Why asked", verdict.reason],
          ["Asked by", principal.user],
          ["Through", held.face],
          ["Asked", <Time key="asked" at={held.at} />],
          ["Answer", answer && (answer.decision === "approve" ? "approved" : "rejected")],
          ["By", answer?.by],
          ["Reason", answer?.reason],
          ["Outcome", outcome && (outcome.ok ? "succeeded" : (outcome.code ?? "tool error"))],
        ]}
      />
      {answer?.arguments && <ArgumentList title="Executed arguments" args={answer.arguments} />}
      <ArgumentList
        title={answer?.arguments ? "Requested arguments" : "Arguments"}
        args={held.shown}
        before={held.before}
        injected={held.injected}
      />
      <Link
        to="/calls/$id"
        params={{ id: outcome?.callId ?? held.callId }}
        className="w-fit text-sm text-accent hover:underline"
      >
        Call record
      </Link>
    </div>
  );
}
