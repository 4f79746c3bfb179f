import * as z from "zod/mini";
import type { ServerDefinition } from "./server.ts";
import { SideEffects } from "./tool.ts";

export const PolicyRule = z.strictObject({
  tool: z.optional(z.string()),
  server: z.optional(z.string()),
  side_effects: z.optional(z.array(SideEffects)),
  groups: z.optional(z.array(z.string())),
  verdict: z.enum(["allow", "ask", "queue", "deny"]),
  reason: z.optional(z.string()),
});
export type PolicyRule = z.infer<typeof PolicyRule>;

export const Policy = z.strictObject({
  profile: z._default(z.enum(["personal", "guarded", "strict"]), "personal"),
  rules: z._default(z.array(PolicyRule), []),
});
export type Policy = z.infer<typeof Policy>;

/** The normal form that every configuration shape is translated into. */
export type Config = {
  servers: Record<string, ServerDefinition>;
  /** Servers that are configured and cannot run, with the reason. */
  broken: Record<string, string>;
  policy: Policy;
  problems: ConfigProblem[];
  files: string[];
};

export type ConfigProblem = {
  file: string;
  line: number | null;
  path: string;
  severity: "error" | "warning";
  message: string;
  hint: string | null;
};
