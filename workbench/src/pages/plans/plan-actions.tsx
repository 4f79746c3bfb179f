import { useState } from "react";
import { withoutUndefined } from "../../../../src/lib/json/plain-data.ts";
import { useMayChange } from "../../app/session.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { Field, TextInput } from "../../parts/field.tsx";
import { Complaint } from "../../parts/states.tsx";

type PlanActionsProps = {
  chosen: number;
  waiting: number;
  /** Whether the selection is the first n waiting changes. */
  isFirst: boolean;
  isWrong: boolean;
  busyWith: "approve" | "reject" | null;
  error: unknown;
  onChooseFirst: (count: number) => void;
  onDecide: (
    verb: "approve" | "reject",
    more: { continueOnFailure?: boolean; reason?: string },
  ) => void;
};

/** Approves or rejects all, the first n or the selected changes. */
export function PlanActions({
  chosen,
  waiting,
  isFirst,
  isWrong,
  busyWith,
  error,
  onChooseFirst,
  onDecide,
}: PlanActionsProps) {
  const mayDecide = useMayChange("call");
  const [goesOn, setGoesOn] = useState(false);
  const [isRejecting, setRejecting] = useState(false);
  const [reason, setReason] = useState("");
  const target = renderTarget({ chosen, waiting, isFirst });
  const isDisabled = !mayDecide || chosen === 0 || busyWith !== null;
  return (
    <div className="sticky bottom-0 flex flex-col gap-2 rounded-lg border border-line bg-surface p-3 shadow-lg">
      <Complaint error={error} />
      <div className="flex flex-wrap items-center gap-3">
        {waiting > 1 && (
          <span className="flex items-center gap-2 text-sm">
            The first
            <TextInput
              type="number"
              min={0}
              max={waiting}
              aria-label="Number of changes"
              className="w-16!"
              value={isFirst ? chosen : ""}
              onChange={({ target }) =>
                onChooseFirst(Math.min(waiting, Math.max(0, Math.trunc(Number(target.value)))))
              }
            />
            of {waiting}
          </span>
        )}
        <label className="flex items-center gap-1.5 text-sm">
          <input
            type="checkbox"
            checked={goesOn}
            onChange={({ target }) => setGoesOn(target.checked)}
          />
          go on when one fails
        </label>
        <div className="ml-auto flex gap-2">
          <Button
            disabled={isDisabled}
            busy={busyWith === "reject"}
            onClick={() => setRejecting(true)}
          >
            Reject {target}
          </Button>
          <Button
            variant="primary"
            disabled={isDisabled || isWrong}
            busy={busyWith === "approve"}
            onClick={() => onDecide("approve", goesOn ? { continueOnFailure: true } : {})}
          >
            Approve {target}
          </Button>
        </div>
      </div>
      <Confirm
        open={isRejecting}
        title="Reject these changes?"
        action={`Reject ${target}`}
        onClose={() => setRejecting(false)}
        onConfirm={() => {
          setRejecting(false);
          onDecide("reject", withoutUndefined({ reason: reason.trim() || undefined }));
        }}
      >
        <p>Rejected changes cannot be approved later. Queue them again instead.</p>
        <Field label="Reason">
          <TextInput
            value={reason}
            maxLength={2_000}
            onChange={({ target }) => setReason(target.value)}
          />
        </Field>
      </Confirm>
    </div>
  );
}

type Choice = Pick<PlanActionsProps, "chosen" | "waiting" | "isFirst">;

function renderTarget({ chosen, waiting, isFirst }: Choice): string {
  if (chosen !== waiting) return isFirst ? String(chosen) : `the ${chosen} chosen`;
  return waiting === 1 ? "it" : `all ${waiting}`;
}
