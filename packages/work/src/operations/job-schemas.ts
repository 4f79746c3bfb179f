import { HealthSummary } from "@toolplane/core/model/catalogue/health-schema";
import { AnyObject } from "@toolplane/core/model/json-schema";
import { missedPolicies } from "@toolplane/core/model/work/job";
import { z } from "zod";

const names = z.array(z.string());

/** What every entry of the catalogue has. */
export const WorkEntrySchema = z.looseObject({
  name: z.string(),
  persona: z.string().nullable(),
  source: z.string(),
});

const Recurrence = z.object({
  frequency: z.enum(["hourly", "daily", "weekly", "monthly"]).optional(),
  interval: z.number().int().optional(),
  cron: z.string().optional(),
  timezone: z.string(),
  start_date: z.string().optional(),
  end_date: z.string().optional(),
  missed: z.enum(missedPolicies),
});

export const Job = WorkEntrySchema.extend({
  summary: z.string().nullable(),
  description: z.string().nullable(),
  personas: names,
  required_skills: names,
  required_tools: names,
  required_capabilities: names,
  task_graph: z.array(
    z.looseObject({ task: z.string(), depends_on: names, description: z.string().optional() }),
  ),
  recurrence: Recurrence.optional(),
  accepts_external_requests: z.boolean(),
  input: AnyObject.optional().meta({ description: "What every run gets." }),
  health: z.object({ job: HealthSummary }),
  schedule: z.object({
    state: z.enum(["on_request", "scheduled", "paused", "over"]),
    nextAt: z.string().nullable(),
    pausedAt: z.string().nullable(),
    pausedBy: z.string().nullable(),
  }),
}).meta({ id: "Job" });
