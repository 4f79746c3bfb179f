import type { DeadLetter } from "../../../../src/model/work/dead-letter.ts";

const texts = {
  permanent: "would fail again",
  may_have_run: "may have run",
  no_arguments: "too large to keep",
} as const;

/** Why nothing but a person's word tries it again. */
export function holdText(hold: DeadLetter["hold"]): string {
  return hold === null ? "–" : texts[hold];
}
