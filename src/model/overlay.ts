import * as z from "zod/mini";
import type { JsonObject } from "./json.ts";
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

/** Stands for a fixed value that is shown to nobody; set again, it means the value that is there. */
export const hiddenValue = "«hidden»";

/** A definition as models get it, and what it costs them. */
export type SeenDefinition = { description: string; parameters: JsonObject; tokens: number };

/** What is said here about a tool of a server, and what comes of it. */
export type OverlayView = {
  tool: string;
  /** Who says it: a person while running, the configuration, or nobody. */
  source: "stored" | "config" | null;
  /** Without fixed values, unless they only refer to a variable. */
  overlay: ToolOverlay;
  /** As the server lists it, without what only the system sets. */
  listed: SeenDefinition;
  /** The same under the overlay. */
  seen: SeenDefinition;
  /** How tokens were counted. */
  tokenizer: string;
  warnings: string[];
};
