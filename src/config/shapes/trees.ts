import type { ConfigValues, ToolsetDefinition } from "../../model/config.ts";
import type { ServerAuth, ServerDefinition } from "../../model/server.ts";
import type { ToolManifest } from "../../model/tool.ts";
import { named, type TreeOf, whole } from "./read-tree.ts";

export const authTree = {
  type: whole,
  token: whole,
  header: whole,
  scopes: whole,
  clientId: whole,
  clientSecret: whole,
  clientMetadataUrl: whole,
  issuer: whole,
  grant: whole,
} as const satisfies TreeOf<ServerAuth>;

/** The normal form of a server. */
export const serverTree = {
  command: whole,
  args: whole,
  env: named(whole),
  cwd: whole,
  url: whole,
  transport: whole,
  headers: named(whole),
  auth: authTree,
  description: whole,
  author: whole,
  help_email: whole,
  enabled: whole,
  autoConnect: whole,
  lazy: whole,
  trusted: whole,
  timeoutMs: whole,
  connectTimeoutMs: whole,
  idleTimeoutMs: whole,
  maxConcurrency: whole,
  session: whole,
  groups: whole,
  persona: whole,
  compliance_level: whole,
  allow_tools: whole,
  deny_tools: whole,
  side_effects: whole,
  allow_parallel: whole,
  requires_consent: whole,
  idempotency_key: whole,
  alwaysOn: whole,
  maxQueue: whole,
  maxMessageBytes: whole,
  backoffMs: whole,
  maxBackoffMs: whole,
  pingIntervalMs: whole,
  listingTtlMs: whole,
  protocol: whole,
  roots: whole,
  logLevel: whole,
  inject: whole,
} as const satisfies TreeOf<ServerDefinition>;

/** The normal form of a hand-written tool. */
export const toolTree = {
  name: whole,
  description: whole,
  version: whole,
  parameters: whole,
  side_effects: whole,
  default_timeout: whole,
  auth: whole,
  allow_parallel: whole,
  idempotency_key: whole,
  safety_level: whole,
  requires_consent: whole,
  capabilities: whole,
  cost_per_call: whole,
  cost_unit: whole,
  providers: whole,
  persona_allowlist: whole,
  requires_flags: whole,
  examples: whole,
  notes: whole,
  persona: whole,
} as const satisfies TreeOf<ToolManifest>;

export const toolsetTree = {
  providers: whole,
  allow_tools: whole,
  max_tool_call_turns: whole,
  timeout_sec: whole,
} as const satisfies TreeOf<ToolsetDefinition>;

type Section<K extends keyof ConfigValues> = TreeOf<ConfigValues[K]>;

/** The sections of the normal form beside servers and tools. */
export const sectionTrees = {
  manifests: whole,
  toolsets: named(toolsetTree),
  models: named({
    provider: whole,
    baseURL: whole,
    model: whole,
    apiKey: whole,
  } satisfies TreeOf<ConfigValues["models"][string]>),
  policy: { profile: whole, mode: whole, rules: whole } satisfies Section<"policy">,
  approvals: { timeoutMs: whole, allowEdit: whole } satisfies Section<"approvals">,
  lazy: {
    mode: whole,
    thresholdTokens: whole,
    alwaysLoadTools: whole,
    summaryDescriptionLimit: whole,
    maxToolsPerSearch: whole,
  } satisfies Section<"lazy">,
  store: whole,
  auth: {
    jwt: { issuer: whole, audience: whole, jwksUri: whole, claims: whole } satisfies TreeOf<
      NonNullable<ConfigValues["auth"]["jwt"]>
    >,
  } satisfies Section<"auth">,
  users: named({ groups: whole, persona: whole } satisfies TreeOf<ConfigValues["users"][string]>),
} as const satisfies Omit<TreeOf<ConfigValues>, "servers" | "tools">;
