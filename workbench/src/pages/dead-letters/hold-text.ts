import type { LetterAnswer } from "../../api/queries.ts";

const texts = {
  permanent: "would fail again",
  may_have_run: "may have run",
  no_arguments: "arguments too large to store",
} as const;

/** Why there is no automatic retry. */
export function holdText(hold: LetterAnswer["hold"]): string {
  return hold === null ? "–" : texts[hold];
}
