import * as z from "zod/mini";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import type { JsonObject } from "../json.ts";
import type { SeenDefinition } from "./tool-schema.ts";

export const argumentTypes = ["string", "number", "integer", "boolean", "array", "object"] as const;

/** Overrides for one argument of a tool. */
export const ToolArgument = z.strictObject({
  name: z.string().check(z.minLength(1)),
  type: z.optional(z.enum(argumentTypes)),
  description: z.optional(z.string()),
  /** Default: as the server has it. */
  required: z.optional(z.boolean()),
  /** Where the caller leaves it out. */
  default: z.optional(z.json()),
  enum: z.optional(z.array(z.json())),
  /** Neither shown nor settable. */
  hidden: z.optional(z.boolean()),
  /** Always sent; neither shown nor settable. */
  fixed: z.optional(z.json()),
});
export type ToolArgument = z.infer<typeof ToolArgument>;

const shape = /^([^:?]+)(\?)?:([^:]*)(?::(.*))?$/s;

/** `name:type:description`, `name?` is optional; or the problem. */
export function parseArgumentText(text: string): ToolArgument | { problem: string } {
  const [, name = "", optional, type = "", description = ""] = shape.exec(text) ?? [];
  if (name.trim() === "")
    return {
      problem:
        "is not name:type:description, as in 'city:string:Where to look'. A name with a ? is optional.",
    };
  if (/\s/.test(name.trim()))
    return { problem: `has a name with a space: '${name.trim()}'. No caller could give it.` };
  const argumentType = argumentTypes.find((candidate) => candidate === type.trim());
  if (argumentType === undefined)
    return {
      problem: `cannot be read: '${type.trim()}' is not a type. Use ${argumentTypes.join(", ")}.`,
    };
  return {
    name: name.trim(),
    type: argumentType,
    ...withoutUndefined({ description: description.trim() || undefined }),
    required: optional === undefined && !isMarkedOptional(description),
  };
}

/** Many authors say it in the description only. */
export function isMarkedOptional(description: unknown): boolean {
  return typeof description === "string" && /\(optional/i.test(description);
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

/** One way to execute a tool, as declared. */
export const ProviderSpec = z.looseObject({
  name,
  priority: z._default(z.int(), 100),
  health_check_interval: z._default(z.number().check(z.minimum(0)), 300),
  config: z._default(z.record(z.string(), z.json()), {}),
});
/** One way to execute a tool, with what is known about it here. */
export type ProviderSpec = z.infer<typeof ProviderSpec> & {
  /** Why it can never be used as written. */
  unusable?: string;
  /** Where relative references to secrets start. */
  base?: string;
  /** The `config` with its references to variables. */
  written?: JsonObject;
  /** It was set over a face: its address must be one that anyone may name. */
  isJudged?: boolean;
};

/** Results of a tool that only reads, kept for a while. */
export const CacheSettings = z.strictObject({
  /** 0 keeps nothing. */
  ttlMs: z.int().check(z.minimum(0)),
  maxEntries: z._default(z.int().check(z.positive()), 1_000),
  /** One result for all callers. */
  shared: z._default(z.boolean(), false),
});

const toolRemarks = {
  cache: z.optional(CacheSettings),
  /** Equal calls under way share one request. Default: where results are cached. */
  coalesce: z.optional(z.boolean()),
  /** Seconds; 0 is no limit. */
  default_timeout: z.optional(z.int().check(z.minimum(0))),
  /** False serialises calls; unset leaves them to the limits of the server. */
  allow_parallel: z.optional(z.boolean()),
  safety_level: z.optional(z.enum(["low", "medium", "high"])),
  cost_per_call: z.optional(z.number().check(z.minimum(0))),
  cost_unit: z.optional(z.string()),
  rate_limit_per_minute: z.optional(z.int().check(z.positive())),
  persona_allowlist: z.optional(names),
  requires_flags: z.optional(z.record(z.string(), names)),
  /** Default: `default`. */
  group: z.optional(names),
  state: z.optional(z.string()),
  /** Default: any. */
  "applicable-states": z.optional(names),
  workspaces: z.optional(names),
  compliance_level: z.optional(z.string()),
  /** False: listed for people, neither offered nor called. */
  enabled: z.optional(z.boolean()),
  notes: z.optional(z.string()),
};

/** A manifest without name, description and parameters. */
export const ToolMetadata = z.object({
  ...toolRemarks,
  version: z._default(name, "1.0.0"),
  /** `network` says how a tool works and not what it does. */
  side_effects: z._default(SideEffects, "network"),
  auth: z._default(ToolAuth, { required: false }),
  idempotency_key: z._default(
    z.union([z.boolean(), z.looseObject({ required: z.boolean() })]),
    false,
  ),
  requires_consent: z._default(z.boolean(), false),
  capabilities: z._default(names, []),
  examples: z.optional(z.unknown()),
  /** The servers' tools that it calls are offered only through it. */
  exclusive: z.optional(z.boolean()),
});
export type ToolMetadata = z.infer<typeof ToolMetadata>;

export const ToolManifest = z.extend(ToolMetadata, {
  name,
  description: name,
  parameters: z._default(
    z.looseObject({ type: z.literal("object"), required: z.optional(z.array(name)) }),
    {
      type: "object",
    },
  ),
  /** Overrides of `parameters`, or of the server's schema. */
  arguments: z.optional(z.array(ToolArgument)),
  providers: z._default(z.array(ProviderSpec), []),
  /** Default: shared. */
  persona: z.optional(name),
});
export type ToolManifest = z.infer<typeof ToolManifest>;
/** A manifest before defaults are filled in. */
export type WrittenManifest = z.input<typeof ToolManifest>;

/** A server's hints. Only a trusted server's count. */
export type ToolAnnotations = {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
};

/** What is asked of a server, where it is no tool. It goes along the same path. */
export const offerCallKinds = [
  "prompt",
  "resource",
  "completion",
  "subscription",
  "extension",
  "page",
] as const;
export type OfferCallKind = (typeof offerCallKinds)[number];

/** `server` is null for hand-written tools and those of the library. With `kind`, `tool` is `prompts/NAME`, `resources/URI` or `extensions/METHOD`. */
export type ToolId = { server: string | null; tool: string; kind?: OfferCallKind };

/** What a caller may call, as the catalogue lists it. */
export type Tool = {
  id: ToolId;
  /** Unique in its snapshot; for people. */
  name: string;
  /** Unique in its snapshot, for models: `^[A-Za-z0-9_-]{1,64}$`. */
  modelName: string;
  title?: string;
  /** Its server gives the title among the annotations alone, where clients find it, too. */
  hasAnnotatedTitle?: true;
  description: string;
  /** Without injected parameters. */
  parameters: JsonObject;
  injects: string[];
  /** Names a caller may never set, declared or not. */
  reserved: string[];
  /** For arguments that a caller leaves out. */
  defaults?: JsonObject;
  warnings?: string[];
  outputSchema?: JsonObject;
  /** Other fields of its listing, for clients. */
  listed?: JsonObject;
  annotations: ToolAnnotations;
  /** Does the operator trust the server's annotations? */
  trusted: boolean;
  /** Of a server whose package many people use and look at. */
  wellKnown?: true;
  metadata: ToolMetadata;
  /** Configured, or the default for tools without a description? */
  consent: "explicit" | "default";
  /** `side_effects` were said of this tool, not of its whole server. */
  effects?: "explicit";
  groups: string[];
  persona: string | null;
  providers: ProviderSpec[];
  source: string;
  /** An overlay of people stands on top of the server's definition. */
  overlaid?: true;
  /** The hand-written tool it is offered through, and only so. */
  onlyThrough?: string;
};

export const toolImpacts = ["reads", "writes", "destroys", "unknown"] as const;

const readOnly: ReadonlySet<SideEffects> = new Set(["none", "read_external_service", "compute"]);

export function fallbackDescription(server: string, tool: string): string {
  return `MCP tool '${tool}' from server '${server}'`;
}

/** The kind of a provider, numbered where there are several. */
export function providerLabel(spec: ProviderSpec, specs: readonly ProviderSpec[]): string {
  if (specs.length === 1) return spec.name;
  const alike = specs.filter(({ name: kind }) => kind === spec.name);
  if (alike.length <= 1) return spec.name;
  const origin = originOf(spec);
  if (origin === undefined) return `${spec.name}:${alike.indexOf(spec) + 1}`;
  const sameOrigin = alike.filter((candidate) => originOf(candidate) === origin);
  return sameOrigin.length > 1
    ? `${spec.name}:${origin}:${sameOrigin.indexOf(spec) + 1}`
    : `${spec.name}:${origin}`;
}

function originOf({ config: { server, url } }: ProviderSpec): string | undefined {
  return typeof server === "string" ? server : typeof url === "string" ? hostOf(url) : undefined;
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}

/** May it run twice with the same arguments without harm? */
export function isRepeatable(tool: Tool): boolean {
  if (tool.metadata.idempotency_key !== false) return true;
  // The author of a hand-written entry knows what the tool does.
  if (tool.id.server === null && readOnly.has(tool.metadata.side_effects)) return true;
  return (
    tool.trusted &&
    (tool.annotations.idempotentHint === true || tool.annotations.readOnlyHint === true)
  );
}

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

/** `name` is any spelling that names the server. */
export type NamedOverlay = ToolOverlay & { name: string; persona?: undefined };

/** An overlay and its effect. */
export type OverlayView = {
  tool: string;
  /** Null where there is no overlay. */
  source: "stored" | "config" | null;
  /** Without fixed values, unless they refer to a variable. */
  overlay: ToolOverlay;
  /** The server's definition, without injected parameters. */
  listed: SeenDefinition;
  seen: SeenDefinition;
  tokenizer: string;
  warnings: string[];
};
