// Generated from the schema of the configuration by npm run docs. Change the schema instead.
import type { ForeignSections } from "../../src/model/config/foreign-config.ts";
import type { Json } from "../../src/model/json.ts";
import type { ApprovalsInput, BudgetsInput, HooksInput, PolicyInput } from "./policy-input.ts";
import type { InjectionInput, InjectOptionsInput, ServersInput } from "./server-input.ts";
import type { ToolOverlayInput, ToolsInput } from "./tool-input.ts";

/** A configuration in code: what a file may hold, checked by the compiler. */
export interface ConfigInput extends ForeignSections<ServersInput> {
  /** Where editors find this schema. */ $schema?: string | undefined;
  /** The MCP servers, by name. */ mcpServers?: ServersInput | undefined;
  /** Hand-written tools, by name: manifests with their providers. */ tools?: ToolsInput | undefined;
  /** Overrides of servers' tools, by server.tool; other fields keep the server's value. */ overlays?: Readonly<Record<string, ToolOverlayInput>> | undefined;
  /** Variables for all local servers; a server's own 'env' wins. */ env?: Readonly<Record<string, string>> | undefined;
  /** Variables of the plane's environment that all local servers get beside the default ones: names or globs, or true for all. */ inheritEnv?: boolean | readonly string[] | undefined;
  /** Parameters that only the system sets, for all servers and hand-written tools; see mcpServers.inject. Default: []. */ inject?: readonly InjectionInput[] | undefined;
  /** Default options of the inventory in _mcp_data. */ inject_options?: InjectOptionsInput | undefined;
  /** Globs of manifest files to read, relative to this file's directory; manifest.schema.json has their schema. Default: []. */ manifests?: readonly string[] | undefined;
  /** Named selections of tools with a budget. */ toolsets?: Readonly<Record<string, ToolsetInput>> | undefined;
  /** Models, by name. */ models?: Readonly<Record<string, ModelInput>> | undefined;
  /** Sampling: requests of servers to the models; see agents.md. */ sampling?: SamplingInput | undefined;
  /** What runs, what needs approval, what is refused. */ policy?: PolicyInput | undefined;
  /** Programs that decide on calls; see hooks.md. */ hooks?: HooksInput | undefined;
  /** Extensions: a path or the name of a package, or an object with 'use' and its settings in 'with'. Their code runs in the plane. */ extensions?: readonly (string | { use: string; with?: Readonly<Record<string, Json>> | undefined })[] | undefined;
  /** Approvals by people. */ approvals?: ApprovalsInput | undefined;
  /** Time and cost budgets of conversations. */ budgets?: BudgetsInput | undefined;
  /** Attempts of a call that may be repeated, or that was never sent. */ retry?: RetryInput | undefined;
  /** How much of the catalogue a client sees at first. */ lazy?: LazyInput | undefined;
  /** Tool search. */ search?: SearchInput | undefined;
  /** Storage of large results. */ results?: ResultsInput | undefined;
  /** Call records. */ calls?: CallsInput | undefined;
  /** What one caller may hold open at a time. */ quotas?: QuotasInput | undefined;
  /** The record of calls and changes. */ audit?: AuditInput | undefined;
  /** Traces, metrics, and what is kept of calls. */ observability?: ObservabilityInput | undefined;
  /** Job runs; see jobs.md. */ jobs?: JobsInput | undefined;
  /** Handling of changed or poisoned tool definitions; see quality.md. */ security?: SecurityInput | undefined;
  /** MCP registries to search and to add servers from; the first that knows a name counts. Default: ["https://registry.modelcontextprotocol.io"]. */ registries?: readonly string[] | undefined;
  /** Catalogue entries from other planes. */ bundles?: BundlesInput | undefined;
  /** sqlite, or postgres://… to share the state between planes. Default: "sqlite". */ store?: string | undefined;
  /** What has to survive when it is answered: process, the end of the plane; power, a power cut, with calls up to 200 ms later; strict, calls before their answer, too. power when it is not set. See stores.md. */ durability?: "process" | "power" | "strict" | undefined;
  /** Seals the tokens and what waits in the store: 32 bytes as hex or base64, by reference such as ${VAULT_KEY}. Planes on one store need the same; without it each has its own in its data directory. */ vaultKey?: string | undefined;
  /** The server whose tools `mcp.TOOL` means. The block `tools.mcp` calls it `default_server`. */ defaultServer?: string | undefined;
  /** Authentication of callers. */ auth?: AuthInput | undefined;
  /** Attributes of users, by name. */ users?: Readonly<Record<string, UserInput>> | undefined;
  /** What personas may do, by name. */ personas?: Readonly<Record<string, PersonaInput>> | undefined;
  /** Which compliance levels go together: default for the built-in ones, or your own as {levels, unknown}; see identity.md. Without it, levels have no effect. */ compliance?: "default" | { levels?: readonly ComplianceLevelInput[] | undefined; unknown?: "permissive" | "strict" | undefined } | null | undefined;
}

/** A selection of tools with a budget. */
export interface ToolsetInput {
  /** The servers whose tools are in it. Default: []. */ providers?: readonly string[] | undefined;
  /** The allowed tools; null for all. */ allow_tools?: readonly string[] | null | undefined;
  /** Maximum tool-call turns; null for 5, or 10 in the style react. */ max_tool_call_turns?: number | null | undefined;
  /** Limit of each call in seconds. */ timeout_sec?: number | null | undefined;
}

/** A model for agents. */
export interface ModelInput {
  /** The kind of endpoint. Default: "openai-compatible". */ provider?: string | undefined;
  /** Its address. */ baseURL?: string | undefined;
  /** The model's name there. */ model: string;
  /** The key, best as a reference such as ${KEY}. */ apiKey?: string | undefined;
  /** Token prices, per million; without them no cost is shown. */ price?: ModelsPriceInput | undefined;
}

/** Token prices, per million; without them no cost is shown. */
export interface ModelsPriceInput {
  /** Price of a million input tokens. */ input: number;
  /** Price of a million output tokens. */ output: number;
  /** Price of a million cached input tokens; `input` when left out. */ cached?: number | undefined;
  /** The currency of these prices. Default: "USD". */ currency?: string | undefined;
}

/** Sampling: requests of servers to the models; see agents.md. */
export interface SamplingInput {
  /** false: sampling is not offered to servers. Default: true. */ enabled?: boolean | undefined;
  /** allow, ask or deny; by default the profile decides: personal allows, guarded asks unless the server is trusted, strict asks. */ verdict?: "allow" | "ask" | "deny" | null | undefined;
  /** The model if no hint of the server matches; 'default', or the first. */ model?: string | null | undefined;
  /** Maximum tokens of an answer; 512 if the server sets none. Default: 10000. */ maxTokens?: number | undefined;
  /** Maximum sampling requests per tool call. Default: 10. */ maxCallsPerToolCall?: number | undefined;
}

/** Attempts of a call that may be repeated, or that was never sent. */
export interface RetryInput {
  /** Attempts, the first included. Default: 2. */ attempts?: number | undefined;
  /** The wait before the second attempt; doubled with each failure, give or take a quarter. Default: 1000. */ delayMs?: number | undefined;
  /** The longest wait between two attempts. Default: 10000. */ maxDelayMs?: number | undefined;
}

/** How much of the catalogue a client sees at first. */
export interface LazyInput {
  /** Lazy loading of definitions. auto: if all of them exceed the threshold; code: two tools, and programs that call the others. A client can override it with 'mode'. Default: "auto". */ mode?: "auto" | "always" | "never" | "code" | undefined;
  /** The threshold. Default: 8000. */ thresholdTokens?: number | undefined;
  /** Tools that are always loaded: names in any spelling, globs, or a part of the name. Default: []. */ alwaysLoadTools?: readonly string[] | undefined;
  /** Characters of a description in a summary. Default: 100. */ summaryDescriptionLimit?: number | undefined;
  /** Maximum tools that a search loads. Default: 5. */ maxToolsPerSearch?: number | undefined;
  /** Maximum tokens of loaded definitions per client; the least recently used are dropped first. Default: 12000. */ maxLoadedTokens?: number | undefined;
  /** all: a client may call any tool. found: only tools that a search or list showed it, and always-loaded ones. Default: "all". */ callable?: "all" | "found" | undefined;
}

/** Tool search. */
export interface SearchInput {
  /** Words and their synonyms, which score a little less; they replace the built-in ones, an empty list removes them. */ synonyms?: Readonly<Record<string, readonly string[]>> | undefined;
  /** A model of your own that compares queries and tools, in place of the built-in vectors. */ embeddings?: { /** Its name in 'models'; its endpoint has to answer OpenAI-compatible `/embeddings`. */ model: string } | null | undefined;
  /** true: tools that you call after a search rank higher when you search for the same words. Kept in the data directory only. Default: false. */ learn?: boolean | undefined;
}

/** Storage of large results. */
export interface ResultsInput {
  /** Characters of text that an MCP client gets in full. For more, or for half as much structured content, it gets a handle. 0 for no limit. Default: 8000. */ maxInlineBytes?: number | undefined;
  /** How long a large result is stored. Default: 86400000. */ keepMs?: number | undefined;
  /** Maximum total size in the store; the oldest are dropped first. Default: 268435456. */ maxStoredBytes?: number | undefined;
  /** A bucket for their content: 's3://BUCKET/PREFIX?region=REGION', with '&endpoint=URL' for a store that speaks the protocol of S3. Without it the content is in the store. */ store?: string | undefined;
  /** false: the tool 'read_result' is not offered. Default: true. */ builtinTool?: boolean | undefined;
  /** Redaction of secrets in results that models read; each becomes [redacted]. */ redact?: ResultsRedactInput | undefined;
}

/** Redaction of secrets in results that models read; each becomes [redacted]. */
export interface ResultsRedactInput {
  /** Known patterns: keys and tokens of well-known services, private keys, passwords in URLs. Default: false. */ secrets?: boolean | undefined;
  /** Words of 20 characters and more that look random. Default: false. */ entropy?: boolean | undefined;
  /** Patterns of your own, in the syntax of RE2. Default: []. */ patterns?: readonly string[] | undefined;
}

/** Call records. */
export interface CallsInput {
  /** Days to keep records of calls and changes, 0 to keep them forever. Default: 90. */ keepDays?: number | undefined;
  /** Size of the records of calls, changes, runs and events together, 0 for no limit. Beyond it, the oldest calls, runs and events are removed, whatever their age. Default: 17179869184. */ maxBytes?: number | undefined;
}

/** What one caller may hold open at a time. */
export interface QuotasInput {
  /** Event streams and waiting HTTP requests that one caller may hold open at a time. Default: 32. */ maxHeldOpen?: number | undefined;
  /** MCP sessions over HTTP of one caller, and listeners of revision 2026-07-28. Beyond it, one that is not in use ends, or the new one is refused. Default: 1000. */ maxSessionsPerCaller?: number | undefined;
}

/** The record of calls and changes. */
export interface AuditInput {
  /** true: nothing is answered unless it was recorded. Default: false. */ required?: boolean | undefined;
  /** Secrets in the record of changes become their HMAC-SHA-256 with this key, instead of a mask, so that equal ones are recognised. By reference, such as ${AUDIT_KEY}. */ hmacKey?: string | undefined;
  /** An Ed25519 private key as PEM, which signs the roots over all records. */ signingKey?: string | undefined;
  /** A file that each root is appended to, as one line of JSON. */ rootFile?: string | undefined;
  /** An address that each root is posted to, as JSON. */ rootWebhook?: string | undefined;
}

/** Traces, metrics, and what is kept of calls. */
export interface ObservabilityInput {
  /** Spans and metrics by OTLP over HTTP, as JSON. */ otlp?: { /** The collector, such as http://127.0.0.1:4318; /v1/traces and /v1/metrics are added. Empty: nothing is sent. */ endpoint: string; /** Headers for the collector, best as references; or a string such as name=value,name=value. */ headers?: Readonly<Record<string, string>> | string | undefined; /** false: no spans. Default: true. */ traces?: boolean | undefined; /** false: no metrics. Default: true. */ metrics?: boolean | undefined; /** Time between two batches in milliseconds. Default: 10000. */ intervalMs?: number | undefined; /** The name of this plane at the collector. Default: "toolplane". */ serviceName?: string | undefined } | null | undefined;
  /** true: arguments and results of calls are kept, so that the page of a call shows them. Secrets are redacted, injected values never stored; see calls.md. Default: false. */ keepPayloads?: boolean | undefined;
  /** Days to keep them. Default: 7. */ payloadDays?: number | undefined;
}

/** Job runs; see jobs.md. */
export interface JobsInput {
  /** Concurrency limit of job runs on a plane; more wait. Default: 8. */ concurrency?: number | undefined;
  /** Days to keep finished runs, 0 to keep them forever. Default: 30. */ keepDays?: number | undefined;
}

/** Handling of changed or poisoned tool definitions; see quality.md. */
export interface SecurityInput {
  /** A definition that differs from its pin: off, warn, or quarantine until it is accepted. Default: "quarantine". */ pinning?: "off" | "warn" | "quarantine" | undefined;
  /** A new tool of a known server: accept, or quarantine. Default: "accept". */ newTools?: "accept" | "quarantine" | undefined;
  /** Hidden text and orders to the model: off, warn, or quarantine. By default, certain findings are quarantined and others warned about. */ poisoning?: "off" | "warn" | "quarantine" | null | undefined;
  /** Origins of web pages that may ask at /mcp, with a credential, and register at the sign-in. Default: []. */ allowOrigins?: readonly string[] | undefined;
  /** Which addresses others may name: for a server's sign-in, and for tools that were set over a face. */ egress?: SecurityEgressInput | undefined;
}

/** Which addresses others may name: for a server's sign-in, and for tools that were set over a face. */
export interface SecurityEgressInput {
  /** Hosts, addresses and networks beyond public ones: localhost:8080, *.corp.example, 10.0.0.0/8. A cloud's metadata service is never reached. Default: []. */ allow?: readonly string[] | undefined;
}

/** Catalogue entries from other planes. */
export interface BundlesInput {
  /** Fingerprints of trusted signing keys; the plane's own is always trusted. Default: []. */ trustedKeys?: readonly string[] | undefined;
}

/** Authentication of callers. */
export interface AuthInput {
  /** Tokens of an identity provider. */ jwt?: JwtInput | undefined;
  /** An identity provider that clients sign in at themselves. Its tokens must name the plane's own address as audience. */ issuer?: string | undefined;
  /** Where its tokens say who the caller is; as 'auth.jwt.claims'. */ claims?: ClaimsInput | undefined;
  /** The scopes that a 401 names, for clients to ask for; empty for none. Default: ["call"]. */ scopes?: readonly string[] | undefined;
  /** The address that clients use, such as https://tools.example.org; without a path. */ publicUrl?: string | undefined;
  /** Starts an authorization server in the plane, for clients that the identity provider does not know. */ server?: AuthServerInput | undefined;
  /** The identity provider that people sign in at. */ signIn?: AuthSignInInput | undefined;
}

/** Tokens of an identity provider. */
export interface JwtInput {
  /** Required issuer, exact match. */ issuer: string;
  /** Required audience, exact match. */ audience: string;
  /** URL of the keys; by default from the issuer's metadata. */ jwksUri?: string | undefined;
  /** Claim names; dots for nested objects. */ claims?: ClaimsInput | undefined;
}

/** Claim names; dots for nested objects. */
export interface ClaimsInput {
  /** The user; a token without it is refused. Default: "sub". */ user?: string | undefined;
  /** A list of strings, or one string. Default: "groups". */ groups?: string | undefined;
  /** A string. Default: "persona". */ persona?: string | undefined;
  /** read, call, admin, *, server:NAME or toolset:NAME, others are ignored; by default 'scope', and call if that names none of them. */ scopes?: string | undefined;
  /** A string. Default: "workspace". */ workspace?: string | undefined;
  /** A string. Default: "compliance". */ compliance?: string | undefined;
  /** A list of strings, or one space-separated string. Default: "tool_groups". */ tool_groups?: string | undefined;
}

/** Starts an authorization server in the plane, for clients that the identity provider does not know. */
export interface AuthServerInput {
  /** Always true; for a configuration that sets nothing else here. Default: true. */ enabled?: true | undefined;
  /** Whether clients may register themselves (RFC 7591). Default: true. */ registration?: boolean | undefined;
  /** Whether the id of a client may be the address of its metadata document. Default: true. */ clientDocuments?: boolean | undefined;
  /** Minutes that an access token counts. Default: 10. */ accessMinutes?: number | undefined;
  /** Days that a client can go on without its person. Default: 30. */ refreshDays?: number | undefined;
  /** Hours that a browser stays signed in. Default: 12. */ sessionHours?: number | undefined;
  /** Clients that you know, by id: programs that sign in as themselves, and clients with a fixed id. */ clients?: Readonly<Record<string, AuthServerClientsInput>> | undefined;
  /** Identity providers whose assertions (ID-JAG) known clients may bring for a person. Default: []. */ assertionIssuers?: readonly string[] | undefined;
}

/** Clients that you know, by id: programs that sign in as themselves, and clients with a fixed id. */
export interface AuthServerClientsInput {
  /** The name that people read. */ name?: string | undefined;
  /** Its secret, best as a reference such as ${SECRET}. */ secret?: string | undefined;
  /** Its public keys (JWK), where it proves itself with private_key_jwt. */ keys?: readonly Readonly<Record<string, Json>>[] | undefined;
  /** The address of its public keys. */ jwksUri?: string | undefined;
  /** Where people may be sent back to; needed only where people sign in with it. Default: []. */ redirectUris?: readonly string[] | undefined;
  /** What it may do as itself; empty for a client that only people sign in with. Default: []. */ scopes?: readonly string[] | undefined;
  /** The groups that it is in as itself. Default: []. */ groups?: readonly string[] | undefined;
}

/** The identity provider that people sign in at. */
export interface AuthSignInInput {
  /** The provider's issuer; its metadata is found there. */ issuer: string;
  /** The plane as a client of the provider. */ clientId: string;
  /** Its secret, best as a reference such as ${SECRET}. */ clientSecret?: string | undefined;
  /** What the provider is asked for. Default: ["openid","email","profile"]. */ scopes?: readonly string[] | undefined;
  /** Where its ID tokens say who the person is; as 'auth.jwt.claims', and the user is 'email'. */ claims?: AuthSignInClaimsInput | undefined;
}

/** Where its ID tokens say who the person is; as 'auth.jwt.claims', and the user is 'email'. */
export interface AuthSignInClaimsInput {
  /** The user; a token without it is refused. Default: "email". */ user?: string | undefined;
  /** A list of strings, or one string. Default: "groups". */ groups?: string | undefined;
  /** A string. Default: "persona". */ persona?: string | undefined;
  /** The most that clients get of this person; by default call. */ scopes?: string | undefined;
  /** A string. Default: "workspace". */ workspace?: string | undefined;
  /** A string. Default: "compliance". */ compliance?: string | undefined;
  /** A list of strings, or one space-separated string. Default: "tool_groups". */ tool_groups?: string | undefined;
}

/** What is known about one user. */
export interface UserInput {
  /** The groups of the user. Default: []. */ groups?: readonly string[] | undefined;
  /** The persona of the user. */ persona?: string | null | undefined;
  /** The workspace of the user. */ workspace?: string | null | undefined;
  /** The compliance level of the user's data. */ compliance?: string | null | undefined;
  /** The tool groups the user may request; default is 'default', * for all. */ tool_groups?: readonly string[] | undefined;
}

/** What one persona may do. */
export interface PersonaInput {
  /** Flags that tools require with requires_flags; only true counts. */ flags?: Readonly<Record<string, Json>> | undefined;
}

export interface ComplianceLevelInput {
  name: string;
  description?: string | undefined;
  aliases?: readonly string[] | undefined;
  allowed_with?: readonly string[] | undefined;
}
