// Generated from the schema of the configuration by npm run docs. Change the schema instead.
import type { ForeignSections } from "./foreign-config.ts";
import type { Json } from "../json.ts";
import type { ApprovalsInput, BudgetsInput, HooksInput, PolicyInput } from "./policy-input.ts";
import type { InjectionInput, InjectOptionsInput, ServersInput } from "./server-input.ts";
import type { ToolOverlayInput, ToolsInput } from "./tool-input.ts";

/** A configuration in code: what a file may hold, checked by the compiler. */
export interface ConfigInput extends ForeignSections<ServersInput> {
  /** Where editors find this schema. */
  $schema?: string | undefined;
  /** The MCP servers, by name. */
  mcpServers?: ServersInput | undefined;
  /** Hand-written tools, by name: manifests with their providers. */
  tools?: ToolsInput | undefined;
  /** What you say about tools that servers list, by server.tool; what is left out is as the server has it. */
  overlays?: Readonly<Record<string, ToolOverlayInput>> | undefined;
  /** Variables for all local servers; a server's own 'env' wins. */
  env?: Readonly<Record<string, string>> | undefined;
  /** Variables of the plane's environment that all local servers get beside the default ones: names or globs, or true for all. */
  inheritEnv?: boolean | readonly string[] | undefined;
  /** Parameters that only the system sets, for all servers and hand-written tools; see mcpServers.inject. Default: []. */
  inject?: readonly InjectionInput[] | undefined;
  /** How tools are told of other tools in _mcp_data, where their server says nothing else. */
  inject_options?: InjectOptionsInput | undefined;
  /** Globs of manifest files to read, from where this file is; manifest.schema.json says what they hold. Default: []. */
  manifests?: readonly string[] | undefined;
  /** Named selections of tools with a budget. */
  toolsets?: Readonly<Record<string, ToolsetInput>> | undefined;
  /** Models, by name. */
  models?: Readonly<Record<string, ModelInput>> | undefined;
  /** What servers may ask of the models, in the middle of a call; agents.md tells more. */
  sampling?: SamplingInput | undefined;
  /** What runs, what is asked about, what is refused. */
  policy?: PolicyInput | undefined;
  /** Programs that are asked about calls; hooks.md tells how. */
  hooks?: HooksInput | undefined;
  /** Questions to people. */
  approvals?: ApprovalsInput | undefined;
  /** What the tools of a conversation may take. */
  budgets?: BudgetsInput | undefined;
  /** How much of the catalogue a client sees at first. */
  lazy?: LazyInput | undefined;
  /** How tools are searched for. */
  search?: SearchInput | undefined;
  /** What becomes of results that are too large to be shown whole. */
  results?: ResultsInput | undefined;
  /** The record of calls. */
  calls?: CallsInput | undefined;
  /** Runs of jobs; jobs.md tells more. */
  jobs?: JobsInput | undefined;
  /** What is done about definitions of tools that change or look poisoned; quality.md tells more. */
  security?: SecurityInput | undefined;
  /** Entries of the catalogue that come from other planes. */
  bundles?: BundlesInput | undefined;
  /** sqlite, or postgres://… to share the state between planes. Default: "sqlite". */
  store?: string | undefined;
  /** Seals the tokens in the store: 32 bytes as hex or base64, by reference such as ${VAULT_KEY}. Planes on one store need the same; without it each has its own in its data directory. */
  vaultKey?: string | undefined;
  /** How callers prove who they are. */
  auth?: AuthInput | undefined;
  /** What is known about users, by name. */
  users?: Readonly<Record<string, UserInput>> | undefined;
  /** What personas may do, by name. */
  personas?: Readonly<Record<string, PersonaInput>> | undefined;
  /** Which levels of data go together: default for those that come with Toolplane, or your own as {levels, unknown}; see access.md. Without it levels have no effect. */
  compliance?: "default" | { levels?: readonly ComplianceLevelInput[] | undefined; unknown?: "permissive" | "strict" | undefined } | null | undefined;
}

/** A selection of tools with a budget. */
export interface ToolsetInput {
  /** The servers whose tools are in it. Default: []. */
  providers?: readonly string[] | undefined;
  /** Which of their tools; null for all. */
  allow_tools?: readonly string[] | null | undefined;
  /** The maximum of tool-call turns; null for 5, or 10 in the style react. */
  max_tool_call_turns?: number | null | undefined;
  /** Limit of each call in seconds. */
  timeout_sec?: number | null | undefined;
}

/** A model for agents. */
export interface ModelInput {
  /** The kind of endpoint. Default: "openai-compatible". */
  provider?: string | undefined;
  /** Its address. */
  baseURL?: string | undefined;
  /** The model's name there. */
  model: string;
  /** The key, best as a reference such as ${KEY}. */
  apiKey?: string | undefined;
}

/** What servers may ask of the models, in the middle of a call; agents.md tells more. */
export interface SamplingInput {
  /** false: servers are not told that they could. Default: true. */
  enabled?: boolean | undefined;
  /** allow, ask or deny; left out, the profile decides: personal allows, guarded asks unless the server is trusted, strict asks. */
  verdict?: "allow" | "ask" | "deny" | null | undefined;
  /** Which model answers where the server gives no hint that fits; 'default', or the first. */
  model?: string | null | undefined;
  /** The most that one answer may have; a server that says nothing gets 512. Default: 10000. */
  maxTokens?: number | undefined;
  /** How often one call of a tool may ask. Default: 10. */
  maxCallsPerToolCall?: number | undefined;
}

/** How much of the catalogue a client sees at first. */
export interface LazyInput {
  /** Are definitions loaded when they are needed? auto: where all of them are more than the threshold. A client may choose for itself with 'mode'. Default: "auto". */
  mode?: "auto" | "always" | "never" | undefined;
  /** The threshold. Default: 8000. */
  thresholdTokens?: number | undefined;
  /** Tools that are always shown in full: names in any spelling, globs, or a part of the name. Default: []. */
  alwaysLoadTools?: readonly string[] | undefined;
  /** Characters of a description in a summary. Default: 100. */
  summaryDescriptionLimit?: number | undefined;
  /** How many tools a search loads. Default: 5. */
  maxToolsPerSearch?: number | undefined;
  /** What the definitions may cost that one client has loaded; those that were not used for longest go first. Default: 12000. */
  maxLoadedTokens?: number | undefined;
  /** all: a client may call what it has not searched for. found: only what a search or a list has shown it, and what is always loaded. Default: "all". */
  callable?: "all" | "found" | undefined;
}

/** How tools are searched for. */
export interface SearchInput {
  /** Words and lists of others that are looked for in their place, a little less; over the usual ones of that word, and with an empty list none. */
  synonyms?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** What becomes of results that are too large to be shown whole. */
export interface ResultsInput {
  /** Characters of text that an MCP client gets whole; of more, or of half as much structured content, it gets a handle. 0 for no limit. Default: 8000. */
  maxInlineBytes?: number | undefined;
  /** How long a large result is kept. Default: 86400000. */
  keepMs?: number | undefined;
  /** What all of them may take in the store; the oldest go first. Default: 268435456. */
  maxStoredBytes?: number | undefined;
  /** false: the tool 'read_result' is not offered. Default: true. */
  builtinTool?: boolean | undefined;
}

/** The record of calls. */
export interface CallsInput {
  /** How many days a call stays in the record, 0 for ever. Default: 90. */
  keepDays?: number | undefined;
}

/** Runs of jobs; jobs.md tells more. */
export interface JobsInput {
  /** How many runs of all jobs a plane does at a time; more wait. Default: 8. */
  concurrency?: number | undefined;
  /** How many days a run that is over stays in the history, 0 for ever. Default: 30. */
  keepDays?: number | undefined;
}

/** What is done about definitions of tools that change or look poisoned; quality.md tells more. */
export interface SecurityInput {
  /** A definition that is not the one that was first seen: off, warn, or quarantine until it is accepted. Default: "quarantine". */
  pinning?: "off" | "warn" | "quarantine" | undefined;
  /** A tool that a known server did not have before: accept, or quarantine. Default: "accept". */
  newTools?: "accept" | "quarantine" | undefined;
  /** Hidden text and orders to the model: off, warn, or quarantine. Left out, what is certain is quarantined and the rest warned about. */
  poisoning?: "off" | "warn" | "quarantine" | null | undefined;
}

/** Entries of the catalogue that come from other planes. */
export interface BundlesInput {
  /** Fingerprints of the keys whose bundles are taken over; our own is always trusted. Default: []. */
  trustedKeys?: readonly string[] | undefined;
}

/** How callers prove who they are. */
export interface AuthInput {
  /** Tokens of an identity provider. */
  jwt?: JwtInput | undefined;
}

/** Tokens of an identity provider. */
export interface JwtInput {
  /** Who must have issued them, to the letter. */
  issuer: string;
  /** Whom they must be meant for, to the letter. */
  audience: string;
  /** Where the keys are; the issuer's metadata says it when left out. */
  jwksUri?: string | undefined;
  /** Which claim holds what; dots lead into objects. */
  claims?: ClaimsInput | undefined;
}

/** Which claim holds what; dots lead into objects. */
export interface ClaimsInput {
  /** Who the bearer is; a token without it is refused. Default: "sub". */
  user?: string | undefined;
  /** A list of texts, or one text. Default: "groups". */
  groups?: string | undefined;
  /** A text. Default: "persona". */
  persona?: string | undefined;
  /** read, call, admin or *, and nothing else counts; when left out it is 'scope', and call where that names none of them. */
  scopes?: string | undefined;
  /** A text. Default: "workspace". */
  workspace?: string | undefined;
  /** A text. Default: "compliance". */
  compliance?: string | undefined;
  /** A list of texts, or one text with spaces between them. Default: "tool_groups". */
  tool_groups?: string | undefined;
}

/** What is known about one user. */
export interface UserInput {
  /** The groups of the user. Default: []. */
  groups?: readonly string[] | undefined;
  /** The persona of the user. */
  persona?: string | null | undefined;
  /** The workspace of the user. */
  workspace?: string | null | undefined;
  /** The level of the data that the user works with. */
  compliance?: string | null | undefined;
  /** The groups of tools the user may ask for; default when left out, * for all. */
  tool_groups?: readonly string[] | undefined;
}

/** What one persona may do. */
export interface PersonaInput {
  /** Switches that tools ask for with requires_flags; only true is on. */
  flags?: Readonly<Record<string, Json>> | undefined;
}

export interface ComplianceLevelInput {
  name: string;
  description?: string | undefined;
  aliases?: readonly string[] | undefined;
  allowed_with?: readonly string[] | undefined;
}
