import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { PinView } from "../../../../src/model/catalogue/pin.ts";
import type { ToolAnswer } from "../../api/answers.ts";
import { part, post } from "../../api/client.ts";
import { pinQuery } from "../../api/tool-queries.ts";
import { useMay } from "../../app/session.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { Field, TextInput } from "../../parts/field.tsx";
import { ShieldAlert } from "../../parts/icons.ts";
import { toast } from "../../parts/toast.tsx";
import { VisibleText } from "../../parts/visible-text.tsx";
import { DefinitionDifference } from "./definition-difference.tsx";

/** What is to be said against a definition, what is different from the one that was taken for good, and the decision. */
export function DefinitionReview({ tool }: { tool: ToolAnswer }) {
  const { review, name } = tool;
  const pin = useQuery({ ...pinQuery(name), enabled: review !== undefined && tool.id.server !== null }).data;
  const [deciding, setDeciding] = useState<"accept" | "reject" | null>(null);
  const mayDecide = useMay("admin");
  if (review === undefined) return null;
  const isOpen = review.held !== null || (pin !== undefined && ["changed", "new"].includes(pin.status));
  return (
    <section
      aria-label="Definition"
      className="flex flex-col gap-3 rounded-lg border border-warn/40 bg-warn-soft/50 p-4"
    >
      <div className="flex flex-wrap items-start justify-between gap-3">
        <p className="flex min-w-0 items-start gap-2 text-[13px]">
          <ShieldAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
          <span className="min-w-0 break-words">
            {review.held === null ? reasons[review.change ?? "suspicious"] : renderHeld(review.held)}
          </span>
        </p>
        {isOpen && (
          <div className="flex gap-2">
            <Button disabled={!mayDecide} onClick={() => setDeciding("reject")}>
              Hold it back
            </Button>
            <Button variant="primary" disabled={!mayDecide} onClick={() => setDeciding("accept")}>
              Accept the definition
            </Button>
          </div>
        )}
      </div>
      {pin && pin.difference.length > 0 && <DefinitionDifference difference={pin.difference} />}
      {review.findings.length > 0 && (
        <ul className="flex flex-col gap-2 text-[13px]">
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

/** The commands that are named at its end are the buttons here. */
function renderHeld(held: string): string {
  const text = held.replace(/; see 'toolplane .*$/s, "");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}

const reasons = {
  changed: "Its definition is not the one that was pinned.",
  new: "It is new: nobody has accepted its definition yet.",
  suspicious: "Its definition says things that a definition should not say.",
};

type DecideProps = { name: string; decision: "accept" | "reject"; onClose: () => void };

function Decide({ name, decision, onClose }: DecideProps) {
  const client = useQueryClient();
  const [reason, setReason] = useState("");
  const decide = useMutation({
    mutationFn: () => post<PinView>(`/pins/${part(name)}/${decision}`, reason.trim() === "" ? {} : { reason }),
    onSuccess: async () => {
      await Promise.all(["tools", "pins"].map((topic) => client.invalidateQueries({ queryKey: [topic] })));
      toast(decision === "accept" ? `${name} is accepted.` : `${name} is held back.`);
      onClose();
    },
  });
  return (
    <Confirm
      open
      title={decision === "accept" ? "Accept the definition of today?" : "Hold the tool back?"}
      action={decision === "accept" ? "Accept" : "Hold back"}
      busy={decide.isPending}
      error={decide.error}
      onConfirm={() => decide.mutate()}
      onClose={onClose}
    >
      <p>
        {decision === "accept"
          ? "Models read it and may call it from now on, until it changes again."
          : "Nobody can call it until its definition is the pinned one again, or somebody accepts it."}
      </p>
      <Field label="Why" hint="For those who look later.">
        <TextInput value={reason} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </Confirm>
  );
}
