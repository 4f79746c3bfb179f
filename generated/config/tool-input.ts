// Generated from the schema of the configuration by npm run docs. Change the schema instead.
import type { McpToolEntry, ToolsMcpBlock } from "../../src/model/config/foreign-config.ts";
import type { Json } from "../../src/model/json.ts";
import type { CacheInput } from "./server-input.ts";

/** A JSON Schema of type `object`. */
export type JsonSchemaInput = { readonly [key: string]: unknown };

/** Hand-written tools by name, or a list of them; `mcp` may be a block of servers. */
export type ToolsInput =
  | readonly ((ToolInput & { name: string }) | (McpToolEntry & { name: string }))[]
  | Readonly<Record<string, ToolInput | McpToolEntry | ToolsMcpBlock>>;

/** A hand-written tool. */
export interface ToolInput {
  /** Cache for its results, if it is known to be read-only. */ cache?: { /** How long a result is kept; 0 keeps none. */ ttlMs: number; /** Maximum number of results; the least recently used are dropped first. Default: 1000. */ maxEntries?: number | undefined; /** One result for all callers; by default each caller has their own. Default: false. */ shared?: boolean | undefined } | undefined;
  /** Equal concurrent calls of one caller share one request, if the tool is known to be read-only. */ coalesce?: boolean | undefined;
  /** Limit of a call in seconds, 0 for none. */ default_timeout?: number | undefined;
  /** false: serial execution. */ allow_parallel?: boolean | undefined;
  /** Its risk; high needs approval. */ safety_level?: "low" | "medium" | "high" | undefined;
  /** Cost of a call. */ cost_per_call?: number | undefined;
  /** Unit of the cost. */ cost_unit?: string | undefined;
  /** Its rate limit: calls per minute. */ rate_limit_per_minute?: number | undefined;
  /** Only for these personas. */ persona_allowlist?: readonly string[] | undefined;
  /** By operation: the flags a persona needs for it. */ requires_flags?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Its tool groups; default is 'default'. */ group?: readonly string[] | undefined;
  /** The agent's state after success. */ state?: string | undefined;
  /** The states it is available in; all by default. */ "applicable-states"?: readonly string[] | undefined;
  /** Only for callers of one of these workspaces. */ workspaces?: readonly string[] | undefined;
  /** The compliance level of its data, in addition to its server's. */ compliance_level?: string | undefined;
  /** False: people still see the tool; models neither see nor call it. */ enabled?: boolean | undefined;
  /** Notes for people in listings. */ notes?: string | undefined;
  /** Its version. Default: "1.0.0". */ version?: string | undefined;
  /** Its strongest effect. Default: "network". */ side_effects?: "none" | "write" | "network" | "read_external_service" | "filesystem" | "compute" | "system" | "database" | undefined;
  /** The credentials it needs. */ auth?: boolean | ToolAuthInput | undefined;
  /** Whether a call can be repeated safely. Default: false. */ idempotency_key?: boolean | { required: boolean; [key: string]: unknown } | undefined;
  /** It needs a person's approval. Default: false. */ requires_consent?: boolean | undefined;
  /** Capabilities to find it by. Default: []. */ capabilities?: readonly string[] | undefined;
  /** Calls as examples for a model. */ examples?: unknown | undefined;
  exclusive?: boolean | undefined;
  /** What it is called; the key of the entry when left out. */ name?: string | undefined;
  /** What it is for, as a model reads it. */ description: string;
  /** The JSON Schema of its arguments. */ parameters?: JsonSchemaInput | undefined;
  /** Changes to its arguments. */ arguments?: readonly (string | ToolArgumentInput)[] | undefined;
  /** The ways to execute it. Default: []. */ providers?: readonly ProviderInput[] | undefined;
  /** The persona whose tool it is; shared when left out. */ persona?: string | undefined;
}

/** The credentials it needs. */
export interface ToolAuthInput {
  /** Is the tool unavailable without them? */ required: boolean;
  /** The kind of credential, for people. */ type?: string | undefined;
  /** The scopes they need. */ scopes?: readonly string[] | undefined;
  /** The variables that hold them, by name. */ envs?: Readonly<Record<string, { required?: boolean | undefined; [key: string]: unknown }>> | undefined;
  /** Where people read how to get them. */ docs?: string | undefined;
  [key: string]: unknown;
}

/** What is said here about one argument of a tool. */
export interface ToolArgumentInput {
  /** The argument; an unknown one is added. */ name: string;
  /** Its type. */ type?: "string" | "number" | "integer" | "boolean" | "array" | "object" | undefined;
  /** Its description. */ description?: string | undefined;
  /** Whether callers must set it. */ required?: boolean | undefined;
  /** Used if the caller omits it. */ default?: Json | undefined;
  /** The allowed values. */ enum?: readonly Json[] | undefined;
  /** Hidden from callers; a default is then always sent. */ hidden?: boolean | undefined;
  /** Always sent, hidden from callers; use ${VAR} for secrets. */ fixed?: Json | undefined;
}

/** One way to execute a tool. */
export interface ProviderInput {
  /** Its kind: function, http, mcp, model, openai or one of your own. */ name: string;
  /** The lowest is tried first. Default: 100. */ priority?: number | undefined;
  /** Seconds until a failed one is tried again. Default: 300. */ health_check_interval?: number | undefined;
  /** What its kind needs to know. */ config?: Readonly<Record<string, Json>> | undefined;
  [key: string]: unknown;
}

/** What is said here about a tool that a server lists. */
export interface ToolOverlayInput {
  /** Cache for its results, if it is known to be read-only. */ cache?: CacheInput | undefined;
  /** Equal concurrent calls of one caller share one request, if the tool is known to be read-only. */ coalesce?: boolean | undefined;
  /** Limit of a call in seconds, 0 for none. */ default_timeout?: number | undefined;
  /** false: serial execution. */ allow_parallel?: boolean | undefined;
  /** Its risk; high needs approval. */ safety_level?: "low" | "medium" | "high" | undefined;
  /** Cost of a call. */ cost_per_call?: number | undefined;
  /** Unit of the cost. */ cost_unit?: string | undefined;
  /** Its rate limit: calls per minute. */ rate_limit_per_minute?: number | undefined;
  /** Only for these personas. */ persona_allowlist?: readonly string[] | undefined;
  /** By operation: the flags a persona needs for it. */ requires_flags?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Its tool groups; default is 'default'. */ group?: readonly string[] | undefined;
  /** The agent's state after success. */ state?: string | undefined;
  /** The states it is available in; all by default. */ "applicable-states"?: readonly string[] | undefined;
  /** Only for callers of one of these workspaces. */ workspaces?: readonly string[] | undefined;
  /** The compliance level of its data, in addition to its server's. */ compliance_level?: string | undefined;
  /** False: people still see the tool; models neither see nor call it. */ enabled?: boolean | undefined;
  /** Notes for people in listings. */ notes?: string | undefined;
  /** Replaces the server's description. */ description?: string | undefined;
  /** Changes to its arguments. */ arguments?: readonly (string | ToolArgumentInput)[] | undefined;
  /** Its version. */ version?: string | undefined;
  /** Its strongest effect. */ side_effects?: "none" | "write" | "network" | "read_external_service" | "filesystem" | "compute" | "system" | "database" | undefined;
  /** Whether a call can be repeated safely. */ idempotency_key?: boolean | undefined;
  /** It needs a person's approval. */ requires_consent?: boolean | undefined;
  /** Capabilities to find it by. */ capabilities?: readonly string[] | undefined;
}
