import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ApprovalAnswer } from "../../../../src/model/calls/held-call.ts";
import {
  type Answered,
  type HeldAnswer,
  precedingCallsQuery,
  useAnswer,
} from "../../api/approval-queries.ts";
import { useWhyNot } from "../../app/session.ts";
import { Button } from "../../parts/button.tsx";
import { Field, TextInput } from "../../parts/field.tsx";
import { Scale } from "../../parts/icons.ts";
import { Complaint } from "../../parts/states.tsx";
import { ArgumentsEditor } from "./arguments-editor.tsx";
import { approveLabel } from "./caller-state.tsx";
import { CardHead } from "./card-head.tsx";
import { ChangedDefinition } from "./changed-definition.tsx";
import { PrecedingCalls } from "./preceding-calls.tsx";
import { anHour, RememberChoice, type RememberedFor, toRemember } from "./remember-choice.tsx";
import { RuleDialog } from "./rule-dialog.tsx";
import { useChangedDefinition } from "./use-changed-definition.ts";

type ApprovalCardProps = {
  heldCall: HeldAnswer;
  onAnswered?: (answered: Answered) => void;
  /** The card just moved into place: a click may be meant for the previous one. */
  hasJustMoved?: boolean;
};

/** A held call: what would run, why it needs approval, and the answer below all of it. */
export function ApprovalCard({ heldCall, onAnswered, hasJustMoved = false }: ApprovalCardProps) {
  const answer = useAnswer(heldCall.id);
  const whyNot = useWhyNot("call");
  const [edited, setEdited] = useState<ApprovalAnswer["arguments"] | null | undefined>(undefined);
  const [reason, setReason] = useState("");
  const [remember, setRemember] = useState<RememberedFor>({ what: "once", forMs: anHour });
  const [isMakingRule, setMakingRule] = useState(false);
  const sendAnswer = (decision: ApprovalAnswer["decision"]) => {
    const approvalAnswer: ApprovalAnswer = { decision };
    if (reason.trim() !== "") approvalAnswer.reason = reason.trim();
    if (decision === "approve") {
      if (edited) approvalAnswer.arguments = edited;
      Object.assign(approvalAnswer, toRemember(remember));
    }
    // A refetch may remove the card before the answer arrives.
    void answer.mutateAsync(approvalAnswer).then(onAnswered, () => undefined);
  };
  const isLoading = useIsLoading(heldCall);
  const isDisabled = whyNot !== null || hasJustMoved || isLoading || answer.isPending;
  const pendingDecision = answer.isPending ? answer.variables.decision : null;
  return (
    <article
      aria-label={`${heldCall.tool} waits for approval`}
      tabIndex={-1}
      data-card
      className="flex min-w-0 flex-col rounded-lg border border-line bg-surface outline-offset-2 focus:outline-2 focus:outline-accent"
    >
      <CardHead heldCall={heldCall} />
      <div className="flex flex-col gap-3 border-t border-line p-4">
        <ChangedDefinition tool={heldCall.tool} />
        <PrecedingCalls heldCall={heldCall} />
        <ArgumentsEditor heldCall={heldCall} onChange={setEdited} />
        <div className="grid gap-3 md:grid-cols-2">
          <Field label="Reason" hint="Sent to the caller.">
            <TextInput
              value={reason}
              maxLength={2_000}
              onChange={(event) => setReason(event.target.value)}
            />
          </Field>
          <RememberChoice heldCall={heldCall} value={remember} onChange={setRemember} />
        </div>
        <Complaint error={answer.error} />
      </div>
      <div className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-3 md:justify-end">
        {whyNot !== null && <p className="basis-full text-xs text-warn md:basis-auto">{whyNot}</p>}
        <Button
          variant="quiet"
          icon={Scale}
          className="max-md:order-last max-md:basis-full md:mr-auto"
          onClick={() => setMakingRule(true)}
        >
          Make a rule
        </Button>
        <Button
          className="h-10 flex-1 md:h-8 md:flex-none"
          data-key="r"
          disabled={isDisabled}
          busy={pendingDecision === "reject"}
          onClick={() => sendAnswer("reject")}
        >
          Reject
        </Button>
        <Button
          variant="primary"
          className="h-10 flex-1 md:h-8 md:flex-none"
          data-key="a"
          disabled={isDisabled || edited === null}
          busy={pendingDecision === "approve"}
          onClick={() => sendAnswer("approve")}
        >
          {approveLabel(heldCall, Boolean(edited))}
        </Button>
      </div>
      {isMakingRule && <RuleDialog heldCall={heldCall} onClose={() => setMakingRule(false)} />}
    </article>
  );
}

/** Is a part of the card still loading? Until then the buttons below it may move. */
function useIsLoading(heldCall: HeldAnswer): boolean {
  const preceding = useQuery(precedingCallsQuery(heldCall));
  const definition = useChangedDefinition(heldCall.tool);
  return preceding.isLoading || definition.isLoading;
}
