import { Link } from "@tanstack/react-router";
import type { CallAnswer } from "../../api/queries.ts";

/** A call that waited: what became of it. */
function AnsweredNote({ answer }: { answer: NonNullable<CallAnswer["answer"]> }) {
  const { status, by, outcome, approvalId } = answer;
  return (
    <p className="break-words rounded-md bg-accent-soft px-3 py-2 text-sm">
      It waited for approval and is {status}
      {by !== null && ` (${by})`}.{" "}
      {outcome ? (
        <Link to="/calls/$id" params={{ id: outcome.callId }} className="text-accent underline">
          The call that ran
        </Link>
      ) : (
        <Link to="/approvals" search={{ id: approvalId }} className="text-accent underline">
          The approval
        </Link>
      )}
    </p>
  );
}

/** A waiting call has not failed: links to the decision. */
export function WaitingNote({
  call,
  error: { data },
}: {
  call: CallAnswer;
  error: NonNullable<CallAnswer["error"]>;
}) {
  if (call.answer && call.answer.status !== "pending") return <AnsweredNote answer={call.answer} />;
  const { approvalId, planId } = data as { approvalId?: unknown; planId?: unknown };
  return (
    <p className="break-words rounded-md bg-accent-soft px-3 py-2 text-sm">
      {typeof planId === "string" ? (
        <>
          Queued. It runs after approval of{" "}
          <Link to="/plans/$id" params={{ id: planId }} className="text-accent underline">
            the plan
          </Link>
          .
        </>
      ) : (
        <>
          It runs after approval.{" "}
          {typeof approvalId === "string" && (
            <Link to="/approvals" search={{ id: approvalId }} className="text-accent underline">
              Decide
            </Link>
          )}
        </>
      )}
    </p>
  );
}
