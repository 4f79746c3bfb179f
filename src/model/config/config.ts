import * as z from "zod/mini";
import { parseAllowed } from "../../lib/net/allow-list.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { countOf } from "../../lib/text/wording.ts";
import { authFields } from "../access/auth-settings.ts";
import { Compliance } from "../access/compliance.ts";
import { HookSettings } from "../access/hook.ts";
import { InjectionEntry, InjectOptions } from "../access/injection.ts";
import { Policy } from "../access/policy.ts";
import { ToolManifest, ToolOverlay } from "../catalogue/tool.ts";
import { defaultRetry, InheritEnv, retryFields, ServerDefinition } from "../servers/server.ts";
import type { JobManifest, TaskManifest } from "../work/job.ts";
import type { SkillManifest } from "../work/skill.ts";
import { durabilities } from "./settings.ts";

const names = z._default(z.array(z.string()), []);
const count = z.int().check(z.minimum(0));
const positive = z.int().check(z.positive());
const yes = z._default(z.boolean(), true);

/** A section that may be missing: then its keys have their own defaults. */
function section<T extends z.core.$ZodShape>(
  shape: T,
): z.ZodMiniDefault<z.ZodMiniObject<T, z.core.$strict>> {
  const schema = z.strictObject(shape) as z.ZodMiniObject<T, z.core.$strict>;
  return z._default(schema, () => schema.parse({}) as never);
}

function byName<T extends z.core.SomeType>(schema: T) {
  return z._default(z.record(z.string(), schema), {});
}

/** For every unit alike, or by unit; null for no limit. */
const maxCost = z._default(
  z.nullable(
    z.union(
      [z.number().check(z.minimum(0)), z.record(z.string(), z.number().check(z.minimum(0)))],
      {
        error: "must be a number >= 0, such numbers by unit, or null for no limit",
      },
    ),
  ),
  null,
);

export const Budgets = section({
  /** 0 is no limit. */
  maxToolDurationMs: z._default(count, 120_000),
  maxCost,
  /** For all conversations of a persona. */
  perPersona: byName(z.strictObject({ maxCost })),
});
export type Budgets = z.infer<typeof Budgets>;

/** `source` is what others see of the file. */
export type FromFile<T> = T & { file: string; source: string };

/** Sorted by persona and name. */
export type Manifests = {
  tools: FromFile<ToolManifest>[];
  skills: FromFile<SkillManifest>[];
  tasks: FromFile<TaskManifest>[];
  jobs: FromFile<JobManifest>[];
};

/** A named selection of tools with a budget. */
export const ToolsetDefinition = z.strictObject({
  providers: names,
  allow_tools: z._default(z.nullable(z.array(z.string())), null),
  /** Null: the default of the run's style. */
  max_tool_call_turns: z._default(z.nullable(z.int().check(z.minimum(1))), null),
  timeout_sec: z._default(z.nullable(z.number().check(z.positive())), null),
});
export type ToolsetDefinition = z.infer<typeof ToolsetDefinition>;

const pricePerMillion = z.number().check(z.minimum(0));

const ModelPrice = z.strictObject({
  input: pricePerMillion,
  output: pricePerMillion,
  cached: z.optional(pricePerMillion),
  currency: z._default(z.string().check(z.minLength(1)), "USD"),
});
export type ModelPrice = z.infer<typeof ModelPrice>;

export const ModelDefinition = z.strictObject({
  provider: z._default(z.string(), "openai-compatible"),
  baseURL: z.optional(
    z
      .string()
      .check(z.regex(/^https?:\/\/\S+$/, "must be an address that begins with http: or https:")),
  ),
  model: z.string(),
  apiKey: z.optional(z.string()),
  price: z.optional(ModelPrice),
});

const maxIntervalMs = 3_600_000;

/** Where spans and metrics are sent. */
export const OtlpSettings = z.strictObject({
  /** Empty: nothing is sent. */
  endpoint: z
    .string()
    .check(z.regex(/^(https?:\/\/\S+)?$/, "must be an address that begins with http: or https:")),
  headers: z._default(z.union([z.record(z.string(), z.string()), z.string()]), {}),
  traces: yes,
  metrics: yes,
  intervalMs: z._default(z.int().check(z.minimum(100), z.maximum(maxIntervalMs)), 10_000),
  serviceName: z._default(z.string().check(z.minLength(1)), "toolplane"),
});
export type OtlpSettings = z.infer<typeof OtlpSettings>;

/** Where the MCP project publishes servers; the only registry that is asked unless `registries` names others. */
export const officialRegistry = "https://registry.modelcontextprotocol.io";

/** A path, or the name of a package; with its settings. */
export const ExtensionUse = z.strictObject({
  use: z.string().check(z.minLength(1)),
  with: z._default(z.record(z.string(), z.json()), {}),
});
export type ExtensionUse = z.infer<typeof ExtensionUse>;

/** As a configuration writes it. */
export const ExtensionEntry = z.union(
  [
    z.pipe(
      z.string().check(z.minLength(1)),
      z.transform((use): ExtensionUse => ({ use, with: {} })),
    ),
    ExtensionUse,
  ],
  { error: ({ input }) => problemWithUse(input) },
);

export function problemWithUse(entry: unknown): string {
  const forms = "a path, the name of a package, or an object with 'use' and 'with'";
  if (typeof entry !== "object" || entry === null || Array.isArray(entry))
    return `must be ${forms}`;
  const knownKeys = Object.keys(ExtensionUse.shape);
  const unknownKey = Object.keys(entry).find((key) => !knownKeys.includes(key));
  if (unknownKey !== undefined) {
    const suggestions = nearest(unknownKey, knownKeys, 1).map(
      (knownKey) => ` (did you mean '${knownKey}'?)`,
    );
    return `has '${unknownKey}', which is unknown; it can have 'use' and 'with'${suggestions.join("")}`;
  }
  const { use, with: settings } = entry as { use?: unknown; with?: unknown };
  if (typeof use !== "string" || use === "")
    return "has no 'use': a path, or the name of a package";
  const isText = typeof settings === "string";
  return `must have an object of settings by name as its 'with'${isText ? ", not a string" : ""}`;
}

/** The normal form of every configuration shape. */
export const ConfigValues = z.strictObject({
  servers: byName(ServerDefinition),
  tools: byName(ToolManifest),
  overlays: byName(ToolOverlay),
  env: byName(z.string()),
  inheritEnv: z.optional(InheritEnv),
  inject: z._default(z.array(InjectionEntry), []),
  inject_options: z._default(InjectOptions, {}),
  manifests: names,
  toolsets: byName(ToolsetDefinition),
  models: byName(ModelDefinition),
  sampling: section({
    enabled: yes,
    /** Null: by the profile. */
    verdict: z._default(z.nullable(z.enum(["allow", "ask", "deny"])), null),
    model: z._default(z.nullable(z.string()), null),
    maxTokens: z._default(positive, 10_000),
    maxCallsPerToolCall: z._default(count, 10),
  }),
  policy: z._default(Policy, { profile: null, mode: "build", rules: [], effects: {} }),
  hooks: z._default(HookSettings, () => HookSettings.parse({})),
  extensions: z._default(z.array(ExtensionEntry), []),
  approvals: section({
    /** How long the call of an MCP client is held open. */
    holdMs: z._default(positive, 300_000),
    /** How long a question lives. Default: a day, and an hour in the profile `personal`. */
    expireMs: z.optional(positive),
    /** Of 0.3: sets both, where they are not set. */
    timeoutMs: z.optional(positive),
    /** What becomes of a question whose caller cancels or leaves. Default: by the caller. */
    onCallerGone: z.optional(z.enum(["keep", "cancel"])),
    allowEdit: yes,
    approvers: names,
    fourEyes: z._default(z.boolean(), false),
    /** How many different people must approve. */
    threshold: z._default(z.int().check(z.minimum(1)), 1),
    rememberConsent: yes,
  }),
  budgets: Budgets,
  retry: section({
    attempts: z._default(retryFields.attempts, defaultRetry.attempts),
    delayMs: z._default(retryFields.delayMs, defaultRetry.delayMs),
    maxDelayMs: z._default(retryFields.maxDelayMs, defaultRetry.maxDelayMs),
  }),
  lazy: section({
    mode: z._default(z.enum(["auto", "always", "never", "code"]), "auto"),
    thresholdTokens: z._default(count, 8_000),
    alwaysLoadTools: names,
    summaryDescriptionLimit: z._default(positive, 100),
    maxToolsPerSearch: z._default(positive, 5),
    maxLoadedTokens: z._default(positive, 12_000),
    callable: z._default(z.enum(["all", "found"]), "all"),
  }),
  search: section({
    synonyms: byName(z.array(z.string())),
    /** Null: the built-in vectors. */
    embeddings: z._default(z.nullable(z.strictObject({ model: z.string() })), null),
    learn: z._default(z.boolean(), false),
  }),
  results: section({
    /** Characters; 0 is no limit. */
    maxInlineBytes: z._default(count, 8_000),
    keepMs: z._default(positive, 86_400_000),
    maxStoredBytes: z._default(positive, 268_435_456),
    store: z.optional(z.string()),
    builtinTool: yes,
    /** For what models read. */
    redact: section({
      secrets: z._default(z.boolean(), false),
      entropy: z._default(z.boolean(), false),
      patterns: names,
    }),
  }),
  // 0 days is for ever.
  calls: section({ keepDays: z._default(count, 90), maxBytes: z._default(count, 17_179_869_184) }),
  /** Of one caller at a time. */
  quotas: section({
    maxHeldOpen: z._default(positive, 32),
    maxSessionsPerCaller: z._default(positive, 1_000),
  }),
  audit: section({
    required: z._default(z.boolean(), false),
    hmacKey: z.optional(z.string()),
    signingKey: z.optional(z.string()),
    rootFile: z.optional(z.string()),
    rootWebhook: z.optional(z.string()),
  }),
  observability: section({
    otlp: z._default(z.nullable(OtlpSettings), null),
    keepPayloads: z._default(z.boolean(), false),
    payloadDays: z._default(positive, 7),
  }),
  jobs: section({
    concurrency: z._default(z.int().check(z.minimum(1)), 8),
    keepDays: z._default(count, 30),
  }),
  /** For definitions that change or hide instructions. */
  security: section({
    pinning: z._default(z.enum(["off", "warn", "quarantine"]), "quarantine"),
    newTools: z._default(z.enum(["accept", "quarantine"]), "accept"),
    /** Null: certain findings are quarantined, others warn. */
    poisoning: z._default(z.nullable(z.enum(["off", "warn", "quarantine"])), null),
    allowOrigins: z._default(
      z.array(
        z
          .string()
          .check(
            z.refine(
              (entry) => URL.parse(entry)?.origin === entry && /^https?:/.test(entry),
              "must be an origin such as https://app.example.org, without a path",
            ),
          ),
      ),
      [],
    ),
    egress: section({
      allow: z._default(
        z.array(
          z
            .string()
            .check(
              z.refine(
                (entry) => parseAllowed(entry) !== null,
                "must be a host, an address or a network such as 10.0.0.0/8",
              ),
            ),
        ),
        [],
      ),
    }),
  }),
  registries: z._default(z.array(z.url({ protocol: /^https?$/ })), [officialRegistry]),
  bundles: section({ trustedKeys: names }),
  store: z._default(z.string(), "sqlite"),
  durability: z.optional(z.enum(durabilities)),
  /** Must be equal for all planes on one store. */
  vaultKey: z.optional(z.string()),
  /** `mcp.TOOL` is a tool of this server. */
  defaultServer: z.optional(z.string().check(z.minLength(1))),
  auth: section(authFields),
  users: byName(
    z.strictObject({
      groups: names,
      persona: z._default(z.nullable(z.string()), null),
      workspace: z.optional(z.nullable(z.string())),
      compliance: z.optional(z.nullable(z.string())),
      tool_groups: z.optional(z.array(z.string())),
    }),
  ),
  // Flags at any depth; only `true` is on.
  personas: byName(z.strictObject({ flags: byName(z.json()) })),
  compliance: z._default(Compliance, null),
});
export type ConfigValues = z.infer<typeof ConfigValues>;

export type Config = ConfigValues & {
  fromManifests: Manifests;
  broken: Record<string, string>;
  /** Servers of a project that no person has trusted yet, and own ones that would work in a directory that is not trusted. */
  untrusted: Record<string, UntrustedServer>;
  /** Servers of the user's own that work in the directory they are used in, trusted or not. */
  inWorkspace: string[];
  /** Without a configuration: by server, the clients that have it. */
  foundIn?: Record<string, string[]>;
  problems: ConfigProblem[];
  files: string[];
};

/** `why` where it is another reason than for a server of a project. */
export type UntrustedServer = {
  launch: string;
  hash: string;
  why?: { what: string; remedy: string };
};

export type ConfigProblem = {
  file: string;
  line: number | null;
  /** Where the file cannot be parsed. */
  column?: number;
  /** As the file spells it. */
  path: string;
  /** In the normal form, where different. */
  key?: string;
  /** A manifest's persona; null when shared. */
  owner?: string | null;
  /** The manifest with the problem. */
  entry?: { kind: string; name: string };
  severity: "error" | "warning";
  message: string;
  hint: string | null;
};

/** File, line, place, reason and remedy on one line. */
export function renderConfigProblem({
  file,
  line,
  column,
  path,
  message,
  hint,
}: ConfigProblem): string {
  const location = [file, line, column]
    .filter((part) => part !== null && part !== undefined)
    .join(":");
  const reason = /[.?!…]$/.test(message) ? message : `${message}.`;
  return `${location}: ${path === "" ? "" : `${path}: `}${reason}${hint === null ? "" : ` ${hint}`}`;
}

/** `1 error and 2 warnings`. */
export function countProblems(problems: readonly ConfigProblem[]): string {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const warnings = problems.length - errors;
  const counts = [
    ...(errors > 0 ? [countOf(errors, "error")] : []),
    ...(warnings > 0 ? [countOf(warnings, "warning")] : []),
  ];
  return counts.join(" and ");
}

export function renderProblems(problems: readonly ConfigProblem[]): string {
  return problems.map(renderConfigProblem).join("\n");
}
