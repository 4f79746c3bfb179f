import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type HeldAnswer, precedingCallsQuery } from "../../api/approval-queries.ts";
import { StateBadge } from "../../parts/badge.tsx";
import { Time } from "../../parts/time.tsx";

/** The last calls before this one: of its run, its conversation, or its caller where it has neither. */
export function PrecedingCalls({ heldCall }: { heldCall: HeldAnswer }) {
  const { data: calls, error } = useQuery(precedingCallsQuery(heldCall));

  // As high as the list that may follow: a button that moves under the pointer is not clicked.
  if (calls === undefined || calls.length === 0)
    return (
      <p className="rounded-md border border-line px-3 py-1.5 text-xs text-muted">
        {!calls && error && "The earlier calls could not be loaded."}
        {!calls && !error && "Loading earlier calls"}
        {calls && "No earlier calls"}
      </p>
    );
  return (
    <details className="rounded-md border border-line text-sm">
      <summary className="cursor-pointer px-3 py-1.5 text-xs font-medium">
        {calls.length === 1 ? "The call before" : `The ${calls.length} calls before`}
        <span className="ml-1 font-normal text-muted">of this {commonTo(heldCall)}</span>
      </summary>
      <ol className="divide-y divide-line border-t border-line">
        {calls.map(({ id, tool, status, at: startedAt, said: argumentText }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-2 gap-y-0.5 px-3 py-1.5">
            <StateBadge kind="call" state={status} />
            <Link
              to="/calls/$id"
              params={{ id }}
              className="break-all font-mono text-xs hover:underline"
            >
              {tool}
            </Link>
            {argumentText !== "" && (
              <code
                dir="auto"
                className="min-w-0 flex-1 truncate font-mono text-xs text-muted"
                title={argumentText}
              >
                {argumentText}
              </code>
            )}
            <span className="ml-auto text-xs text-muted">
              <Time at={startedAt} />
            </span>
          </li>
        ))}
      </ol>
    </details>
  );
}

function commonTo({ options: { run, conversation } }: HeldAnswer): string {
  if (run) return "run";
  return conversation ? "conversation" : "caller";
}
