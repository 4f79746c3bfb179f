// Generated from the schema of the configuration by npm run docs. Change the schema instead.
import type { ForeignServerKeys } from "../../src/model/config/foreign-config.ts";
import type { Json } from "../../src/model/json.ts";

/** Servers by name, or a list of servers with a name each. */
export type ServersInput = Readonly<Record<string, ServerInput>> | readonly (ServerInput & { name: string })[];

/** An MCP server: what to start or where to reach it, and how it is used. */
export interface ServerInput extends ForeignServerKeys {
  /** The program to start for a local server; it is never split or run by a shell. A relative path starts at this file's directory. */ command?: string | readonly string[] | undefined;
  /** Its arguments. Default: []. */ args?: readonly string[] | undefined;
  /** Variables for it, over those at the top level. Beside these it gets a safe base, proxy, certificate and package settings; servers.md lists them. */ env?: Readonly<Record<string, string>> | undefined;
  /** More variables of the plane's environment to pass on: names or globs, beside those at the top level. true: all of them; false: only the default ones. */ inheritEnv?: boolean | readonly string[] | undefined;
  /** The directory to start it in, relative to this file's; in your own file relative to the one that you work in, which needs trust. Default: the file's. */ cwd?: string | undefined;
  /** Start it in a container: no network, a read-only root, no capabilities, limits; removed when it ends. */ container?: McpServersContainerInput | undefined;
  /** The address of a remote server. Redirects to other hosts are not followed. */ url?: string | undefined;
  /** An OpenAPI 3.0 or 3.1 or Swagger 2.0 document, as a file or URL: its operations become the tools of this server. A relative path starts at this file's directory. */ openapi?: string | undefined;
  /** The address of the API; by default as its document says, or the document's own address. */ baseUrl?: string | undefined;
  /** Which operations of the document become tools; by default all. */ operations?: McpServersOperationsInput | undefined;
  /** A folder with skills: each directory with a SKILL.md is one, with the files beside it. A relative path starts at this file's directory. Links are not followed. */ skills?: string | undefined;
  /** The transport; detected by default. */ transport?: "stdio" | "http" | "sse" | "websocket" | "openapi" | "skills" | "memory" | "extension" | undefined;
  /** Headers for every request to a remote server. */ headers?: Readonly<Record<string, string>> | undefined;
  /** Authentication to a remote server. */ auth?: ServerAuthInput | undefined;
  /** What the server is for. */ description?: string | undefined;
  /** Who wrote it. */ author?: string | undefined;
  /** Contact for questions. */ help_email?: string | undefined;
  /** false: not listed, not callable. Default: true. */ enabled?: boolean | undefined;
  /** false: started only by an explicit connect or a call of one of its tools. Default: true. */ autoConnect?: boolean | undefined;
  /** true: not started before its first use; false: started with the plane. By default, started with the plane only while its tools are unknown. */ lazy?: boolean | undefined;
  /** Started with the plane, never stopped when idle, restarted when it exits. Default: false. */ alwaysOn?: boolean | undefined;
  /** Trust its annotations (read-only, idempotent). Default: false. */ trusted?: boolean | undefined;
  /** Limit of a call in milliseconds, 0 for none; 60000 by default. */ timeoutMs?: number | undefined;
  /** Limit of start, handshake and listing together. Default: 30000. */ connectTimeoutMs?: number | undefined;
  /** Limit of a first start through npx, uvx, docker run and the like, which may have to install the server. Default: 300000. */ installTimeoutMs?: number | undefined;
  /** Idle time before it is stopped, 0 for never. Default: 600000. */ idleTimeoutMs?: number | undefined;
  /** Its concurrency limit: requests at once; more wait. Default: 64. */ maxConcurrency?: number | undefined;
  /** Length of its queue; more are refused with BUSY. Default: 1000. */ maxQueue?: number | undefined;
  /** Calls at once of all planes on one store together; more wait. Without it each plane has its own maxConcurrency. */ sharedConcurrency?: number | undefined;
  /** Its rate limit: calls in a minute, a sixth of them at once. The next waits up to 5 s, or is refused with RATE_LIMITED. */ rateLimitPerMinute?: number | undefined;
  /** Its circuit breaker. */ circuit?: CircuitInput | undefined;
  /** Attempts of its calls; by default as in 'retry'. */ retry?: McpServersRetryInput | undefined;
  /** Cache for results of its read-only tools. Any write to the server, a changed list and a restart empty it. */ cache?: CacheInput | undefined;
  /** Equal concurrent calls of one caller share one request, if the tool is known to be read-only. By default on where results are cached. */ coalesce?: boolean | undefined;
  /** Maximum message size. A larger one fails only its call. Default: 10485760. */ maxMessageBytes?: number | undefined;
  /** The backoff after a failure; doubled with each failure in a row. Default: 1000. */ backoffMs?: number | undefined;
  /** The longest time between two automatic attempts. Default: 60000. */ maxBackoffMs?: number | undefined;
  /** Ping interval of a WebSocket. Default: 15000. */ pingIntervalMs?: number | undefined;
  /** Time to live of its lists of tools, prompts and resources, 0 for no expiry. Default: 300000. */ listingTtlMs?: number | undefined;
  /** legacy opens with a handshake, modern is 2026-07-28; discovered by default. Default: "auto". */ protocol?: "auto" | "legacy" | "modern" | undefined;
  /** Directories or file URIs it gets as roots. Default: []. */ roots?: readonly string[] | undefined;
  /** The lowest level of its log messages to request and keep; by default the server decides. */ logLevel?: "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency" | undefined;
  /** Who shares a session with it. By default all share a local server, and a remote one has a session for each user. */ session?: "shared" | "principal" | "conversation" | undefined;
  /** Groups with access; empty for all callers. Default: []. */ groups?: readonly string[] | undefined;
  /** Only for this persona. */ persona?: string | null | undefined;
  /** The compliance level of its data; callers whose level does not allow it do not see it. */ compliance_level?: string | null | undefined;
  /** Only for callers of one of these workspaces; empty for all. Default: []. */ workspaces?: readonly string[] | undefined;
  /** true: callers without access see only its name, description and contact. Default: false. */ discoverable?: boolean | undefined;
  /** Globs of allowed tools; null allows all, an empty list none. */ allow_tools?: readonly string[] | null | undefined;
  /** Globs of denied tools; they win over allow_tools. */ deny_tools?: readonly string[] | null | undefined;
  /** The strongest effect of its tools; a tool's own wins. Default: "network". */ side_effects?: "none" | "write" | "network" | "read_external_service" | "filesystem" | "compute" | "system" | "database" | undefined;
  /** false: serial execution of each tool. By default, up to maxConcurrency calls run at once. */ allow_parallel?: boolean | undefined;
  /** Its tools need a person's approval. */ requires_consent?: boolean | undefined;
  /** It runs in its own container or machine; tools whose safety_level is high may need that ('policy.isolation'). By default true where there is a 'container'. */ isolated?: boolean | undefined;
  /** Whether a call can be repeated safely. Default: false. */ idempotency_key?: boolean | undefined;
  /** The version of its tools; a tool's own wins. */ version?: string | undefined;
  /** Where 'add' took it from: its name in the MCP registry and the version. 'servers update' compares it with the newest. */ source?: string | undefined;
  /** Whether its tools need a sign-in; by default only if there are scopes. */ auth_required?: boolean | undefined;
  /** Variables that hold its credentials; listings show whether they are set. */ auth_env?: readonly string[] | Readonly<Record<string, { required?: boolean | undefined; [key: string]: unknown }>> | undefined;
  /** Parameters that only the system sets, where a tool declares them: _mcp_data, _atlas_user, username, or {parameter, from} with where the value comes from. Default: ["_mcp_data","_atlas_user"]. */ inject?: readonly InjectionInput[] | undefined;
  /** Options of the inventory in _mcp_data. */ inject_options?: InjectOptionsInput | undefined;
}

/** Start it in a container: no network, a read-only root, no capabilities, limits; removed when it ends. */
export interface McpServersContainerInput {
  /** The image. Without 'command', the image's own entry point is the server. */ image: string;
  /** The network it joins; none by default. Default: "none". */ network?: string | undefined;
  /** Files of this machine that it sees: source:/target, read-only, or source:/target:rw; a relative source starts at this file's directory. Default: []. */ mounts?: readonly string[] | undefined;
  /** docker or podman; auto takes the first that is installed. Default: "auto". */ runtime?: "auto" | "docker" | "podman" | undefined;
  /** Its memory limit. Default: "512m". */ memory?: string | undefined;
  /** Its process limit. Default: 256. */ pids?: number | undefined;
  /** The user inside, such as 1000:1000; by default the image's. */ user?: string | undefined;
  /** Names of the plane's variables that it gets beside those of 'env'. Values never appear on a command line. Default: []. */ env?: readonly string[] | undefined;
}

/** Which operations of the document become tools; by default all. */
export interface McpServersOperationsInput {
  /** Globs of tags; one that begins with ! excludes. */ tags?: readonly string[] | undefined;
  /** Globs of paths such as /users/*; one that begins with ! excludes. */ paths?: readonly string[] | undefined;
  /** Methods such as get; one that begins with ! excludes. */ methods?: readonly string[] | undefined;
}

/** Authentication to a remote server. */
export interface ServerAuthInput {
  /** bearer sends the token in Authorization; basic sends user:password there; api_key uses the header named below; with oauth each user signs in. Default: "bearer". */ type?: "none" | "bearer" | "basic" | "api_key" | "jwt" | "oauth" | undefined;
  /** The token for all users, best as ${TOKEN}; without it each user gives their own. An empty one sends nothing. */ token?: string | undefined;
  /** The header of an API key. Default: "X-API-Key". */ header?: string | undefined;
  /** Scopes to request; by default the server's. */ scopes?: readonly string[] | undefined;
  /** The OAuth client that was registered for you; discovered by default. */ clientId?: string | undefined;
  /** Its secret, best as a reference such as ${SECRET}. */ clientSecret?: string | undefined;
  /** The address of your client metadata document, used as client id. */ clientMetadataUrl?: string | undefined;
  /** The only authorization server to trust with this client. */ issuer?: string | undefined;
  /** client_credentials signs in as this client, without a person. */ grant?: "authorization_code" | "client_credentials" | undefined;
  /** The token endpoint of the authorization server; discovered, or taken from the OpenAPI document, by default. */ tokenUrl?: string | undefined;
  /** Where people sign in; discovered, or taken from the OpenAPI document, by default. */ authorizationUrl?: string | undefined;
  /** A value for each security scheme of the OpenAPI document, best as ${KEY}; for an API that requires several. */ schemes?: Readonly<Record<string, string>> | undefined;
}

/** Its circuit breaker. */
export interface CircuitInput {
  /** Failed calls in a row that open it, 0 to disable. Default: 5. */ failures?: number | undefined;
  /** The first cooldown; then one call tries the server. Doubled with each failure, 5 minutes at most. Default: 30000. */ openMs?: number | undefined;
}

/** Attempts of its calls; by default as in 'retry'. */
export interface McpServersRetryInput {
  /** Attempts of a call that may be repeated, the first included. */ attempts?: number | undefined;
  /** The wait before the second attempt; doubled with each failure. */ delayMs?: number | undefined;
  /** The longest wait between two attempts. */ maxDelayMs?: number | undefined;
}

/** Cache for results of its read-only tools. Any write to the server, a changed list and a restart empty it. */
export interface CacheInput {
  /** How long a result is kept; 0 keeps none. */ ttlMs: number;
  /** Maximum number of results; the least recently used are dropped first. Default: 1000. */ maxEntries?: number | undefined;
  /** One result for all callers; by default each caller has their own. Default: false. */ shared?: boolean | undefined;
}

/** A parameter that only the system sets, and where its value comes from. */
export type InjectionInput =
  "_mcp_data" | "_atlas_user" | "username" | { parameter: string; from: "inventory" | "user" | "groups" | "persona" | "conversation" | "workspace" | "scopes" | "files" } | { parameter: string; from: "constant"; value: Json };

/** Options of the inventory in _mcp_data. */
export interface InjectOptionsInput {
  /** Exclude its own tools. */ exclude_self?: boolean | undefined;
  /** Servers to leave out; 'canvas' by default. */ exclude?: readonly string[] | undefined;
  /** Maximum size; beyond it descriptions are cut, then parameters dropped, then tools. 65536 by default. */ max_bytes?: number | undefined;
}
