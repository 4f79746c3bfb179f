import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callOperation, useOperation } from "../../api/operations.ts";
import type { ToolAnswer } from "../../api/tool-queries.ts";
import { useMayChange } from "../../app/session.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { Field, TextInput } from "../../parts/field.tsx";
import { ShieldAlert } from "../../parts/icons.ts";
import { toast } from "../../parts/toast.ts";
import { VisibleText } from "../../parts/visible-text.tsx";
import { DefinitionDifference } from "./definition-difference.tsx";

/** Findings, the difference from the pinned definition, and the decision. */
export function DefinitionReview({ tool }: { tool: ToolAnswer }) {
  const { review, name } = tool;
  const isPinned = review !== undefined && tool.id.server !== null;
  const pin = useOperation("pins.get", { name }, { enabled: isPinned }).data;
  const [deciding, setDeciding] = useState<"accept" | "reject" | null>(null);
  const mayDecide = useMayChange("admin");
  if (review === undefined) return null;
  const isOpen =
    review.heldFor !== "disabled" &&
    (review.held !== null || (pin !== undefined && ["changed", "new"].includes(pin.status)));
  return (
    <section
      aria-label="Definition"
      className="flex flex-col gap-3 rounded-lg border border-warn/40 bg-warn-soft/50 p-4"
    >
      <div className="flex flex-wrap items-start justify-between gap-3">
        <p className="flex min-w-0 items-start gap-2 text-sm">
          <ShieldAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
          <span className="min-w-0 break-words">
            {reasons[review.heldFor ?? review.change ?? "suspicious"]}
          </span>
        </p>
        {isOpen && (
          <div className="flex gap-2">
            <Button disabled={!mayDecide} onClick={() => setDeciding("reject")}>
              Quarantine
            </Button>
            {/* Not the first choice of the page: what changed is read before. */}
            <Button disabled={!mayDecide} onClick={() => setDeciding("accept")}>
              Trust this definition
            </Button>
          </div>
        )}
      </div>
      {pin && pin.difference.length > 0 && <DefinitionDifference difference={pin.difference} />}
      {review.findings.length > 0 && (
        <ul className="flex flex-col gap-2 text-sm">
          {review.findings.map((finding) => (
            <li key={`${finding.kind} ${finding.where}`} className="break-words">
              <Badge tone="bad">{finding.kind.replaceAll("_", " ")}</Badge>{" "}
              <span className="font-mono text-xs text-muted">{finding.where}</span>
              <p className="mt-0.5 whitespace-pre-wrap font-mono text-xs">
                <VisibleText text={finding.decoded ?? finding.excerpt} />
              </p>
            </li>
          ))}
        </ul>
      )}
      {deciding && <Decide name={name} decision={deciding} onClose={() => setDeciding(null)} />}
    </section>
  );
}

const reasons = {
  changed: "Its definition differs from the pinned one.",
  new: "The tool is new and not accepted yet.",
  rejected: "Its definition changed and was rejected.",
  disabled: "It is disabled: models neither see nor call it.",
  suspicious: "Its definition may contain instructions to the model.",
};

type DecideProps = { name: string; decision: "accept" | "reject"; onClose: () => void };

function Decide({ name, decision, onClose }: DecideProps) {
  const client = useQueryClient();
  const [reason, setReason] = useState("");
  const decide = useMutation({
    mutationFn: () =>
      callOperation(`pins.${decision}`, { name, ...(reason.trim() !== "" && { reason }) }),
    onSuccess: async () => {
      await Promise.all(
        ["tools", "pins"].map((topic) => client.invalidateQueries({ queryKey: [topic] })),
      );
      toast(decision === "accept" ? `${name} is trusted.` : `${name} is quarantined.`);
      onClose();
    },
  });
  return (
    <Confirm
      open
      title={decision === "accept" ? "Trust this new definition?" : "Quarantine this tool?"}
      action={decision === "accept" ? "Trust" : "Quarantine"}
      busy={decide.isPending}
      error={decide.error}
      onConfirm={() => decide.mutate()}
      onClose={onClose}
    >
      <p>
        {decision === "accept"
          ? "Models see the tool and may call it until its definition changes again."
          : "It cannot be called until its definition matches the pin again or is trusted."}
      </p>
      <Field label="Reason" hint="Stored with the decision.">
        <TextInput value={reason} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </Confirm>
  );
}
