import * as z from "zod/mini";
import type { JsonObject } from "../json.ts";

export const argumentTypes = ["string", "number", "integer", "boolean", "array", "object"] as const;

/** What is said here about one argument of a tool, on top of what its server says. */
export const ToolArgument = z.strictObject({
  name: z.string().check(z.minLength(1)),
  type: z.optional(z.enum(argumentTypes)),
  description: z.optional(z.string()),
  /** Unsaid, as the server has it; needed where only we know the argument. */
  required: z.optional(z.boolean()),
  /** Filled in where a caller leaves it out. */
  default: z.optional(z.json()),
  enum: z.optional(z.array(z.json())),
  /** Neither shown nor to be set. */
  hidden: z.optional(z.boolean()),
  /** Always sent, neither shown nor to be set. */
  fixed: z.optional(z.json()),
});
export type ToolArgument = z.infer<typeof ToolArgument>;

const shape = /^([^:?]+)(\?)?:([^:]*)(?::(.*))?$/s;

/** `name:type:description`, where the description may hold colons and `name?` is optional; or what is wrong with it. */
export function parseArgumentText(text: string): ToolArgument | { problem: string } {
  const [, name = "", optional, type = "", description = ""] = shape.exec(text) ?? [];
  if (name.trim() === "")
    return {
      problem: "is not name:type:description, as in 'city:string:Where to look'. A name with a ? is optional.",
    };
  const known = argumentTypes.find((one) => one === type.trim());
  if (known === undefined)
    return { problem: `cannot be read: '${type.trim()}' is no type. Use ${argumentTypes.join(", ")}.` };
  return {
    name: name.trim(),
    type: known,
    ...(description.trim() === "" ? {} : { description: description.trim() }),
    required: optional === undefined,
  };
}

export const sideEffects = [
  "none",
  "write",
  "network",
  "read_external_service",
  "filesystem",
  "compute",
  "system",
  "database",
] as const;

export const SideEffects = z.enum(sideEffects);
export type SideEffects = z.infer<typeof SideEffects>;

const name = z.string().check(z.minLength(1));
const names = z.array(z.string());

export const ToolAuth = z.looseObject({
  required: z.boolean(),
  type: z.optional(z.string()),
  scopes: z.optional(names),
  envs: z.optional(z.record(z.string(), z.looseObject({ required: z.optional(z.boolean()) }))),
  docs: z.optional(z.string()),
});
export type ToolAuth = z.infer<typeof ToolAuth>;

/** One way to execute a tool, as a manifest or discovery declares it. */
export const ProviderSpec = z.looseObject({
  name,
  priority: z._default(z.int(), 100),
  health_check_interval: z._default(z.number().check(z.minimum(0)), 300),
  config: z._default(z.record(z.string(), z.json()), {}),
});
/** One way to execute a tool, with what is known about it here. */
export type ProviderSpec = z.infer<typeof ProviderSpec> & {
  /** Why it can never be used as it is written. */
  unusable?: string;
  /** Where relative references to secrets in its `config` start. */
  base?: string;
  /** Its `config` with references to variables, where what is in force is without. */
  written?: JsonObject;
};

/** Optional in manifests and overlays alike. */
const toolRemarks = {
  /** Seconds; 0 means no limit. */
  default_timeout: z.optional(z.int().check(z.minimum(0))),
  /** Unsaid is not no: only what is said to be false makes calls wait for each other. */
  allow_parallel: z.optional(z.boolean()),
  safety_level: z.optional(z.enum(["low", "medium", "high"])),
  cost_per_call: z.optional(z.number().check(z.minimum(0))),
  cost_unit: z.optional(z.string()),
  rate_limit_per_minute: z.optional(z.int().check(z.positive())),
  persona_allowlist: z.optional(names),
  requires_flags: z.optional(z.record(z.string(), names)),
  /** The groups of tools it is in; `default` when unsaid. */
  group: z.optional(names),
  /** What an agent's state becomes when it succeeded. */
  state: z.optional(z.string()),
  /** The states it can be used in; any when unsaid. */
  "applicable-states": z.optional(names),
  /** Only for callers of one of these workspaces; empty for all. */
  workspaces: z.optional(names),
  compliance_level: z.optional(z.string()),
  notes: z.optional(z.string()),
};

/** What a manifest says about a tool beside its name, description and parameters. */
export const ToolMetadata = z.object({
  ...toolRemarks,
  version: z._default(name, "1.0.0"),
  side_effects: SideEffects,
  auth: z._default(ToolAuth, { required: false }),
  idempotency_key: z._default(z.union([z.boolean(), z.looseObject({ required: z.boolean() })]), false),
  requires_consent: z._default(z.boolean(), false),
  capabilities: z._default(names, []),
  examples: z.optional(z.unknown()),
});
export type ToolMetadata = z.infer<typeof ToolMetadata>;

/** A hand-written entry: the metadata plus what identifies and describes the tool. */
export const ToolManifest = z.extend(ToolMetadata, {
  name,
  description: name,
  parameters: z._default(z.looseObject({ type: z.literal("object"), required: z.optional(z.array(name)) }), {
    type: "object",
  }),
  /** What is different from `parameters`, or from what the server says whose tool it calls. */
  arguments: z.optional(z.array(ToolArgument)),
  providers: z._default(z.array(ProviderSpec), []),
  /** The persona it belongs to; shared without. */
  persona: z.optional(name),
});
export type ToolManifest = z.infer<typeof ToolManifest>;
/** The same before defaults are filled in. */
export type WrittenManifest = z.input<typeof ToolManifest>;

/** Hints a server gives about its own tool. Only a trusted server's hints decide anything. */
export type ToolAnnotations = {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
};

/** `server` is null for a tool that a manifest or the library named itself. */
export type ToolId = { server: string | null; tool: string };

/** Something a caller may call, as the registry lists it. */
export type Tool = {
  id: ToolId;
  /** Unique in its snapshot; what people read and type. */
  name: string;
  /** Unique in its snapshot and fit for every model API: `^[A-Za-z0-9_-]{1,64}$`. */
  modelName: string;
  title?: string;
  description: string;
  /** What a caller may set; parameters that are injected are not in it. */
  parameters: JsonObject;
  injects: string[];
  /** Names a caller may never set, declared or not. */
  reserved: string[];
  /** Configured values for arguments that a caller leaves out. */
  defaults?: JsonObject;
  /** What does not fit together in what is said here about the tool. */
  warnings?: string[];
  outputSchema?: JsonObject;
  /** What else its server lists with it and only clients know what to do with. */
  listed?: JsonObject;
  annotations: ToolAnnotations;
  /** Do the annotations come from a server the operator trusts? */
  trusted: boolean;
  metadata: ToolMetadata;
  /** Was consent configured, or is it the default for tools without a description? */
  consent: "explicit" | "default";
  /** Did a person say whether it may run several times at once, or is `allow_parallel` only the default? */
  parallel: "explicit" | "default";
  groups: string[];
  persona: string | null;
  providers: ProviderSpec[];
  source: string;
};

const readOnly: ReadonlySet<SideEffects> = new Set(["none", "read_external_service", "compute"]);

/** What is said of a tool whose server says nothing of it. */
export function fallbackDescription(server: string, tool: string): string {
  return `MCP tool '${tool}' from server '${server}'`;
}

/** What to call one of a tool's providers: its kind, and where several are of that kind, which of them. */
export function providerLabel(spec: ProviderSpec, all: readonly ProviderSpec[]): string {
  if (all.length === 1) return spec.name;
  const alike = all.filter(({ name: kind }) => kind === spec.name);
  if (alike.length <= 1) return spec.name;
  const { server, url } = spec.config;
  const which = typeof server === "string" ? server : typeof url === "string" ? hostOf(url) : undefined;
  const label = which === undefined ? `${spec.name}:${alike.indexOf(spec) + 1}` : `${spec.name}:${which}`;
  const same = alike.filter((other) => other.config.server === server && other.config.url === url);
  return same.length > 1 && which !== undefined ? `${label}:${same.indexOf(spec) + 1}` : label;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** May the tool run twice with the same arguments without harm? */
export function isRepeatable(tool: Tool): boolean {
  if (tool.metadata.idempotency_key !== false) return true;
  // The author of a hand-written entry knows what the tool does.
  if (tool.id.server === null && readOnly.has(tool.metadata.side_effects)) return true;
  return tool.trusted && (tool.annotations.idempotentHint === true || tool.annotations.readOnlyHint === true);
}

/** What is said here about a tool that a server lists: whatever is left out is as the server has it. */
export const ToolOverlay = z.strictObject({
  ...toolRemarks,
  description: z.optional(z.string().check(z.minLength(1))),
  arguments: z.optional(z.array(ToolArgument)),
  version: z.optional(z.string().check(z.minLength(1))),
  side_effects: z.optional(SideEffects),
  idempotency_key: z.optional(z.boolean()),
  requires_consent: z.optional(z.boolean()),
  capabilities: z.optional(z.array(z.string())),
});
export type ToolOverlay = z.infer<typeof ToolOverlay>;

/** An overlay with the name of its tool, in any spelling that says the server. */
export type NamedOverlay = ToolOverlay & { name: string; persona?: undefined };

/** Stands for a fixed value that is shown to nobody; set again, it means the value that is there. */
export const hiddenValue = "«hidden»";

/** A definition as models get it, and what it costs them. */
export type SeenDefinition = { description: string; parameters: JsonObject; tokens: number };

/** What is said here about a tool of a server, and what comes of it. */
export type OverlayView = {
  tool: string;
  /** Who says it: a person while running, the configuration, or nobody. */
  source: "stored" | "config" | null;
  /** Without fixed values, unless they only refer to a variable. */
  overlay: ToolOverlay;
  /** As the server lists it, without what only the system sets. */
  listed: SeenDefinition;
  /** The same under the overlay. */
  seen: SeenDefinition;
  /** How tokens were counted. */
  tokenizer: string;
  warnings: string[];
};
