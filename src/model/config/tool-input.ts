// Generated from the schema of the configuration by npm run docs. Change the schema instead.
import type { McpToolEntry, ToolsMcpBlock } from "./foreign-config.ts";
import type { Json } from "../json.ts";

/** A JSON Schema of type `object`. */
export type JsonSchemaInput = { readonly [key: string]: unknown };

/** Hand-written tools by name, or a list of them; `mcp` may be a block of servers. */
export type ToolsInput =
  | readonly ((ToolInput & { name: string }) | (McpToolEntry & { name: string }))[]
  | Readonly<Record<string, ToolInput | McpToolEntry | ToolsMcpBlock>>;

/** A hand-written tool. */
export interface ToolInput {
  /** Limit of a call in seconds, 0 for none. */
  default_timeout?: number | undefined;
  /** false: its calls run one after the other. */
  allow_parallel?: boolean | undefined;
  /** How dangerous it is; high asks a person. */
  safety_level?: "low" | "medium" | "high" | undefined;
  /** What a call costs. */
  cost_per_call?: number | undefined;
  /** In which unit. */
  cost_unit?: string | undefined;
  /** How often it may be called in a minute. */
  rate_limit_per_minute?: number | undefined;
  /** Only for these personas. */
  persona_allowlist?: readonly string[] | undefined;
  /** By operation: the flags a persona needs for it. */
  requires_flags?: Readonly<Record<string, readonly string[]>> | undefined;
  /** The groups of tools it is in; default when left out. */
  group?: readonly string[] | undefined;
  /** What an agent's state becomes when it succeeded. */
  state?: string | undefined;
  /** The states it is there in; all when left out. */
  "applicable-states"?: readonly string[] | undefined;
  /** Only for callers of one of these workspaces. */
  workspaces?: readonly string[] | undefined;
  /** The level its data belongs to, beside its server's. */
  compliance_level?: string | undefined;
  /** For people who read listings. */
  notes?: string | undefined;
  /** Its version. Default: "1.0.0". */
  version?: string | undefined;
  /** The strongest effect it has. */
  side_effects: "none" | "write" | "network" | "read_external_service" | "filesystem" | "compute" | "system" | "database";
  /** The credentials it needs. */
  auth?: boolean | ToolAuthInput | undefined;
  /** May a call be repeated without harm? Default: false. */
  idempotency_key?: boolean | { required: boolean; [key: string]: unknown } | undefined;
  /** Ask a person before it runs. Default: false. */
  requires_consent?: boolean | undefined;
  /** What it can be found by. Default: []. */
  capabilities?: readonly string[] | undefined;
  /** Calls as examples for a model. */
  examples?: unknown | undefined;
  /** What it is called; the key of the entry when left out. */
  name?: string | undefined;
  /** What it is for, as a model reads it. */
  description: string;
  /** The JSON Schema of its arguments. */
  parameters?: JsonSchemaInput | undefined;
  /** What is different about its arguments. */
  arguments?: readonly (string | ToolArgumentInput)[] | undefined;
  /** The ways to execute it. Default: []. */
  providers?: readonly ProviderInput[] | undefined;
  /** The persona whose tool it is; shared when left out. */
  persona?: string | undefined;
}

/** The credentials it needs. */
export interface ToolAuthInput {
  /** Is the tool unavailable without them? */
  required: boolean;
  /** The kind of credential, for people. */
  type?: string | undefined;
  /** The scopes they need. */
  scopes?: readonly string[] | undefined;
  /** The variables that hold them, by name. */
  envs?: Readonly<Record<string, { required?: boolean | undefined; [key: string]: unknown }>> | undefined;
  /** Where people read how to get them. */
  docs?: string | undefined;
  [key: string]: unknown;
}

/** What is said here about one argument of a tool. */
export interface ToolArgumentInput {
  /** Which argument; one that the server does not know is added. */
  name: string;
  /** Its type. */
  type?: "string" | "number" | "integer" | "boolean" | "array" | "object" | undefined;
  /** What it is for. */
  description?: string | undefined;
  /** Does a caller have to set it? */
  required?: boolean | undefined;
  /** Filled in where a caller leaves it out. */
  default?: Json | undefined;
  /** The only values it may have. */
  enum?: readonly Json[] | undefined;
  /** Neither shown nor to be set; a default is then sent always. */
  hidden?: boolean | undefined;
  /** The value that is sent always, best as ${VAR} where it is a secret; callers neither see nor set it. */
  fixed?: Json | undefined;
}

/** One way to execute a tool. */
export interface ProviderInput {
  /** Its kind: mcp, http, model or one of your own. */
  name: string;
  /** The lowest is tried first. Default: 100. */
  priority?: number | undefined;
  /** Seconds until a failed one is tried again. Default: 300. */
  health_check_interval?: number | undefined;
  /** What its kind needs to know. */
  config?: Readonly<Record<string, Json>> | undefined;
  [key: string]: unknown;
}

/** What is said here about a tool that a server lists. */
export interface ToolOverlayInput {
  /** Limit of a call in seconds, 0 for none. */
  default_timeout?: number | undefined;
  /** false: its calls run one after the other. */
  allow_parallel?: boolean | undefined;
  /** How dangerous it is; high asks a person. */
  safety_level?: "low" | "medium" | "high" | undefined;
  /** What a call costs. */
  cost_per_call?: number | undefined;
  /** In which unit. */
  cost_unit?: string | undefined;
  /** How often it may be called in a minute. */
  rate_limit_per_minute?: number | undefined;
  /** Only for these personas. */
  persona_allowlist?: readonly string[] | undefined;
  /** By operation: the flags a persona needs for it. */
  requires_flags?: Readonly<Record<string, readonly string[]>> | undefined;
  /** The groups of tools it is in; default when left out. */
  group?: readonly string[] | undefined;
  /** What an agent's state becomes when it succeeded. */
  state?: string | undefined;
  /** The states it is there in; all when left out. */
  "applicable-states"?: readonly string[] | undefined;
  /** Only for callers of one of these workspaces. */
  workspaces?: readonly string[] | undefined;
  /** The level its data belongs to, beside its server's. */
  compliance_level?: string | undefined;
  /** For people who read listings. */
  notes?: string | undefined;
  /** Instead of the server's. */
  description?: string | undefined;
  /** What is different about its arguments. */
  arguments?: readonly (string | ToolArgumentInput)[] | undefined;
  /** Its version. */
  version?: string | undefined;
  /** The strongest effect it has. */
  side_effects?: "none" | "write" | "network" | "read_external_service" | "filesystem" | "compute" | "system" | "database" | undefined;
  /** May a call be repeated without harm? */
  idempotency_key?: boolean | undefined;
  /** Ask a person before it runs. */
  requires_consent?: boolean | undefined;
  /** What it can be found by. */
  capabilities?: readonly string[] | undefined;
}
