import type { InjectOptions } from "../../model/access/injection.ts";
import type { ToolManifest, ToolOverlay } from "../../model/catalogue/tool.ts";
import type { ConfigValues, ToolsetDefinition } from "../../model/config/config.ts";
import type { ServerAuth, ServerCircuit, ServerDefinition } from "../../model/servers/server.ts";
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
  inheritEnv: whole,
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
  installTimeoutMs: whole,
  idleTimeoutMs: whole,
  maxConcurrency: whole,
  session: whole,
  groups: whole,
  persona: whole,
  compliance_level: whole,
  workspaces: whole,
  discoverable: whole,
  allow_tools: whole,
  deny_tools: whole,
  side_effects: whole,
  allow_parallel: whole,
  requires_consent: whole,
  isolated: whole,
  idempotency_key: whole,
  alwaysOn: whole,
  maxQueue: whole,
  rateLimitPerMinute: whole,
  circuit: { failures: whole, openMs: whole } satisfies TreeOf<ServerCircuit>,
  maxMessageBytes: whole,
  backoffMs: whole,
  maxBackoffMs: whole,
  pingIntervalMs: whole,
  listingTtlMs: whole,
  protocol: whole,
  roots: whole,
  logLevel: whole,
  inject: whole,
  inject_options: { exclude_self: whole, max_bytes: whole } satisfies TreeOf<InjectOptions>,
  version: whole,
  auth_required: whole,
  auth_env: whole,
} as const satisfies TreeOf<ServerDefinition>;

/** What may be said about any tool. */
const saidOfTools = {
  description: whole,
  arguments: whole,
  version: whole,
  side_effects: whole,
  default_timeout: whole,
  allow_parallel: whole,
  idempotency_key: whole,
  safety_level: whole,
  requires_consent: whole,
  capabilities: whole,
  cost_per_call: whole,
  cost_unit: whole,
  rate_limit_per_minute: whole,
  persona_allowlist: whole,
  requires_flags: whole,
  group: whole,
  state: whole,
  "applicable-states": whole,
  workspaces: whole,
  compliance_level: whole,
  notes: whole,
} as const;

/** The normal form of a hand-written tool. */
export const toolTree = {
  ...saidOfTools,
  name: whole,
  parameters: whole,
  auth: whole,
  providers: whole,
  examples: whole,
  persona: whole,
} as const satisfies TreeOf<ToolManifest>;

/** What may be said about a tool that a server lists. */
export const overlayTree = saidOfTools satisfies TreeOf<ToolOverlay>;

export const toolsetTree = {
  providers: whole,
  allow_tools: whole,
  max_tool_call_turns: whole,
  timeout_sec: whole,
} as const satisfies TreeOf<ToolsetDefinition>;

type Section<K extends keyof ConfigValues> = TreeOf<ConfigValues[K]>;

/** The sections of the normal form beside servers and tools. */
export const sectionTrees = {
  env: named(whole),
  inheritEnv: whole,
  inject: whole,
  inject_options: { exclude_self: whole, max_bytes: whole } satisfies Section<"inject_options">,
  manifests: whole,
  toolsets: named(toolsetTree),
  models: named({
    provider: whole,
    baseURL: whole,
    model: whole,
    apiKey: whole,
  } satisfies TreeOf<ConfigValues["models"][string]>),
  sampling: {
    enabled: whole,
    verdict: whole,
    model: whole,
    maxTokens: whole,
    maxCallsPerToolCall: whole,
  } satisfies Section<"sampling">,
  policy: {
    profile: whole,
    mode: whole,
    rules: whole,
    effects: whole,
    isolation: whole,
  } satisfies Section<"policy">,
  // Any name is let through, so that a misspelt event is an error and no hook is silently left out.
  hooks: named(whole),
  approvals: {
    timeoutMs: whole,
    allowEdit: whole,
    approvers: whole,
    rememberConsent: whole,
  } satisfies Section<"approvals">,
  budgets: {
    maxToolDurationMs: whole,
    maxCost: whole,
    perPersona: named({ maxCost: whole }),
  } satisfies Section<"budgets">,
  lazy: {
    mode: whole,
    thresholdTokens: whole,
    alwaysLoadTools: whole,
    summaryDescriptionLimit: whole,
    maxToolsPerSearch: whole,
    maxLoadedTokens: whole,
    callable: whole,
  } satisfies Section<"lazy">,
  search: { synonyms: named(whole) } satisfies Section<"search">,
  results: {
    maxInlineBytes: whole,
    keepMs: whole,
    maxStoredBytes: whole,
    builtinTool: whole,
  } satisfies Section<"results">,
  calls: { keepDays: whole } satisfies Section<"calls">,
  jobs: { concurrency: whole, keepDays: whole } satisfies Section<"jobs">,
  security: { pinning: whole, newTools: whole, poisoning: whole } satisfies Section<"security">,
  bundles: { trustedKeys: whole } satisfies Section<"bundles">,
  store: whole,
  vaultKey: whole,
  auth: {
    jwt: { issuer: whole, audience: whole, jwksUri: whole, claims: whole } satisfies TreeOf<
      NonNullable<ConfigValues["auth"]["jwt"]>
    >,
  } satisfies Section<"auth">,
  users: named({
    groups: whole,
    persona: whole,
    workspace: whole,
    compliance: whole,
    tool_groups: whole,
  } satisfies TreeOf<ConfigValues["users"][string]>),
  personas: named({ flags: whole } satisfies TreeOf<ConfigValues["personas"][string]>),
  compliance: whole,
} as const satisfies Omit<TreeOf<ConfigValues>, "servers" | "tools" | "overlays">;
