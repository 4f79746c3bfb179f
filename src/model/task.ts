import * as z from "zod/mini";

const text = z.string().check(z.minLength(1));
const names = z.array(text);

/** Whom to turn to, and when. */
export const EscalationPolicy = z.strictObject({
  level: z.optional(z.string()),
  contact: z.optional(z.string()),
  timeframe: z.optional(z.string()),
  triggers: z.optional(names),
  actions: z.optional(names),
  notes: z.optional(z.string()),
  auto_escalate: z.optional(z.boolean()),
});
export type EscalationPolicy = z.infer<typeof EscalationPolicy>;

/** A piece of work: what it takes and when it counts as done. */
export const TaskManifest = z.strictObject({
  name: text,
  summary: text,
  description: z.optional(z.string()),
  required_skills: z._default(names, []),
  required_tools: z._default(names, []),
  acceptance_criteria: names.check(z.minLength(1)),
  escalation_policy: z.optional(EscalationPolicy),
  persona: z.optional(text),
});
export type TaskManifest = z.infer<typeof TaskManifest>;
