import { countOf } from "../../../lib/text/wording.ts";
import type { ChangedDefaults } from "../../../model/config/changed-defaults-schema.ts";

/** Null where nothing waits for a decision. */
export function changedDefaultsNotice({
  madeBy,
  undecided,
  changes,
}: ChangedDefaults): string | null {
  if (undecided === 0) return null;
  const waiting = changes.filter(
    ({ decision, loosens }) => decision === "undecided" && loosens,
  ).length;
  const changed = `${countOf(undecided, "default")} changed since version ${madeBy}, which made this store.`;
  const waitingNote = waiting === 0 ? "" : ` Waiting for a yes: ${waiting}.`;
  return `${changed}${waitingNote} Look and decide: toolplane defaults list`;
}
