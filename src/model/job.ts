import * as z from "zod/mini";
import { EscalationPolicy } from "./task.ts";

const text = z.string().check(z.minLength(1));
const names = z.array(text);

const GraphNode = z.strictObject({
  task: text,
  depends_on: z._default(names, []),
  description: z.optional(z.string()),
  metadata: z.optional(z.record(z.string(), z.json())),
});

const Recurrence = z.strictObject({
  frequency: z.optional(z.enum(["hourly", "daily", "weekly", "monthly"])),
  interval: z.optional(z.int().check(z.minimum(1))),
  cron: z.optional(text),
  timezone: z._default(text, "UTC"),
  start_date: z.optional(z.string()),
  end_date: z.optional(z.string()),
});

/** Tasks in an order, for some personas, once or again and again. */
export const JobManifest = z.strictObject({
  name: text,
  summary: z.optional(z.string()),
  description: z.optional(z.string()),
  personas: names.check(z.minLength(1)),
  required_skills: z._default(names, []),
  required_tools: z._default(names, []),
  task_graph: z.array(GraphNode).check(z.minLength(1)),
  recurrence: z.optional(Recurrence),
  acceptance_criteria: z._default(names, []),
  escalation_policy: z.optional(EscalationPolicy),
  accepts_external_requests: z._default(z.boolean(), false),
  persona: z.optional(text),
});
export type JobManifest = z.infer<typeof JobManifest>;
