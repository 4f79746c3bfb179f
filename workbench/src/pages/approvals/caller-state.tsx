import type { HeldAnswer } from "../../api/approval-queries.ts";
import { Time } from "../../parts/time.tsx";

/** Whether anyone waits for the result, and what becomes of it otherwise. */
export function CallerState({ heldCall: { caller, face } }: { heldCall: HeldAnswer }) {
  if (caller === undefined || caller.state === "waits") return null;
  const collects = face === "mcp" && " It can collect the result with an equal call.";
  if (caller.state === "told")
    return (
      <p className="text-xs text-muted">
        The caller was answered that the call waits (<Time at={caller.at} />
        ).{collects}
      </p>
    );
  return (
    <p className="text-sm text-warn">
      The caller has left (<Time at={caller.at} />
      ). No caller waits for the result.{collects}
    </p>
  );
}

/** A yes for a caller who has left starts something that no one waits for. */
export function approveLabel({ caller }: HeldAnswer, isEdited: boolean): string {
  if (caller?.state !== "left") return isEdited ? "Approve with changes" : "Approve";
  return isEdited ? "Run it now with changes" : "Run it now, no caller waits";
}
