import * as z from "zod/mini";
import { SideEffects, toolRemarks } from "./tool.ts";
import { ToolArgument } from "./tool-argument.ts";

/** What is said here about a tool that a server lists: whatever is left out is as the server has it. */
export const ToolOverlay = z.strictObject({
  ...toolRemarks,
  description: z.optional(z.string().check(z.minLength(1))),
  arguments: z.optional(z.array(ToolArgument)),
  version: z.optional(z.string().check(z.minLength(1))),
  side_effects: z.optional(SideEffects),
  idempotency_key: z.optional(z.boolean()),
  requires_consent: z.optional(z.boolean()),
  capabilities: z.optional(z.array(z.string())),
});
export type ToolOverlay = z.infer<typeof ToolOverlay>;

/** An overlay with the name of its tool, in any spelling that says the server. */
export type NamedOverlay = ToolOverlay & { name: string; persona?: undefined };
