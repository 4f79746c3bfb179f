import * as z from "zod/mini";

/** In every unit alike, or by unit; null for no limit. */
const MaxCost = z.nullable(
  z.union([z.number().check(z.minimum(0)), z.record(z.string(), z.number().check(z.minimum(0)))], {
    error: "must be a number from 0 on, such numbers by unit, or null for no limit",
  }),
);

/** What the tools of one conversation may take. */
export const Budgets = z.strictObject({
  /** 0 means no limit. */
  maxToolDurationMs: z._default(z.int().check(z.minimum(0)), 120_000),
  maxCost: z._default(MaxCost, null),
  /** What all conversations of a persona may take together. */
  perPersona: z._default(z.record(z.string(), z.strictObject({ maxCost: z._default(MaxCost, null) })), {}),
});
export type Budgets = z.infer<typeof Budgets>;
