import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Answered, OutcomeAnswer } from "../../api/approval-queries.ts";
import { useOperation } from "../../api/operations.ts";
import { questionsQuery } from "../../api/queries.ts";
import type { ToolAnswer } from "../../api/tool-queries.ts";
import { StateBadge } from "../../parts/badge.tsx";
import { Panel } from "../../parts/page.tsx";
import { ResultView } from "../../parts/result-view.tsx";
import { Meter } from "../../parts/sparkline.tsx";
import { Failed, Loading, QueryView } from "../../parts/states.tsx";
import { renderDuration } from "../../parts/time.tsx";
import { ApprovalCard } from "../approvals/approval-card.tsx";
import { QuestionCard } from "../approvals/question-card.tsx";
import { AppOfCall } from "../apps/app-of-call.tsx";
import { answerTrial } from "./try-history.ts";
import type { useCall } from "./use-call.ts";

/** The outcome, the progress, or the question that the call waits for. */
export function TryResult({ tool, call }: { tool: ToolAnswer; call: ReturnType<typeof useCall> }) {
  const { data, error, isPending, progress } = call;
  if (isPending)
    return (
      <>
        <Questions tool={tool.name} />
        <Panel title="Result">
          <Loading what={progress?.message ?? "Running"} />
          {progress?.share != null && <Meter value={progress.share} label="Progress" />}
        </Panel>
      </>
    );
  if (data)
    return (
      <OutcomePanel
        key={data.call.id}
        outcome={data}
        server={tool.id.server}
        args={call.variables?.args}
      />
    );
  return (
    <Panel title="Result">
      {isCancelled(error) ? (
        <p className="text-sm text-muted">The call was cancelled.</p>
      ) : (
        <Failed error={error} />
      )}
    </Panel>
  );
}

/** Open questions of servers. The call they belong to is not known before its answer. */
function Questions({ tool }: { tool: string }) {
  const questions = useQuery(questionsQuery()).data?.questions ?? [];
  return questions
    .filter((question) => question.tool === tool)
    .map((question) => <QuestionCard key={question.id} question={question} />);
}

function isCancelled(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

function OutcomePanel({
  outcome,
  server,
  args,
}: {
  outcome: OutcomeAnswer;
  server: string | null;
  args: unknown;
}) {
  const [answered, setAnswered] = useState<Answered | null>(null);
  const shownOutcome = answered?.outcome ?? outcome;
  const { call, plan } = shownOutcome;
  const isWaiting = outcome.approval !== undefined && answered === null;
  const keepAnswer = (answer: Answered) => {
    setAnswered(answer);
    if (answer.outcome) answerTrial(outcome, answer.outcome);
  };
  return (
    // The form goes to the field that is wrong.
    <InSight key={String(isWaiting)} unless={shownOutcome.error?.code === "INVALID_ARGUMENTS"}>
      <Panel
        title={
          <span className="flex items-center gap-2">
            Result <StateBadge kind="call" state={call.status} />
          </span>
        }
        actions={
          <span className="flex items-center gap-3 text-xs text-muted">
            <span>
              {renderDuration(call.durationMs)}
              {call.provider !== null &&
                ` by ${(call.provider === "mcp" && server) || call.provider}`}
            </span>
            <Link to="/calls/$id" params={{ id: call.id }} className="text-accent hover:underline">
              The call
            </Link>
          </span>
        }
      >
        {[
          ...call.warnings,
          ...call.dropped.map((name) => `'${name}' was dropped: the tool has no such argument.`),
        ].map((text) => (
          <p key={text} className="mb-2 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
            {text}
          </p>
        ))}
        {call.status === "dry_run" && (
          <p className="text-sm text-good">
            It would run: the arguments are valid and a provider is available. Nothing was called.
          </p>
        )}
        {isWaiting && outcome.approval && (
          <Waiting id={outcome.approval.id} onAnswered={keepAnswer} />
        )}
        {plan && (
          <p className="text-sm">
            It was queued in{" "}
            <Link to="/plans/$id" params={{ id: plan.id }} className="text-accent underline">
              a plan
            </Link>
            .
          </p>
        )}
        {answered && !answered.outcome && (
          <p className="text-sm text-muted">It was answered: {answered.approval.status}.</p>
        )}
        {!isWaiting && call.status !== "dry_run" && !(answered && !answered.outcome) && (
          <div className="flex min-w-0 flex-col gap-3">
            <AppOfCall
              call={call}
              args={args}
              result={shownOutcome.result}
              reason={shownOutcome.error?.message}
            />
            <ResultView outcome={shownOutcome} server={server} />
          </div>
        )}
      </Panel>
    </InSight>
  );
}

/** Scrolls to what is below the window. */
function InSight({ children, unless = false }: { children: ReactNode; unless?: boolean }) {
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!unless) container.current?.scrollIntoView({ block: "nearest", behavior: "smooth" });
  }, [unless]);
  return <div ref={container}>{children}</div>;
}

function Waiting({ id, onAnswered }: { id: string; onAnswered: (answered: Answered) => void }) {
  return (
    <QueryView query={useOperation("approvals.get", { id })}>
      {(heldCall) =>
        heldCall.status === "pending" ? (
          <InSight>
            <ApprovalCard heldCall={heldCall} onAnswered={onAnswered} />
          </InSight>
        ) : (
          <p className="text-sm text-muted">It is answered: {heldCall.status}.</p>
        )
      }
    </QueryView>
  );
}
