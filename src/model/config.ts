import * as z from "zod";
import type { ServerDefinition } from "./server.ts";
import { SideEffects } from "./tool.ts";

export const PolicyRule = z.strictObject({
  tool: z.string().optional(),
  server: z.string().optional(),
  side_effects: z.array(SideEffects).optional(),
  groups: z.array(z.string()).optional(),
  verdict: z.enum(["allow", "ask", "queue", "deny"]),
  reason: z.string().optional(),
});
export type PolicyRule = z.infer<typeof PolicyRule>;

export const Policy = z.strictObject({
  profile: z.enum(["personal", "guarded", "strict"]).default("personal"),
  rules: z.array(PolicyRule).default([]),
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
