import type { Answer, HeldView } from "../../model/calls/held-call.ts";

type Held = Pick<HeldView, "adminRequired" | "allowEdit">;

/** What can be said about a call that waits. A line with nothing on it decides nothing. */
export function choicesFor({ adminRequired, allowEdit }: Held, mayEdit = true): string {
  const more = [
    ...(adminRequired ? [] : ["always (for this tool)"]),
    ...(allowEdit && mayEdit ? ["edit (its arguments)"] : []),
  ];
  return ["yes", "no", ...more].join(", ").concat(" or later");
}

/** Undefined when it is no answer; null when the person would rather decide later. */
export function readAnswer(line: string, held: Held): Answer | "edit" | null | undefined {
  const [word = "", ...reason] = line.trim().split(/\s+/);
  switch (word.toLowerCase()) {
    case "y":
    case "yes":
      return { decision: "approve" };
    case "a":
    case "always":
      return held.adminRequired ? undefined : { decision: "approve", remember: { for: "tool" } };
    case "e":
    case "edit":
      return held.allowEdit ? "edit" : undefined;
    case "n":
    case "no":
      return { decision: "reject", ...(reason.length > 0 ? { reason: reason.join(" ") } : {}) };
    case "":
    case "l":
    case "later":
      return null;
    default:
      return undefined;
  }
}
