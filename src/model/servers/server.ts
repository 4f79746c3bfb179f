import * as z from "zod/mini";
import { InjectionEntry, InjectOptions, reservedParameters } from "../access/injection.ts";
import { CacheSettings, SideEffects } from "../catalogue/tool.ts";
import type { UnknownObject } from "../json.ts";
import { type TransportName, transports } from "./transports.ts";

export const Transport = z.enum(Object.keys(transports) as TransportName[]);
export type Transport = z.infer<typeof Transport>;

const texts = z.array(z.string());
const textMap = z.record(z.string(), z.string());

/** Our credentials for the server. */
export const ServerAuth = z.strictObject({
  type: z._default(z.enum(["none", "bearer", "basic", "api_key", "jwt", "oauth"]), "bearer"),
  token: z.optional(z.string()),
  header: z._default(z.string(), "X-API-Key"),
  scopes: z.optional(texts),
  clientId: z.optional(z.string().check(z.minLength(1))),
  clientSecret: z.optional(z.string()),
  /** Its address is our client id. */
  clientMetadataUrl: z.optional(z.url({ protocol: /^https$/ })),
  issuer: z.optional(z.url({ protocol: /^https?$/ })),
  /** Default: a person signs in. */
  grant: z.optional(z.enum(["authorization_code", "client_credentials"])),
  /** Where nothing can be discovered. */
  tokenUrl: z.optional(z.url({ protocol: /^https?$/ })),
  authorizationUrl: z.optional(z.url({ protocol: /^https?$/ })),
  /** A value for each security scheme of an OpenAPI document. */
  schemes: z.optional(textMap),
});
export type ServerAuth = z.infer<typeof ServerAuth>;

/** Opens after so many failures in a row, 0 for never. */
export const ServerCircuit = z.strictObject({
  failures: z._default(z.int().check(z.minimum(0)), 5),
  openMs: z._default(z.int().check(z.positive()), 30_000),
});
export type ServerCircuit = z.infer<typeof ServerCircuit>;

/** Which operations of an OpenAPI document become tools. Globs; one that begins with `!` excludes. */
export const OperationFilter = z.strictObject({
  tags: z.optional(texts),
  paths: z.optional(texts),
  methods: z.optional(texts),
});
export type OperationFilter = z.infer<typeof OperationFilter>;

/** In rising order. */
export const logLevels = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;
export type LogLevel = (typeof logLevels)[number];

/** Names and globs of variables; true is all, false only the default ones. */
export const InheritEnv = z.union([z.boolean(), texts]);

export const defaultTimeoutMs = 60_000;

/** Of a call that may be repeated, or that was never sent. */
export const defaultRetry = { attempts: 2, delayMs: 1_000, maxDelayMs: 10_000 };
export type RetrySettings = typeof defaultRetry;

/** All attempts count, the first too. */
export const retryFields = {
  attempts: z.int().check(z.minimum(1), z.maximum(10)),
  delayMs: z.int().check(z.minimum(0)),
  maxDelayMs: z.int().check(z.minimum(0)),
};

/** docker or podman around the command of a server. */
export const ServerContainer = z.strictObject({
  image: z.string().check(z.regex(/^[^-\s]\S*$/, "must be the name of an image")),
  network: z._default(
    z.string().check(z.regex(/^[\w][\w.:-]*$/, "must be the name of a network")),
    "none",
  ),
  /** `source:target`, read-only, or `source:target:rw`. */
  mounts: z._default(
    z.array(
      z
        .string()
        .check(
          z.regex(
            /^.+:\/[^:]*(:r[ow])?$/s,
            "must be written as source:/target or source:/target:rw",
          ),
        ),
    ),
    [],
  ),
  runtime: z._default(z.enum(["auto", "docker", "podman"]), "auto"),
  memory: z._default(
    z.string().check(z.regex(/^\d+[bkmg]?$/i, "must be a size such as 512m")),
    "512m",
  ),
  pids: z._default(z.int().check(z.positive()), 256),
  user: z.optional(z.string().check(z.regex(/^\w[\w.:-]*$/, "must be a user such as 1000:1000"))),
  /** Names of the plane's variables. */
  env: z._default(
    z.array(z.string().check(z.regex(/^[A-Za-z_]\w*$/, "must be the name of a variable"))),
    [],
  ),
});
export type ServerContainer = z.infer<typeof ServerContainer>;

/** By the operator's word, or because we start it in a container with a network of its own. */
export function isIsolated({
  isolated,
  container,
}: Pick<ServerDefinition, "isolated" | "container">): boolean {
  return isolated ?? (container !== undefined && container.network !== "host");
}

/** Does its configuration leave the credentials to each user? */
export function hasPersonalAuth({ auth, url, openapi }: Partial<ServerDefinition>): boolean {
  if (auth === undefined || (url === undefined && openapi === undefined)) return false;
  const isOwnClient = auth.type === "oauth" && auth.grant === "client_credentials";
  return (
    auth.type !== "none" && auth.token === undefined && auth.schemes === undefined && !isOwnClient
  );
}

/** An MCP server in the normal form. */
export const ServerDefinition = z.strictObject({
  command: z.optional(
    z.string().check(z.minLength(1), z.regex(/^[^\u0000]*$/, "must not contain a zero byte")),
  ),
  args: z._default(texts, []),
  env: z._default(textMap, {}),
  inheritEnv: z.optional(InheritEnv),
  cwd: z.optional(z.string()),
  container: z.optional(ServerContainer),
  /** Of a scheme that the plane or one of its extensions speaks. */
  url: z.optional(z.url()),
  /** The file or address of an OpenAPI document. */
  openapi: z.optional(
    z.string().check(z.minLength(1), z.regex(/^[^\u0000]*$/, "must not contain a zero byte")),
  ),
  /** Default: as the document says. */
  baseUrl: z.optional(z.url({ protocol: /^https?$/ })),
  operations: z.optional(OperationFilter),
  /** A folder with skills: directories with a `SKILL.md`. */
  skills: z.optional(
    z.string().check(z.minLength(1), z.regex(/^[^\u0000]*$/, "must not contain a zero byte")),
  ),
  transport: Transport,
  headers: z._default(textMap, {}),
  auth: z.optional(ServerAuth),
  description: z._default(z.string(), ""),
  author: z.optional(z.string()),
  help_email: z.optional(z.string()),
  enabled: z._default(z.boolean(), true),
  autoConnect: z._default(z.boolean(), true),
  /** Default: started once to learn its tools. */
  lazy: z.optional(z.boolean()),
  alwaysOn: z._default(z.boolean(), false),
  trusted: z._default(z.boolean(), false),
  /** 0 is no limit. Default: `defaultTimeoutMs`. */
  timeoutMs: z.optional(z.int().check(z.minimum(0))),
  connectTimeoutMs: z._default(z.int().check(z.positive()), 30_000),
  /** While npx, uvx and the like fetch it. */
  installTimeoutMs: z._default(z.int().check(z.positive()), 300_000),
  idleTimeoutMs: z._default(z.int().check(z.minimum(0)), 600_000),
  maxConcurrency: z._default(z.int().check(z.positive()), 64),
  maxQueue: z._default(z.int().check(z.minimum(0)), 1_000),
  sharedConcurrency: z.optional(z.int().check(z.positive())),
  rateLimitPerMinute: z.optional(z.int().check(z.positive())),
  circuit: z._default(ServerCircuit, { failures: 5, openMs: 30_000 }),
  /** Default: the configuration's. */
  retry: z.optional(z.partial(z.strictObject(retryFields))),
  cache: z.optional(CacheSettings),
  /** Equal calls under way share one request. Default: where results are cached. */
  coalesce: z.optional(z.boolean()),
  maxMessageBytes: z._default(z.int().check(z.positive()), 10 * 1024 * 1024),
  backoffMs: z._default(z.int().check(z.positive()), 1_000),
  maxBackoffMs: z._default(z.int().check(z.positive()), 60_000),
  pingIntervalMs: z._default(z.int().check(z.positive()), 15_000),
  /** 0 is for ever. */
  listingTtlMs: z._default(z.int().check(z.minimum(0)), 300_000),
  protocol: z._default(z.enum(["auto", "legacy", "modern"]), "auto"),
  roots: z._default(texts, []),
  logLevel: z.optional(z.enum(logLevels)),
  session: z.optional(z.enum(["shared", "principal", "conversation"])),
  groups: z._default(texts, []),
  persona: z._default(z.nullable(z.string()), null),
  compliance_level: z._default(z.nullable(z.string()), null),
  workspaces: z._default(texts, []),
  discoverable: z._default(z.boolean(), false),
  allow_tools: z._default(z.nullable(texts), null),
  deny_tools: z._default(z.nullable(texts), null),
  side_effects: z._default(SideEffects, "network"),
  allow_parallel: z.optional(z.boolean()),
  requires_consent: z.optional(z.boolean()),
  /** In a container or on a machine of its own, by the operator's word. Default: where there is a `container`. */
  isolated: z.optional(z.boolean()),
  idempotency_key: z._default(z.boolean(), false),
  version: z.optional(z.string().check(z.minLength(1))),
  /** Name and version in a registry: `io.github.owner/server@1.2.0`. */
  source: z.optional(
    z.string().check(z.regex(/^[^\s@/]+\/[^\s@]+@\S+$/, "must be written as name@version")),
  ),
  auth_required: z.optional(z.boolean()),
  /** By name, what is to be known of each. */
  auth_env: z.optional(
    z.union([texts, z.record(z.string(), z.looseObject({ required: z.optional(z.boolean()) }))]),
  ),
  /** Parameters that only the system sets, where a tool declares them. */
  inject: z._default(z.array(InjectionEntry), [...reservedParameters]),
  inject_options: z.optional(InjectOptions),
});
export type ServerDefinition = z.infer<typeof ServerDefinition>;

/** What a person said about a server is about this origin; null for one that is started here. */
export function originOfServer(
  definition: Pick<ServerDefinition, "url" | "openapi" | "baseUrl"> | undefined,
): string | null {
  const address = definition?.url ?? definition?.baseUrl ?? definition?.openapi;
  return address !== undefined && /^(?:https?|wss?):/i.test(address) && URL.canParse(address)
    ? new URL(address).origin
    : null;
}

/** Remembered from one run to the next. */
export type KnownServer = {
  /** Of its name and whole definition. */
  identity: string;
  era: "legacy" | "modern";
  eraAt: string;
  listedAt: string;
  /** That it declares. */
  extensions?: UnknownObject;
  /** The server said that its lists are for one caller alone. */
  isPrivate?: boolean;
  tools: unknown[];
  /** A missing list was never asked for. */
  offers?: Partial<Record<OfferKind, KnownList>>;
};

export type OfferKind = "prompts" | "resources" | "resourceTemplates";

type KnownList = { listedAt: string; items: unknown[] };

export type ServersChange = {
  added: string[];
  removed: string[];
  changed: string[];
  unchanged: string[];
};

/** Without what they were opened with. */
export type PoolInfo = {
  size: number;
  sessions: { server: string; key: string }[];
  /** By server: how many calls were sent at once, on a session that was open. */
  direct: Record<string, number>;
};

/** How it was asked, and how long it took. */
export type ServerCheck = { how: "ping" | "list"; ms: number };
