import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Answer } from "../../../../src/model/calls/held-call.ts";
import { type Answered, type HeldAnswer, useAnswer } from "../../api/approval-queries.ts";
import { toolQuery } from "../../api/queries.ts";
import { useMay } from "../../app/session.ts";
import { callerText } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { EffectBadge, HintBadges, TroubleBadges } from "../../parts/effect-badge.tsx";
import { Field, TextInput } from "../../parts/field.tsx";
import { Complaint } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { VisibleText } from "../../parts/visible-text.tsx";
import { ArgumentsEditor } from "./arguments-editor.tsx";
import { ChangedDefinition } from "./changed-definition.tsx";
import { anHour, RememberChoice, type RememberedFor, toRemember } from "./remember-choice.tsx";

type ApprovalCardProps = {
  held: HeldAnswer;
  onAnswered?: (answered: Answered) => void;
  /** The card just moved into place: a click may be meant for the previous one. */
  isMoving?: boolean;
};

/** A held call: what would run, why it needs approval, and the answer. */
export function ApprovalCard({ held, onAnswered, isMoving = false }: ApprovalCardProps) {
  const answer = useAnswer(held.id);
  const mayAnswer = useMay("call");
  const [edited, setEdited] = useState<Answer["arguments"] | null | undefined>(undefined);
  const [reason, setReason] = useState("");
  const [remember, setRemember] = useState<RememberedFor>({ what: "once", forMs: anHour });
  const give = (decision: Answer["decision"]) => {
    const given: Answer = {
      decision,
      ...(decision === "approve" && edited ? { arguments: edited } : {}),
      ...(reason.trim() === "" ? {} : { reason: reason.trim() }),
      ...(decision === "approve" ? toRemember(remember) : {}),
    };
    // A refetch may remove the card before the answer arrives.
    void answer.mutateAsync(given).then(onAnswered, () => undefined);
  };
  const isWrong = edited === null;
  const cannot = !mayAnswer || isMoving || answer.isPending;
  const busyWith = answer.isPending ? answer.variables.decision : null;
  return (
    <article
      aria-label={`${held.tool} waits for approval`}
      className="flex min-w-0 flex-col rounded-lg border border-line bg-surface"
    >
      <CardHead held={held} />
      <div className="flex flex-col gap-3 border-t border-line p-4">
        <ChangedDefinition tool={held.tool} />
        <ArgumentsEditor held={held} onChange={setEdited} />
        <div className="grid gap-3 md:grid-cols-2">
          <Field label="Reason" hint="Sent to the caller.">
            <TextInput value={reason} maxLength={2_000} onChange={(event) => setReason(event.target.value)} />
          </Field>
          <RememberChoice held={held} value={remember} onChange={setRemember} />
        </div>
        <Complaint error={answer.error} />
      </div>
      <div className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-3 md:justify-end">
        {!mayAnswer && (
          <p className="basis-full text-xs text-muted md:basis-auto">Read-only: approving needs the scope call.</p>
        )}
        <Button
          className="h-10 flex-1 md:h-8 md:flex-none"
          disabled={cannot}
          busy={busyWith === "reject"}
          onClick={() => give("reject")}
        >
          Reject
        </Button>
        <Button
          variant="primary"
          className="h-10 flex-1 md:h-8 md:flex-none"
          disabled={cannot || isWrong}
          busy={busyWith === "approve"}
          onClick={() => give("approve")}
        >
          {edited ? "Approve with changes" : "Approve"}
        </Button>
      </div>
    </article>
  );
}

function CardHead({ held }: { held: HeldAnswer }) {
  const tool = useQuery(toolQuery(held.tool)).data;
  const { user } = held.principal;
  return (
    <header className="flex flex-col gap-1.5 p-4">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="min-w-0 break-all font-mono text-sm font-semibold">
          <Link to="/tools/$name" params={{ name: held.tool }} className="hover:underline">
            <VisibleText text={held.tool} />
          </Link>
        </h2>
        {tool && <EffectBadge effect={tool.side_effects} />}
        {tool && <HintBadges tool={tool} />}
        {tool && <TroubleBadges tool={tool} />}
      </div>
      {tool && (
        <p className="line-clamp-2 break-words text-[13px] text-muted">
          <VisibleText text={tool.description} />
        </p>
      )}
      <p className="text-[13px]">
        <span className="font-medium">Why:</span>{" "}
        <span className="break-words">
          <VisibleText text={held.verdict.reason} />
        </span>
      </p>
      <p className="text-xs text-muted">
        {callerText(user, held.face)}, <Time at={held.at} />
        {held.expiresAt !== null && (
          <>
            , expires <Time at={held.expiresAt} />
          </>
        )}
      </p>
    </header>
  );
}
