import { z } from "zod";
import type { TypeOf } from "../json.ts";
import { FaceName } from "../principal-schema.ts";
import { Verdict } from "./call-schema.ts";

const count = z.number().int();

export const PolicyTest = Verdict.extend({
  tool: z.string(),
  effect: z.object({ effect: z.enum(["read", "write", "unknown"]), because: z.string() }),
});
/** The verdict on a call, and the effects and risk it is based on. */
export type PolicyTest = TypeOf<typeof PolicyTest>;

export const VerdictChange = z.object({
  id: z.string(),
  at: z.string(),
  tool: z.string(),
  user: z.string().nullable(),
  face: FaceName,
  before: Verdict,
  after: Verdict,
});
/** A call whose verdict would be another one. */
export type VerdictChange = TypeOf<typeof VerdictChange>;

export const PolicyPreview = z.object({
  calls: count.meta({ description: "How many calls were judged again: the last hundred." }),
  skipped: count.meta({
    description:
      "Those whose tool is gone, or that their caller may not make whatever the rules say.",
  }),
  withoutArguments: count.meta({
    description:
      "Those whose arguments are not kept, where a rule looks at arguments: to it they had none.",
  }),
  changes: z
    .array(VerdictChange)
    .meta({ description: "The calls whose verdict would be another one, newest first." }),
});
/** What other rules would have said to the last calls. */
export type PolicyPreview = TypeOf<typeof PolicyPreview>;
