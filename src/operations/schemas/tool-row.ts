import { z } from "zod";
import { HealthSummary, RecentRuns } from "../../model/catalogue/health-schema.ts";
import { ToolReview } from "../../model/catalogue/quality-schema.ts";
import { sideEffects } from "../../model/catalogue/tool.ts";
import { ToolImpact } from "../../model/catalogue/tool-schema.ts";
import { Overlaid } from "./tool.ts";

export const ToolViewSchema = z
  .enum(["full", "row"], "give full or row")
  .optional()
  .meta({ description: "`row` tells of each tool what a list shows, which is a tenth of it." });

/** A tool in a list. */
export const ToolRow = z
  .object({
    name: z.string(),
    server: z.string().nullable(),
    persona: z.string().nullable(),
    source: z.string(),
    description: z.string().meta({ description: "Its first 200 characters." }),
    side_effects: z.enum(sideEffects),
    unavailable: z.string().nullable(),
    stale: z.literal(true).optional(),
    health: HealthSummary.pick({ total: true, success_rate: true, p95_latency_ms: true }).extend({
      recent: RecentRuns,
    }),
    quality: z.object({ score: z.number(), passed: z.boolean(), complaints: z.array(z.string()) }),
    tokens: z.number().int().nullable().meta({ description: "Null until it is counted." }),
    review: z
      .object({
        held: z.string().nullable(),
        heldFor: ToolReview.shape.heldFor,
        change: z.enum(["changed", "new"]).nullable(),
        findings: z.number().int(),
      })
      .optional(),
    impact: ToolImpact,
    overlaid: Overlaid,
  })
  .meta({ id: "ToolRow" });
