/** Keys of other systems, each read into the native key named beside it. */
export interface ForeignServerKeys {
  /** The transport; `command` or `url` decide where it is left out. */
  type?: string | undefined;
  /** The opposite of `enabled`. */
  disabled?: boolean | undefined;
  /** `description`, where that is empty. */
  short_description?: string | undefined;
  /** `rateLimitPerMinute`. */
  rate_limit_per_minute?: number | undefined;
  /** Becomes rules of the policy. */
  require_approval?: readonly string[] | undefined;
  /** `auth.type`. */
  auth_type?: "none" | "bearer" | "api_key" | "jwt" | "oauth" | undefined;
  /** `auth.token`. */
  auth_token?: string | undefined;
  /** `auth.header`. */
  auth_header?: string | undefined;
  /** `auth.scopes`: a list, or one string with spaces. */
  scopes?: string | readonly string[] | undefined;
  /** `auth.scopes` of an OAuth client. */
  oauth_config?:
    | { scopes?: string | readonly string[]; client_name?: string; callback_port?: number }
    | undefined;
  /** Has no effect here. */
  allow_edit?: readonly string[] | undefined;
  /** Has no effect here. */
  wormhole?: unknown;
}

/** A server in the list `providers`. */
interface ProviderListEntry {
  name: string;
  /** Default: `stdio` with a `command`, otherwise `sse`. */
  provider_type?: "sse" | "streamable_http" | "stdio" | undefined;
  endpoint?: string | undefined;
  /** A bearer token, or the variable that holds it. */
  api_key?: string | undefined;
  command?: string | undefined;
  args?: readonly string[] | undefined;
  env?: Readonly<Record<string, string>> | undefined;
}

/** A toolset in the list `tool_configs`. */
interface ToolConfigEntry {
  tool_alias: string;
  providers?: readonly string[] | undefined;
  allow_tools?: readonly string[] | null | undefined;
  max_tool_call_turns?: number | null | undefined;
  timeout_sec?: number | null | undefined;
}

/** One remote tool in the group `mcp`. */
interface RemoteToolEntry {
  url: string;
  /** Default: its id. */
  "remote-name"?: string | undefined;
  "auth-token"?: string | undefined;
}

/** A tool of the group `mcp` under another name. */
export interface McpToolEntry {
  type: "mcp-tool";
  /** Its id in the group `mcp`. */
  "mcp-tool": string;
  /** Default: the key of the entry. */
  name?: string | undefined;
  description?: string | undefined;
  /** Objects, or strings like `city:string:Where to look`. */
  arguments?: readonly (string | object)[] | undefined;
  group?: string | readonly string[] | undefined;
  state?: string | undefined;
  "applicable-states"?: string | readonly string[] | undefined;
}

/** The block `tools.mcp`: servers, and settings for all of them. */
export interface ToolsMcpBlock {
  /** The block is off until this is true. */
  enabled: boolean;
  servers?: Readonly<Record<string, object>> | undefined;
  default_server?: string | undefined;
  server?: string | undefined;
  timeout_seconds?: number | undefined;
  timeout?: number | undefined;
  version?: string | undefined;
  side_effects?: string | undefined;
  allow_parallel?: boolean | undefined;
  requires_consent?: boolean | undefined;
  allow_tools?: string | readonly string[] | null | undefined;
  deny_tools?: string | readonly string[] | null | undefined;
  tool?: unknown;
  health_check_interval?: number | undefined;
}

/** Sections of other systems, beside the native ones or in their place. */
export interface ForeignSections<Servers> {
  /** The MCP servers, as `mcpServers`. */
  servers?: Servers | undefined;
  /** A list of servers, with `tool_configs`. */
  providers?: readonly ProviderListEntry[] | undefined;
  /** A list of toolsets, with `providers`. */
  tool_configs?: readonly ToolConfigEntry[] | undefined;
  /** By id; an entry may be JSON text. */
  mcp?: Readonly<Record<string, RemoteToolEntry | string>> | undefined;
  /** Names and arguments of remote tools by id; an entry may be JSON text. */
  tool?: Readonly<Record<string, McpToolEntry | string>> | undefined;
  /** Templates that entries of `tool` name. */
  prompt?: Readonly<Record<string, { prompt: string } | string>> | undefined;
  /** `lazy.alwaysLoadTools`. */
  alwaysLoadTools?: readonly string[] | undefined;
  /** Not read: each server has its own `autoConnect`. */
  autoConnect?: boolean | undefined;
  /** `lazy.mode`. */
  lazyLoading?: boolean | undefined;
  /** `lazy.maxToolsPerSearch`. */
  maxToolsPerSearch?: number | undefined;
  /** Not read: each server has its own `timeoutMs`. */
  requestTimeout?: number | undefined;
  /** `lazy.summaryDescriptionLimit`. */
  summaryDescriptionLimit?: number | undefined;
}
