import type { LetterAnswer } from "../../api/queries.ts";

const texts = {
  permanent: "would fail again",
  may_have_run: "may have run",
  no_arguments: "arguments too large to store",
  refused: "its caller's to repeat",
} as const;

export const sentTexts: Record<LetterAnswer["sent"], string> = {
  sent: "yes",
  not_sent: "no",
  not_known: "not known",
};

/** What a person has to know before a retry; null where nothing speaks against it. */
export function riskText({ hold, tool }: Pick<LetterAnswer, "hold" | "tool">): string | null {
  if (hold === "may_have_run") return `${tool} may have run already. If it did, it runs twice.`;
  if (hold === "refused")
    return `Its caller was refused and may have called ${tool} again. If so, it runs twice.`;
  return null;
}

/** Why there is no automatic retry. */
export function holdText(hold: LetterAnswer["hold"]): string {
  return hold === null ? "–" : texts[hold];
}
