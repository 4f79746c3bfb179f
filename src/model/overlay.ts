import * as z from "zod/mini";
import { SideEffects } from "./tool.ts";
import { ToolArgument } from "./tool-argument.ts";

const names = z.array(z.string());

/** What is said here about a tool that a server lists: whatever is left out is as the server has it. */
export const ToolOverlay = z.strictObject({
  description: z.optional(z.string().check(z.minLength(1))),
  arguments: z.optional(z.array(ToolArgument)),
  version: z.optional(z.string().check(z.minLength(1))),
  side_effects: z.optional(SideEffects),
  default_timeout: z.optional(z.int().check(z.minimum(0))),
  allow_parallel: z.optional(z.boolean()),
  idempotency_key: z.optional(z.boolean()),
  safety_level: z.optional(z.enum(["low", "medium", "high"])),
  requires_consent: z.optional(z.boolean()),
  capabilities: z.optional(names),
  cost_per_call: z.optional(z.number().check(z.minimum(0))),
  cost_unit: z.optional(z.string()),
  rate_limit_per_minute: z.optional(z.int().check(z.positive())),
  persona_allowlist: z.optional(names),
  requires_flags: z.optional(z.record(z.string(), names)),
  group: z.optional(names),
  state: z.optional(z.string()),
  "applicable-states": z.optional(names),
  workspaces: z.optional(names),
  compliance_level: z.optional(z.string()),
  notes: z.optional(z.string()),
});
export type ToolOverlay = z.infer<typeof ToolOverlay>;

/** An overlay with the name of its tool, in any spelling that says the server. */
export type NamedOverlay = ToolOverlay & { name: string; persona?: undefined };
