import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Answered, activityQuery } from "../../api/approval-queries.ts";
import { operationQuery } from "../../api/operations.ts";
import { StateBadge } from "../../parts/badge.tsx";
import { ResultView } from "../../parts/result-view.tsx";
import { TextView } from "../../parts/text-view.tsx";

/** The outcome of an answer given here, where its card was. */
export function AnsweredCard({ answered: { approval, outcome } }: { answered: Answered }) {
  // Where its caller waits for the result, the call runs after the answer.
  const approvalNow = useQuery({
    ...operationQuery("approvals.get", { id: approval.id }),
    initialData: approval,
    enabled: !outcome,
  }).data;
  const callId = outcome?.call.id ?? approvalNow.outcome?.callId;
  const isOk = outcome?.ok ?? approvalNow.outcome?.ok;
  return (
    <article
      aria-label={`${approval.tool} is answered`}
      tabIndex={-1}
      data-card
      className="rounded-lg border border-line bg-surface outline-offset-2 focus:outline-2 focus:outline-accent"
    >
      <header className="flex flex-wrap items-center gap-2 px-4 py-2.5 text-sm">
        <span className="min-w-0 break-all font-mono text-xs font-medium">{approval.tool}</span>
        <StateBadge
          kind="held"
          state={isOk === undefined ? approvalNow.status : outcomeState(isOk)}
        />
        <Link
          to="/calls/$id"
          params={{ id: callId ?? approval.callId }}
          className="ml-auto text-xs text-accent hover:underline"
        >
          The call
        </Link>
      </header>
      {outcome ? (
        <div className="border-t border-line p-4">
          <ResultView outcome={outcome} />
        </div>
      ) : (
        callId !== undefined && <ShortResult callId={callId} />
      )}
    </article>
  );
}

const outcomeState = (isOk: boolean) => (isOk ? "done" : "failed");

function ShortResult({ callId }: { callId: string }) {
  const result = useQuery(activityQuery(callId)).data;
  if (result === undefined || result === null) return null;
  return (
    <div className="border-t border-line p-4">
      <TextView text={result} label="the result" level={2} />
      <p className="mt-1 text-xs text-muted">In short; its caller has the whole result.</p>
    </div>
  );
}
