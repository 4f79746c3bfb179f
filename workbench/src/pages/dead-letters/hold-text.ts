import type { DeadLetter } from "../../../../src/model/work/dead-letter.ts";

const texts = {
  permanent: "would fail again",
  may_have_run: "may have run",
  no_arguments: "arguments too large to store",
} as const;

/** Why there is no automatic retry. */
export function holdText(hold: DeadLetter["hold"]): string {
  return hold === null ? "–" : texts[hold];
}
