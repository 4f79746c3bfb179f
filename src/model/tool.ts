import * as z from "zod";
import type { JsonObject } from "./json.ts";

export const sideEffects = [
  "none",
  "write",
  "network",
  "read_external_service",
  "filesystem",
  "compute",
  "system",
  "database",
] as const;

export const SideEffects = z.enum(sideEffects);
export type SideEffects = z.infer<typeof SideEffects>;

export const ToolAuth = z.looseObject({
  required: z.boolean(),
  type: z.string().optional(),
  scopes: z.array(z.string()).optional(),
  envs: z.record(z.string(), z.looseObject({ required: z.boolean().optional() })).optional(),
  docs: z.string().optional(),
});
export type ToolAuth = z.infer<typeof ToolAuth>;

/** One way to execute a tool, as a manifest or discovery declares it. */
export const ProviderSpec = z.looseObject({
  name: z.string().min(1),
  priority: z.number().int().default(100),
  health_check_interval: z.number().min(0).default(300),
  config: z.record(z.string(), z.json()).default({}),
});
export type ProviderSpec = z.infer<typeof ProviderSpec>;

/** What a manifest says about a tool beside its name, description and parameters. */
export const ToolMetadata = z.object({
  version: z.string().min(1).default("1.0.0"),
  side_effects: SideEffects,
  /** Seconds; 0 means no limit. */
  default_timeout: z.number().int().min(0).optional(),
  auth: ToolAuth.default({ required: false }),
  allow_parallel: z.boolean().default(false),
  idempotency_key: z.union([z.boolean(), z.looseObject({ required: z.boolean() })]).default(false),
  safety_level: z.enum(["low", "medium", "high"]).optional(),
  requires_consent: z.boolean().default(false),
  capabilities: z.array(z.string()).default([]),
  cost_per_call: z.number().min(0).optional(),
  cost_unit: z.string().optional(),
  persona_allowlist: z.array(z.string()).optional(),
  requires_flags: z.record(z.string(), z.array(z.string())).optional(),
  examples: z.unknown().optional(),
  notes: z.string().optional(),
});
export type ToolMetadata = z.infer<typeof ToolMetadata>;

/** A hand-written entry: the metadata plus what identifies and describes the tool. */
export const ToolManifest = ToolMetadata.extend({
  name: z.string().min(1),
  description: z.string().min(1),
  parameters: z
    .looseObject({ type: z.literal("object"), required: z.array(z.string().min(1)).optional() })
    .default({ type: "object" }),
  providers: z.array(ProviderSpec).default([]),
});
export type ToolManifest = z.infer<typeof ToolManifest>;

/** Hints a server gives about its own tool. Only a trusted server's hints decide anything. */
export type ToolAnnotations = {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
};

/** `server` is null for a tool that a manifest or the library named itself. */
export type ToolId = { server: string | null; tool: string };

/** Something a caller may call, as the registry lists it. */
export type Tool = {
  id: ToolId;
  /** Unique in its snapshot; what people read and type. */
  name: string;
  /** Unique in its snapshot and fit for every model API: `^[A-Za-z0-9_-]{1,64}$`. */
  modelName: string;
  title?: string;
  description: string;
  /** What a caller may set; parameters that are injected are not in it. */
  parameters: JsonObject;
  injects: string[];
  outputSchema?: JsonObject;
  annotations: ToolAnnotations;
  /** Do the annotations come from a server the operator trusts? */
  trusted: boolean;
  metadata: ToolMetadata;
  /** Did a person ask for consent, or is it only the default for tools nobody has described? */
  consent: "explicit" | "default";
  groups: string[];
  persona: string | null;
  providers: ProviderSpec[];
  source: string;
};

/** May the tool run twice with the same arguments without harm? */
export function isRepeatable(tool: Tool): boolean {
  if (tool.metadata.idempotency_key !== false) return true;
  return tool.trusted && (tool.annotations.idempotentHint === true || tool.annotations.readOnlyHint === true);
}
