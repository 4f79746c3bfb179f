import * as z from "zod/mini";

const text = z.string().check(z.minLength(1));
const names = z.array(text);

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

/** A piece of work: what it takes and when it is done. */
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

const GraphNode = z.strictObject({
  task: text,
  depends_on: z._default(names, []),
  description: z.optional(z.string()),
  metadata: z.optional(z.record(z.string(), z.json())),
  /** For its skills; may refer to `${input.…}` and `${tasks.NAME.result.…}`. */
  input: z.optional(z.record(z.string(), z.json())),
});

/** One run for all missed times, none, or one for each. */
export const missedPolicies = ["once", "skip", "all"] as const;

const Recurrence = z.strictObject({
  frequency: z.optional(z.enum(["hourly", "daily", "weekly", "monthly"])),
  // More exceeds what a calendar can hold.
  interval: z.optional(z.int().check(z.minimum(1), z.maximum(10_000))),
  cron: z.optional(text),
  timezone: z._default(text, "UTC"),
  start_date: z.optional(z.string()),
  end_date: z.optional(z.string()),
  missed: z._default(z.enum(missedPolicies), "once"),
});
export type Recurrence = z.infer<typeof Recurrence>;

/** For tasks that can run twice without harm; in seconds. */
const RetryPolicy = z.strictObject({
  attempts: z._default(z.int().check(z.minimum(1), z.maximum(20)), 3),
  delay: z._default(z.number().check(z.minimum(0)), 30),
  jitter: z._default(z.number().check(z.minimum(0)), 5),
  multiplier: z._default(z.number().check(z.minimum(1)), 2),
});
export type RetryPolicy = z.infer<typeof RetryPolicy>;
export const usualRetries: RetryPolicy = { attempts: 3, delay: 30, jitter: 5, multiplier: 2 };

/** A scheduled workflow of some personas: tasks that run in order, once or repeatedly. */
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
  /** Default input of a run. */
  input: z.optional(z.record(z.string(), z.json())),
  /** The highest of several due jobs starts first. */
  priority: z._default(z.int().check(z.minimum(-100), z.maximum(100)), 0),
  concurrency: z._default(z.int().check(z.minimum(1), z.maximum(100)), 1),
  retry: z.optional(RetryPolicy),
  persona: z.optional(text),
});
export type JobManifest = z.infer<typeof JobManifest>;
