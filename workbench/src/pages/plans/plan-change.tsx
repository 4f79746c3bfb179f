import { Link } from "@tanstack/react-router";
import type { JsonObject } from "../../../../src/model/json.ts";
import type { HeldAnswer, OutcomeAnswer } from "../../api/approval-queries.ts";
import { useOperation } from "../../api/operations.ts";
import { StateBadge } from "../../parts/badge.tsx";
import { classes } from "../../parts/class-names.ts";
import { RiskBadge } from "../../parts/effect-badge.tsx";
import { ResultView } from "../../parts/result-view.tsx";
import { ArgumentList } from "../approvals/argument-list.tsx";
import { ArgumentsEditor } from "../approvals/arguments-editor.tsx";
import { ChangedDefinition } from "../approvals/changed-definition.tsx";

type PlanChangeProps = {
  change: HeldAnswer;
  number: number;
  isChosen: boolean;
  onToggle: () => void;
  onEdit: (args: JsonObject | null | undefined) => void;
  outcome: OutcomeAnswer | null;
};

/** One change and its outcome. */
export function PlanChange({
  change,
  number,
  isChosen,
  onToggle,
  onEdit,
  outcome,
}: PlanChangeProps) {
  const tool = useOperation("tools.get", { name: change.tool }).data;
  const isWaiting = change.status === "pending";
  return (
    <article
      aria-label={`Change ${number}, ${change.tool}`}
      className={classes(
        "rounded-lg border border-line",
        isWaiting && !isChosen ? "border-dashed bg-canvas" : "bg-surface",
      )}
    >
      <div className="flex flex-wrap items-center gap-2 px-4 py-2.5">
        {isWaiting && (
          <input
            type="checkbox"
            className="size-4"
            aria-label={`Choose change ${number}, ${change.tool}`}
            checked={isChosen}
            onChange={onToggle}
          />
        )}
        <span className="text-sm tabular-nums text-muted">{number}.</span>
        <Link
          to="/tools/$name"
          params={{ name: change.tool }}
          className="min-w-0 break-all font-mono text-sm font-medium hover:underline"
        >
          {change.tool}
        </Link>
        {tool && <RiskBadge tool={tool} />}
        <span className="ml-auto">
          <StateBadge kind="held" state={change.status} />
        </span>
      </div>
      <div className="flex flex-col gap-3 border-t border-line px-4 py-3">
        <p className="text-xs text-muted">Why: {change.verdict.reason}</p>
        {isWaiting ? (
          <>
            <ChangedDefinition tool={change.tool} />
            <ArgumentsEditor heldCall={change} onChange={onEdit} />
          </>
        ) : (
          <ArgumentList args={change.shown} before={change.before} injected={change.injected} />
        )}
        {change.answer?.reason && (
          <p className="break-words text-sm">Because: {change.answer.reason}</p>
        )}
        {outcome && <ResultView outcome={outcome} />}
      </div>
    </article>
  );
}
