import * as z from "zod/mini";
import { InjectionEntry, InjectOptions } from "../access/injection.ts";
import { SideEffects } from "../catalogue/tool.ts";

export const Transport = z.enum(["stdio", "http", "sse", "websocket"]);
export type Transport = z.infer<typeof Transport>;

const texts = z.array(z.string());
const textMap = z.record(z.string(), z.string());

/** How we tell the server who we are. */
export const ServerAuth = z.strictObject({
  type: z._default(z.enum(["none", "bearer", "api_key", "jwt", "oauth"]), "bearer"),
  token: z.optional(z.string()),
  /** The header an API key goes into. */
  header: z._default(z.string(), "X-API-Key"),
  scopes: z.optional(texts),
  /** A client id registered at its authorization server. */
  clientId: z.optional(z.string().check(z.minLength(1))),
  clientSecret: z.optional(z.string()),
  /** Where our client metadata document is; its address is our client id. */
  clientMetadataUrl: z.optional(z.url({ protocol: /^https$/ })),
  /** The only authorization server to use. */
  issuer: z.optional(z.url({ protocol: /^https?$/ })),
  /** A person signs in unless it says otherwise. */
  grant: z.optional(z.enum(["authorization_code", "client_credentials"])),
});
export type ServerAuth = z.infer<typeof ServerAuth>;

/** When a server is left alone: after so many failures in a row, 0 for never, and for how long at first. */
export const ServerCircuit = z.strictObject({
  failures: z._default(z.int().check(z.minimum(0)), 5),
  openMs: z._default(z.int().check(z.positive()), 30_000),
});
export type ServerCircuit = z.infer<typeof ServerCircuit>;

/** From the least to the most serious. */
export const logLevels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Names and globs of variables of the plane's environment; true is all, false only the default ones. */
export const InheritEnv = z.union([z.boolean(), texts]);

/** The limit of a call. */
export const defaultTimeoutMs = 60_000;

/** One MCP server in the normal form of the configuration. */
export const ServerDefinition = z.strictObject({
  command: z.optional(z.string().check(z.minLength(1), z.regex(/^[^\u0000]*$/, "must not contain a zero byte"))),
  args: z._default(texts, []),
  env: z._default(textMap, {}),
  inheritEnv: z.optional(InheritEnv),
  cwd: z.optional(z.string()),
  url: z.optional(z.url({ protocol: /^(https?|wss?)$/ })),
  transport: Transport,
  headers: z._default(textMap, {}),
  auth: z.optional(ServerAuth),
  description: z._default(z.string(), ""),
  author: z.optional(z.string()),
  help_email: z.optional(z.string()),
  enabled: z._default(z.boolean(), true),
  autoConnect: z._default(z.boolean(), true),
  /** Unsaid, it is started once to get to know it. */
  lazy: z.optional(z.boolean()),
  alwaysOn: z._default(z.boolean(), false),
  trusted: z._default(z.boolean(), false),
  /** 0 means no limit. */
  /** `defaultTimeoutMs` when neither call, tool nor server says otherwise. */
  timeoutMs: z.optional(z.int().check(z.minimum(0))),
  connectTimeoutMs: z._default(z.int().check(z.positive()), 30_000),
  /** Instead of that while npx, uvx and the like fetch it. */
  installTimeoutMs: z._default(z.int().check(z.positive()), 300_000),
  idleTimeoutMs: z._default(z.int().check(z.minimum(0)), 600_000),
  maxConcurrency: z._default(z.int().check(z.positive()), 64),
  maxQueue: z._default(z.int().check(z.minimum(0)), 1_000),
  rateLimitPerMinute: z.optional(z.int().check(z.positive())),
  circuit: z._default(ServerCircuit, { failures: 5, openMs: 30_000 }),
  maxMessageBytes: z._default(z.int().check(z.positive()), 10 * 1024 * 1024),
  backoffMs: z._default(z.int().check(z.positive()), 1_000),
  maxBackoffMs: z._default(z.int().check(z.positive()), 60_000),
  pingIntervalMs: z._default(z.int().check(z.positive()), 15_000),
  /** 0 means for ever. */
  listingTtlMs: z._default(z.int().check(z.minimum(0)), 300_000),
  protocol: z._default(z.enum(["auto", "legacy", "modern"]), "auto"),
  roots: z._default(texts, []),
  logLevel: z.optional(z.enum(logLevels)),
  session: z._default(z.enum(["shared", "principal", "conversation"]), "shared"),
  groups: z._default(texts, []),
  persona: z._default(z.nullable(z.string()), null),
  compliance_level: z._default(z.nullable(z.string()), null),
  workspaces: z._default(texts, []),
  /** Those who may not use it are told that it is there, and whom to ask. */
  discoverable: z._default(z.boolean(), false),
  allow_tools: z._default(z.nullable(texts), null),
  deny_tools: z._default(z.nullable(texts), null),
  side_effects: z._default(SideEffects, "network"),
  /** Without it, calls run in parallel. */
  allow_parallel: z.optional(z.boolean()),
  requires_consent: z.optional(z.boolean()),
  /** It runs in a container or on a machine of its own, by the operator's word. */
  isolated: z.optional(z.boolean()),
  idempotency_key: z._default(z.boolean(), false),
  /** What its tools have where they do not say it themselves. */
  version: z.optional(z.string().check(z.minLength(1))),
  auth_required: z.optional(z.boolean()),
  /** Names of the variables that hold its credentials. */
  auth_env: z.optional(texts),
  /** Parameters that only the system sets, where a tool declares them. */
  inject: z._default(z.array(InjectionEntry), ["_mcp_data"]),
  inject_options: z.optional(InjectOptions),
});
export type ServerDefinition = z.infer<typeof ServerDefinition>;

/** Where the connection to a server is. */
export type ServerState =
  | "disabled"
  | "config_error"
  | "disconnected"
  | "connecting"
  | "connected"
  | "backoff"
  | "error";

/** A server with its connection, its tools and its last error. */
export type ServerStatus = {
  name: string;
  state: ServerState;
  /** It is fine and not running, because nothing needs it; `state` is then `disconnected`. */
  idle: boolean;
  /** A program such as npx fetches it first; `state` is then `connecting`. */
  installing?: InstallStatus;
  transport: Transport | null;
  protocolVersion: string | null;
  tools: number;
  /** Are the listed tools older than a failure to list them again? */
  stale: boolean;
  error: string | null;
  /** The last line it wrote to stderr; only for callers who may read its log. */
  stderrTail?: string;
  nextRetryAt: string | null;
  pid: number | null;
  /** Tools the server offered and we could not take, with the reason. */
  rejected: { tool: string; reason: string }[];
  /** When its tools were listed last, this time or an earlier one. */
  listedAt: string | null;
  /** How many it lists beside its tools; null where it has not been asked yet. */
  offers: OfferCounts;
  /** Requests that wait for it, or wait to be sent. */
  pending: number;
  /** Open sessions. */
  sessions: number;
  /** How often something came from it that is no message of the protocol. */
  noise: number;
  /** Left out where nothing can switch it off. */
  circuit?: CircuitStatus;
};

/** The installer's last line is only for callers who may read the server's log. */
export type InstallStatus = { since: string; lastLine: string | null };

/** Is a server asked, left alone, or tried with one call? */
export type CircuitState = "closed" | "open" | "half_open";

/** The circuit breaker of a server. */
export type CircuitStatus = {
  state: CircuitState;
  /** In a row. */
  failures: number;
  openUntil: string | null;
  lastError: string | null;
};

/** One line of what a server said beside its answers. */
export type ServerLogLine = {
  at: string;
  source: "stderr" | "log" | "noise";
  level?: string;
  text: string;
};

/** What is remembered of a server from one run to the next. */
export type KnownServer = {
  /** Stands for its name and its whole definition; another definition makes it another server. */
  identity: string;
  era: "legacy" | "modern";
  eraAt: string;
  listedAt: string;
  tools: unknown[];
  /** A list that is missing was never asked for; the server is asked for it when it is next connected. */
  offers?: Partial<Record<OfferKind, KnownList>>;
};

/** What a server may list beside its tools. */
export type OfferKind = "prompts" | "resources" | "resourceTemplates";
export type OfferCounts = Record<OfferKind, number | null>;

/** A list as a server gave it, and when. */
export type KnownList = { listedAt: string; items: unknown[] };

/** What came of asking servers again. */
export type RefreshReport = {
  attempted: string[];
  reconnected: string[];
  still_failed: { server: string; reason: string }[];
  skipped: { server: string; reason: string }[];
};

/** What a new configuration did to the servers. */
export type ServersChange = { added: string[]; removed: string[]; changed: string[]; unchanged: string[] };

/** The open sessions, without anything of what they were opened with. */
export type PoolInfo = { size: number; sessions: { server: string; key: string }[] };

/** What a caller sees of a server that they may not use. */
export type LockedServer = {
  name: string;
  description: string;
  contact: Contact;
  locked: true;
};

/** Whom to ask. */
export type Contact = { author: string | null; help_email: string | null };

/** How a server was asked whether it is there, and how long it took to answer. */
export type ServerCheck = { how: "ping" | "list"; ms: number };
