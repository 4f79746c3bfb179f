// Generated from the schema of the configuration by npm run docs. Change the schema instead.
import type { ForeignServerKeys } from "./foreign-config.ts";
import type { Json } from "../json.ts";

/** Servers by name, or a list of servers with a name each. */
export type ServersInput = Readonly<Record<string, ServerInput>> | readonly (ServerInput & { name: string })[];

/** An MCP server: what to start or where to reach it, and how it is used. */
export interface ServerInput extends ForeignServerKeys {
  /** The program to start for a local server; it is never split or run by a shell. A relative path starts where this file is. */
  command?: string | readonly string[] | undefined;
  /** Its arguments. Default: []. */
  args?: readonly string[] | undefined;
  /** Variables for it, over those at the top level. Beside these it gets a safe base, proxy, certificate and package settings; servers.md lists them. */
  env?: Readonly<Record<string, string>> | undefined;
  /** More variables of the plane's environment to pass on: names or globs, beside those at the top level. true: all of them; false: only the default ones. */
  inheritEnv?: boolean | readonly string[] | undefined;
  /** The directory to start it in, from where this file is. */
  cwd?: string | undefined;
  /** The address of a remote server. Redirects to other hosts are not followed. */
  url?: string | undefined;
  /** How to talk to it; detected when left out. */
  transport?: "stdio" | "http" | "sse" | "websocket" | undefined;
  /** Headers for every request to a remote server. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** How to tell a remote server who we are. */
  auth?: ServerAuthInput | undefined;
  /** What the server is for. */
  description?: string | undefined;
  /** Who wrote it. */
  author?: string | undefined;
  /** Whom to ask about it. */
  help_email?: string | undefined;
  /** false: not listed, not callable. Default: true. */
  enabled?: boolean | undefined;
  /** false: it is started only when it is connected on purpose or one of its tools is called. Default: true. */
  autoConnect?: boolean | undefined;
  /** true: not started before its first use; false: started with the plane. Unsaid, it is started with the plane only as long as its tools are not known. */
  lazy?: boolean | undefined;
  /** Started with the plane, never stopped for idling, started again when it ends. Default: false. */
  alwaysOn?: boolean | undefined;
  /** Believe its hints about which tools only read or may be repeated. Default: false. */
  trusted?: boolean | undefined;
  /** Limit of a call in milliseconds, 0 for none; 60000 when nothing says otherwise. */
  timeoutMs?: number | undefined;
  /** Limit of start, handshake and listing together. Default: 30000. */
  connectTimeoutMs?: number | undefined;
  /** Limit of a first start through npx, uvx, docker run and the like, which may have to install the server. Default: 300000. */
  installTimeoutMs?: number | undefined;
  /** How long it may idle before it is stopped, 0 for ever. Default: 600000. */
  idleTimeoutMs?: number | undefined;
  /** Its concurrency limit: requests at once; more wait. Default: 64. */
  maxConcurrency?: number | undefined;
  /** How many may wait; more are refused with BUSY. Default: 1000. */
  maxQueue?: number | undefined;
  /** Its rate limit: calls in a minute, a sixth of them at once. The next waits up to 5 s, or is refused with RATE_LIMITED. */
  rateLimitPerMinute?: number | undefined;
  /** Its circuit breaker. */
  circuit?: CircuitInput | undefined;
  /** The largest message taken from it. A larger one fails its call and nothing else. Default: 10485760. */
  maxMessageBytes?: number | undefined;
  /** The backoff after a failure; doubled with each failure in a row. Default: 1000. */
  backoffMs?: number | undefined;
  /** The longest time between two automatic attempts. Default: 60000. */
  maxBackoffMs?: number | undefined;
  /** How often a WebSocket is asked whether it is still there. Default: 15000. */
  pingIntervalMs?: number | undefined;
  /** How long its lists of tools, prompts and resources are good before they are asked for again, 0 for ever. Default: 300000. */
  listingTtlMs?: number | undefined;
  /** legacy opens with a handshake, modern is 2026-07-28; found out when left out. Default: "auto". */
  protocol?: "auto" | "legacy" | "modern" | undefined;
  /** Directories or file URIs it is told to work in when it asks. Default: []. */
  roots?: readonly string[] | undefined;
  /** The least serious of its log messages to ask for and keep; the server decides when left out. */
  logLevel?: "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency" | undefined;
  /** Who shares a session with it. Default: "shared". */
  session?: "shared" | "principal" | "conversation" | undefined;
  /** Only for members of one of these groups; empty for all callers. Default: []. */
  groups?: readonly string[] | undefined;
  /** Only for this persona. */
  persona?: string | null | undefined;
  /** The level its data belongs to; callers at a level that does not allow it do not see it. */
  compliance_level?: string | null | undefined;
  /** Only for callers of one of these workspaces; empty for all. Default: []. */
  workspaces?: readonly string[] | undefined;
  /** true: those who may not use it see its name, its description and whom to ask, and nothing else. Default: false. */
  discoverable?: boolean | undefined;
  /** Globs of tool names to let through; null lets all through, an empty list none. */
  allow_tools?: readonly string[] | null | undefined;
  /** Globs of tool names to keep out; they win over allow_tools. */
  deny_tools?: readonly string[] | null | undefined;
  /** The strongest effect its tools have, where a tool does not say. Default: "network". */
  side_effects?: "none" | "write" | "network" | "read_external_service" | "filesystem" | "compute" | "system" | "database" | undefined;
  /** false: calls of one tool run one after the other. Left out, as many run as maxConcurrency allows. */
  allow_parallel?: boolean | undefined;
  /** Ask a person before its tools run. */
  requires_consent?: boolean | undefined;
  /** It runs in a container or on a machine of its own; tools whose safety_level is high may need that ('policy.isolation'). */
  isolated?: boolean | undefined;
  /** May a call be repeated without harm? Default: false. */
  idempotency_key?: boolean | undefined;
  /** The version of its tools, where a tool does not say. */
  version?: string | undefined;
  /** Do its tools need a sign-in, where a tool does not say? Without it they do when there are scopes. */
  auth_required?: boolean | undefined;
  /** Variables that hold its credentials; listings tell whether they are set. */
  auth_env?: readonly string[] | undefined;
  /** Parameters that only the system sets, where a tool declares them: _mcp_data, username, or {parameter, from} with where the value comes from. Default: ["_mcp_data"]. */
  inject?: readonly InjectionInput[] | undefined;
  /** How its tools are told of other tools in _mcp_data. */
  inject_options?: InjectOptionsInput | undefined;
}

/** How to tell a remote server who we are. */
export interface ServerAuthInput {
  /** bearer sends the token in Authorization, api_key in the header named below, oauth lets each user sign in. Default: "bearer". */
  type?: "none" | "bearer" | "api_key" | "jwt" | "oauth" | undefined;
  /** The token for all users, best as ${TOKEN}; without it each user gives their own. An empty one sends nothing. */
  token?: string | undefined;
  /** The header of an API key. Default: "X-API-Key". */
  header?: string | undefined;
  /** Scopes to ask for; the server says which when left out. */
  scopes?: readonly string[] | undefined;
  /** The OAuth client that was registered for you; found out when left out. */
  clientId?: string | undefined;
  /** Its secret, best as a reference such as ${SECRET}. */
  clientSecret?: string | undefined;
  /** The address of your client metadata document, used as client id. */
  clientMetadataUrl?: string | undefined;
  /** The only authorization server to trust with this client. */
  issuer?: string | undefined;
  /** client_credentials signs in as this client, without a person. */
  grant?: "authorization_code" | "client_credentials" | undefined;
}

/** Its circuit breaker. */
export interface CircuitInput {
  /** Opens after so many failed calls in a row, 0 for never. Default: 5. */
  failures?: number | undefined;
  /** How long it stays open at first; then one call tries the server. Doubled each time that fails, 5 minutes at most. Default: 30000. */
  openMs?: number | undefined;
}

/** A parameter that only the system sets, and where its value comes from. */
export type InjectionInput =
  "_mcp_data" | "username" | { parameter: string; from: "inventory" | "user" | "groups" | "persona" | "conversation" | "workspace" | "scopes" | "files" } | { parameter: string; from: "constant"; value: Json };

/** How its tools are told of other tools in _mcp_data. */
export interface InjectOptionsInput {
  /** Leave its own tools out. */
  exclude_self?: boolean | undefined;
  /** How large it may be; beyond that descriptions are cut, then parameters left out, then tools. 65536 when left out. */
  max_bytes?: number | undefined;
}
