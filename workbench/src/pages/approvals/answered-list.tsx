import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answeredQuery, type HeldAnswer } from "../../api/approval-queries.ts";
import { StateBadge } from "../../parts/badge.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Facts } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { ArgumentList } from "./argument-list.tsx";

const columns: Column<HeldAnswer>[] = [
  {
    title: "Tool",
    width: "minmax(140px, 2fr)",
    render: ({ tool }) => <span className="font-mono text-xs">{tool}</span>,
  },
  { title: "State", width: "110px", render: ({ status }) => <StateBadge kind="held" state={status} /> },
  {
    title: "Asked by",
    width: "minmax(80px, 1fr)",
    wide: true,
    render: ({ principal }) => principal.user ?? "–",
  },
  { title: "Answered by", width: "minmax(80px, 1fr)", wide: true, render: ({ answer }) => answer?.by ?? "–" },
  {
    title: "When",
    width: "80px",
    align: "right",
    render: ({ at, answer }) => <Time at={answer?.at ?? at} />,
  },
];

/** What no longer waits, newest first. */
export function AnsweredList() {
  const query = useQuery(answeredQuery());
  const [open, setOpen] = useState<HeldAnswer | null>(null);
  return (
    <QueryView query={query}>
      {(rows) => (
        <div className="flex h-[60dvh] flex-col">
          <DataTable
            label="Answered"
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            onOpen={setOpen}
            empty={<Empty title="Nothing was answered yet" />}
          />
          <Dialog side open={open !== null} onClose={() => setOpen(null)} title={open?.tool ?? ""}>
            {open && <AnsweredView held={open} />}
          </Dialog>
        </div>
      )}
    </QueryView>
  );
}

function AnsweredView({ held }: { held: HeldAnswer }) {
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
          ["Answer", answer && (answer.decision === "approve" ? "yes" : "no")],
          ["By", answer?.by],
          ["Reason", answer?.reason],
          ["Outcome", outcome && (outcome.ok ? "it went well" : (outcome.code ?? "the tool said no"))],
        ]}
      />
      <ArgumentList args={held.shown} before={held.before} injected={held.injected} />
    </div>
  );
}
