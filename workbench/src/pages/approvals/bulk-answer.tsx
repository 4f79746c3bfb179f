import { useState } from "react";
import { withoutUndefined } from "../../../../src/lib/json/plain-data.ts";
import type { ApprovalDecision } from "../../../../src/model/calls/held-call.ts";
import { type Answered, type HeldAnswer, useAnswers } from "../../api/approval-queries.ts";
import { Button } from "../../parts/button.tsx";
import { classes } from "../../parts/class-names.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, TextInput } from "../../parts/field.tsx";
import { counted } from "../../parts/time.tsx";
import { toastError } from "../../parts/toast.ts";
import { ArgumentList } from "./argument-list.tsx";

type BulkProps = {
  className: string;
  chosen: readonly HeldAnswer[];
  /** What the button says that selects all that are listed. */
  allLabel: string;
  /** Undefined where all of them are. */
  onAll: (() => void) | undefined;
  onClear: () => void;
  onAnswered: (answered: readonly Answered[]) => void;
};

/** One answer to several calls, after all of them were shown. */
export function BulkAnswer({ className, chosen, allLabel, onAll, onClear, onAnswered }: BulkProps) {
  const [decision, setDecision] = useState<ApprovalDecision | null>(null);
  const count = chosen.length;
  return (
    <div
      role="toolbar"
      aria-label="Selected calls"
      className={classes(
        "sticky top-0 z-10 flex flex-wrap items-center gap-2 rounded-lg border border-line bg-surface px-4 py-1 text-sm",
        className,
      )}
    >
      <span role="status" className="mr-auto">
        {count === 0 ? "None selected" : `${count} selected`}
      </span>
      <span className="text-xs text-muted max-md:hidden">
        <Key>J</Key> <Key>K</Key> next, previous <Key>A</Key> approve <Key>R</Key> reject{" "}
        <Key>E</Key> change
      </span>
      {onAll && (
        <Button variant="quiet" onClick={onAll}>
          {allLabel}
        </Button>
      )}
      {count > 0 && (
        <>
          <Button variant="quiet" onClick={onClear}>
            Clear
          </Button>
          <Button onClick={() => setDecision("reject")}>Reject …</Button>
          <Button variant="primary" onClick={() => setDecision("approve")}>
            Approve …
          </Button>
        </>
      )}
      {decision && (
        <BulkDialog
          decision={decision}
          chosen={chosen}
          onClose={() => setDecision(null)}
          onAnswered={(answered) => {
            setDecision(null);
            onAnswered(answered);
          }}
        />
      )}
    </div>
  );
}

function Key({ children }: { children: string }) {
  return <kbd className="ml-1 rounded border border-line px-1 font-mono text-2xs">{children}</kbd>;
}

/** With the first call: the field below the last one would take a person past all of them. */
const focusCalls = (calls: HTMLElement | null) => calls?.focus({ preventScroll: true });

type BulkDialogProps = {
  decision: ApprovalDecision;
  chosen: readonly HeldAnswer[];
  onClose: () => void;
  onAnswered: (answered: readonly Answered[]) => void;
};

/** The button stands below the last call, so that it is reached past all of them. */
function BulkDialog({ decision, chosen, onClose, onAnswered }: BulkDialogProps) {
  const answers = useAnswers();
  const [reason, setReason] = useState("");
  const verb = decision === "approve" ? "Approve" : "Reject";
  const callCount = counted(chosen.length, "call");
  const sendAnswers = () => {
    const answer = { decision, ...withoutUndefined({ reason: reason.trim() || undefined }) };
    // A refetch may remove the dialog before the last answer arrives.
    void answers
      .mutateAsync({ ids: chosen.map(({ id }) => id), answer })
      .then(({ done: answered, errors }) => {
        errors.forEach(toastError);
        onAnswered(answered);
      }, toastError);
  };
  return (
    <Dialog open wide title={`${verb} ${callCount}`} onClose={onClose}>
      <div className="flex flex-col gap-4">
        {/* biome-ignore lint/a11y/useSemanticElements: no part of a form */}
        <div
          ref={focusCalls}
          role="group"
          aria-label="Calls"
          tabIndex={-1}
          className="flex flex-col gap-4 outline-none"
        >
          {chosen.map((heldCall) => (
            <ArgumentList
              key={heldCall.id}
              title={heldCall.tool}
              args={heldCall.shown}
              before={heldCall.before}
              injected={heldCall.injected}
            />
          ))}
        </div>
        <Field label="Reason" hint="Sent to the callers.">
          <TextInput
            value={reason}
            maxLength={2_000}
            onChange={({ target }) => setReason(target.value)}
          />
        </Field>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant={decision === "approve" ? "primary" : "danger"}
            busy={answers.isPending}
            onClick={sendAnswers}
          >
            {verb} {callCount}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
