/** Keys of a server entry that other systems write. Each is read into the native key that is named beside it. */
export interface ForeignServerKeys {
  /** The transport by another name; `command` or `url` decide where it is left out. */
  type?: string | undefined;
  /** The opposite of `enabled`. */
  disabled?: boolean | undefined;
  /** `description`, where that is empty. */
  short_description?: string | undefined;
  /** `rateLimitPerMinute`. */
  rate_limit_per_minute?: number | undefined;
  /** Names of tools that ask a person first; becomes rules of the policy. */
  require_approval?: readonly string[] | undefined;
  /** `auth.type`. */
  auth_type?: "none" | "bearer" | "api_key" | "jwt" | "oauth" | undefined;
  /** `auth.token`. */
  auth_token?: string | undefined;
  /** `auth.header`. */
  auth_header?: string | undefined;
  /** `auth.scopes`: a list, or one string with spaces between them. */
  scopes?: string | readonly string[] | undefined;
  /** `auth.scopes` of an OAuth client. */
  oauth_config?: { scopes?: string | readonly string[]; client_name?: string; callback_port?: number } | undefined;
  /** Has no effect here. */
  allow_edit?: readonly string[] | undefined;
  /** Has no effect here. */
  wormhole?: unknown;
}

/** A server in the list `providers`. */
export interface ProviderListEntry {
  /** The server's name. */
  name: string;
  /** How to reach it; `stdio` with a `command`, otherwise `sse`. */
  provider_type?: "sse" | "streamable_http" | "stdio" | undefined;
  /** The address of a remote server. */
  endpoint?: string | undefined;
  /** A bearer token, or the name of the environment variable that holds it. */
  api_key?: string | undefined;
  /** The program to start. */
  command?: string | undefined;
  /** Its arguments. */
  args?: readonly string[] | undefined;
  /** Variables for it. */
  env?: Readonly<Record<string, string>> | undefined;
}

/** A toolset in the list `tool_configs`. */
export interface ToolConfigEntry {
  /** The toolset's name. */
  tool_alias: string;
  /** The servers whose tools it takes. */
  providers?: readonly string[] | undefined;
  /** The only tools it takes; null for all. */
  allow_tools?: readonly string[] | null | undefined;
  /** How often a model gets what it asks for. */
  max_tool_call_turns?: number | null | undefined;
  /** The limit of each call, in seconds. */
  timeout_sec?: number | null | undefined;
}

/** One remote tool in the group `mcp`. */
export interface RemoteToolEntry {
  /** The address of its server. */
  url: string;
  /** What the server calls it; its id when left out. */
  "remote-name"?: string | undefined;
  /** A bearer token. */
  "auth-token"?: string | undefined;
}

/** A tool of the group `mcp` under a name of your own. */
export interface McpToolEntry {
  type: "mcp-tool";
  /** Its id in the group `mcp`. */
  "mcp-tool": string;
  /** What it is called here; the key of the entry when left out. */
  name?: string | undefined;
  /** What it is for. */
  description?: string | undefined;
  /** What it takes: objects, or strings like `city:string:Where to look`. */
  arguments?: readonly (string | object)[] | undefined;
  /** The groups it is in. */
  group?: string | readonly string[] | undefined;
  /** What an agent's state becomes when it succeeded. */
  state?: string | undefined;
  /** The states it can be used in. */
  "applicable-states"?: string | readonly string[] | undefined;
}

/** The block `tools.mcp`: servers, and settings for all of them. */
export interface ToolsMcpBlock {
  /** The block is off until this is true. */
  enabled: boolean;
  /** The servers by name, with the keys of native ones and their spellings elsewhere. */
  servers?: Readonly<Record<string, object>> | undefined;
  /** The server that is meant where none is named. */
  default_server?: string | undefined;
  server?: string | undefined;
  /** The limit of each call, in seconds. */
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

/** Sections that other systems write, beside the native ones or in their place. */
export interface ForeignSections<Servers> {
  /** The MCP servers, as `mcpServers`. */
  servers?: Servers | undefined;
  /** A list of servers, with `tool_configs`. */
  providers?: readonly ProviderListEntry[] | undefined;
  /** A list of toolsets, with `providers`. */
  tool_configs?: readonly ToolConfigEntry[] | undefined;
  /** Remote tools by id; an entry may be JSON text. */
  mcp?: Readonly<Record<string, RemoteToolEntry | string>> | undefined;
  /** What remote tools are called and take here, by id; an entry may be JSON text. */
  tool?: Readonly<Record<string, McpToolEntry | string>> | undefined;
}
