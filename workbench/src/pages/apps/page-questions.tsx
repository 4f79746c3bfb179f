import { useEffect, useRef, useState } from "react";
import type { OutcomeAnswer } from "../../api/approval-queries.ts";
import { useOperation } from "../../api/operations.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { QueryView } from "../../parts/states.tsx";
import { renderBytes } from "../../parts/time.tsx";
import { VisibleText } from "../../parts/visible-text.tsx";
import { ApprovalCard } from "../approvals/approval-card.tsx";
import type { PageQuestion } from "./page-requests.ts";

const dialogTexts = {
  link: { title: "Open this address?", action: "Open in a new tab" },
  message: { title: "Say this to the model?", action: "Say it" },
  file: { title: "Save this file?", action: "Save" },
} as const;

/** A page can lead a person to click quickly. A yes counts only after the question was there for this long. */
const questionReadMs = 700;

function useHasJustAppeared(): boolean {
  const [hasJustAppeared, setJustAppeared] = useState(true);
  useEffect(() => {
    const timer = setTimeout(() => setJustAppeared(false), questionReadMs);
    return () => clearTimeout(timer);
  }, []);
  return hasJustAppeared;
}

type PageQuestionProps = {
  question: PageQuestion;
  server: string;
  onAnswer: (isYes: boolean) => void;
};

/** A person decides what a page may do outside of its frame. */
export function PageQuestionDialog({ question, server, onAnswer }: PageQuestionProps) {
  const { title, action } = dialogTexts[question.kind];
  const hasJustAppeared = useHasJustAppeared();
  return (
    <Dialog
      open
      title={title}
      onClose={() => onAnswer(false)}
      footer={
        <>
          <Button onClick={() => onAnswer(false)}>No</Button>
          <Button variant="primary" disabled={hasJustAppeared} onClick={() => onAnswer(true)}>
            {action}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 text-sm">
        <p>The page of {server} asks for it.</p>
        <div className="max-h-60 overflow-auto whitespace-pre-wrap break-all rounded-md bg-sunken px-3 py-2 font-mono text-xs">
          <VisibleText text={textOf(question)} />
        </div>
      </div>
    </Dialog>
  );
}

function textOf(question: PageQuestion): string {
  if (question.kind === "link") return question.url;
  if (question.kind === "message") return question.text;
  return `${question.name} (${renderBytes(question.bytes)})`;
}

type PageApprovalProps = { id: string; onAnswered: (outcome: OutcomeAnswer | null) => void };

/** A call of the page that needs a yes. */
export function PageApproval({ id, onAnswered }: PageApprovalProps) {
  return (
    <QueryView query={useOperation("approvals.get", { id })}>
      {(heldCall) =>
        heldCall.status === "pending" ? (
          <CardInSight
            heldCall={heldCall}
            onAnswered={({ outcome }) => onAnswered(outcome ?? null)}
          />
        ) : (
          <p className="flex items-center gap-3 text-sm text-muted">
            The call of the page was answered elsewhere: {heldCall.status}.
            <Button onClick={() => onAnswered(null)}>Go on</Button>
          </p>
        )
      }
    </QueryView>
  );
}

/** Scrolls to its card: the page above it may be as high as the window. */
function CardInSight(props: Parameters<typeof ApprovalCard>[0]) {
  const container = useRef<HTMLDivElement>(null);
  const hasJustAppeared = useHasJustAppeared();
  useEffect(() => void container.current?.scrollIntoView({ block: "nearest" }), []);
  return (
    <div ref={container}>
      <ApprovalCard {...props} hasJustMoved={hasJustAppeared} />
    </div>
  );
}
