import { Link } from "@tanstack/react-router";
import type { Answered } from "../../api/approval-queries.ts";
import { StateBadge } from "../../parts/badge.tsx";
import { ResultView } from "../../parts/result-view.tsx";

/** The outcome of an answer given here. */
export function AnsweredCard({ answered: { approval, outcome } }: { answered: Answered }) {
  return (
    <article aria-label={`${approval.tool} is answered`} className="rounded-lg border border-line bg-surface">
      <header className="flex flex-wrap items-center gap-2 px-4 py-2.5 text-[13px]">
        <span className="min-w-0 break-all font-mono text-xs font-medium">{approval.tool}</span>
        <StateBadge kind="held" state={outcome ? (outcome.ok ? "done" : "failed") : approval.status} />
        <Link
          to="/calls/$id"
          params={{ id: outcome?.call.id ?? approval.callId }}
          className="ml-auto text-xs text-accent hover:underline"
        >
          The call
        </Link>
      </header>
      {outcome && (
        <div className="border-t border-line p-4">
          <ResultView outcome={outcome} />
        </div>
      )}
    </article>
  );
}
