import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Bell, BellOff, CircleCheck } from "lucide-react";
import { useEffect, useState } from "react";
import { type Answered, type HeldAnswer, pendingQuery } from "../../api/approval-queries.ts";
import { useHasSound } from "../../app/approval-sound.ts";
import { Button } from "../../parts/button.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { AnsweredCard } from "./answered-card.tsx";
import { AnsweredList } from "./answered-list.tsx";
import { ApprovalCard } from "./approval-card.tsx";
import { RememberedList } from "./remembered-list.tsx";

const route = getRouteApi("/approvals");

/** What waits for a person, first of all; then what became of the rest. */
export function ApprovalsPage() {
  const [hasSound, setSound] = useHasSound();
  const waiting = useQuery(pendingQuery()).data?.approvals.length ?? 0;
  const tabs = [
    { name: "waiting", title: waiting > 0 ? `Waiting (${waiting})` : "Waiting", content: <Waiting /> },
    { name: "answered", title: "Answered", content: <AnsweredList /> },
    { name: "remembered", title: "Remembered", content: <RememberedList /> },
  ];
  return (
    <Page
      title="Approvals"
      about="Calls that run only when somebody says yes."
      actions={
        <Button icon={hasSound ? Bell : BellOff} aria-pressed={hasSound} onClick={() => setSound(!hasSound)}>
          {hasSound ? "Sound on" : "Sound off"}
        </Button>
      }
    >
      <Tabs label="Approvals" tabs={tabs} />
    </Page>
  );
}

/** One that was answered here stays in sight with what came of it, until the page is left. */
function Waiting() {
  const query = useQuery(pendingQuery());
  const { id } = route.useSearch();
  const [answered, setAnswered] = useState<Answered[]>([]);
  useEffect(() => {
    if (id !== undefined) document.getElementById(`held-${id}`)?.scrollIntoView({ block: "start" });
  }, [id]);
  return (
    <QueryView query={query} what="Looking what waits">
      {({ approvals }) => (
        <div className="mx-auto flex w-full max-w-3xl flex-col gap-4 md:mx-0">
          {approvals.length === 0 && answered.length === 0 && (
            <Empty icon={CircleCheck} title="Nothing waits">
              What is asked about appears here at once.
            </Empty>
          )}
          {inFront(approvals, id).map((held) => (
            <div key={held.id} id={`held-${held.id}`}>
              <ApprovalCard held={held} onAnswered={(one) => setAnswered((before) => [one, ...before])} />
            </div>
          ))}
          {answered.map((one) => (
            <AnsweredCard key={one.approval.id} answered={one} />
          ))}
        </div>
      )}
    </QueryView>
  );
}

/** Whoever came for one sees it first. */
function inFront(approvals: readonly HeldAnswer[], id: string | undefined): HeldAnswer[] {
  return approvals.toSorted((a, b) => Number(b.id === id) - Number(a.id === id));
}
