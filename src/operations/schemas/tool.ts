import { z } from "zod";
import { ToolHealth } from "../../model/catalogue/health-schema.ts";
import { ToolReview } from "../../model/catalogue/quality-schema.ts";
import { sideEffects } from "../../model/catalogue/tool.ts";
import { ToolImpact, toolIdOf } from "../../model/catalogue/tool-schema.ts";
import { AnyObject } from "../../model/json-schema.ts";

const names = z.array(z.string());

export const ProviderSchema = z
  .object({
    name: z.string(),
    priority: z.number().int(),
    health_check_interval: z.number(),
    config: AnyObject,
  })
  .meta({
    id: "Provider",
    description: "One way to execute a tool; the lowest priority is asked first.",
  });

const Auth = z.object({
  required: z.boolean(),
  type: z.string().optional(),
  scopes: names.optional(),
});

export const Overlaid = z
  .literal(true)
  .optional()
  .meta({ description: "An overlay stands on top of the server's definition." });

export const ToolSchema = z
  .object({
    name: z.string().meta({ example: "git.status" }),
    id: toolIdOf,
    modelName: z.string().meta({ description: "Fit for every model API.", example: "git__status" }),
    title: z.string().optional(),
    description: z.string(),
    parameters: AnyObject.meta({ description: "A JSON Schema of what a caller may set." }),
    outputSchema: AnyObject.optional(),
    annotations: AnyObject,
    persona: z.string().nullable(),
    version: z.string(),
    capabilities: names,
    capability_tags: names,
    auth: Auth,
    auth_required: z.boolean(),
    auth_scopes: names,
    safety_level: z.enum(["low", "medium", "high"]).nullable(),
    requires_consent: z.boolean(),
    allow_parallel: z
      .boolean()
      .nullable()
      .meta({ description: "Null where it is not set: only false serialises." }),
    idempotency_key: z.union([z.boolean(), AnyObject]),
    default_timeout: z
      .number()
      .int()
      .nullable()
      .meta({ description: "Seconds; 0 means no limit." }),
    side_effects: z.enum(sideEffects),
    cost_per_call: z.number().nullable(),
    cost_unit: z.string().nullable(),
    persona_allowlist: names.nullable(),
    providers: z.array(ProviderSchema),
    source: z.string(),
    health: ToolHealth,
    settings: z.object({ groups: names, trusted: z.boolean(), consent: z.string() }),
    groups: names,
    trusted: z.boolean(),
    consent: z.string(),
    metadata: AnyObject.meta({ description: "As the manifest or the overlay has it." }),
    injects: names.meta({ description: "Arguments that the system sets." }),
    reserved: names.meta({ description: "Arguments that a caller may not set." }),
    defaults: AnyObject.optional().meta({ description: "For arguments that a caller leaves out." }),
    warnings: names.optional(),
    listed: AnyObject.optional().meta({ description: "Other fields of the server's listing." }),
    effects: z.literal("explicit").optional(),
    credentials: z
      .record(z.string(), z.object({ required: z.boolean(), configured: z.boolean() }))
      .meta({
        description: "The variables the tool names, and whether they are set; never their values.",
      }),
    unavailable: z.string().nullable().meta({ description: "Why it cannot be called right now." }),
    stale: z.literal(true).optional().meta({
      description: "Its server could not list its tools again; this is from an earlier list.",
    }),
    error: z.string().optional().meta({ description: "Why it could not; only beside `stale`." }),
    review: ToolReview.optional(),
    impact: ToolImpact,
    overlaid: Overlaid,
  })
  .meta({ id: "Tool" });
