import * as z from "zod/mini";
import { Compliance } from "../access/compliance.ts";
import { HookSettings } from "../access/hook.ts";
import { InjectionEntry, InjectOptions } from "../access/injection.ts";
import { JwtIssuer } from "../access/jwt-issuer.ts";
import { Policy } from "../access/policy.ts";
import { ToolManifest, ToolOverlay } from "../catalogue/tool.ts";
import { InheritEnv, ServerDefinition } from "../servers/server.ts";
import type { JobManifest, TaskManifest } from "../work/job.ts";
import type { SkillManifest } from "../work/skill.ts";

/** For every unit alike, or by unit; null for no limit. */
const MaxCost = z.nullable(
  z.union([z.number().check(z.minimum(0)), z.record(z.string(), z.number().check(z.minimum(0)))], {
    error: "must be a number from 0 on, such numbers by unit, or null for no limit",
  }),
);

/** Limits of a conversation. */
export const Budgets = z.strictObject({
  /** 0 is no limit. */
  maxToolDurationMs: z._default(z.int().check(z.minimum(0)), 120_000),
  maxCost: z._default(MaxCost, null),
  /** For all conversations of a persona. */
  perPersona: z._default(z.record(z.string(), z.strictObject({ maxCost: z._default(MaxCost, null) })), {}),
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

const texts = z.array(z.string());
/** At any depth; only `true` is on. */
const Flags = z.record(z.string(), z.json());

/** For definitions that change or hide instructions. */
const Security = z.strictObject({
  pinning: z._default(z.enum(["off", "warn", "quarantine"]), "quarantine"),
  newTools: z._default(z.enum(["accept", "quarantine"]), "accept"),
  /** Null: certain findings are quarantined, others warn. */
  poisoning: z._default(z.nullable(z.enum(["off", "warn", "quarantine"])), null),
});

/** A named selection of tools with a budget. */
export const ToolsetDefinition = z.strictObject({
  providers: z._default(z.array(z.string()), []),
  allow_tools: z._default(z.nullable(z.array(z.string())), null),
  /** Null: the default of the run's style. */
  max_tool_call_turns: z._default(z.nullable(z.int().check(z.minimum(1))), null),
  timeout_sec: z._default(z.nullable(z.number().check(z.positive())), null),
});
export type ToolsetDefinition = z.infer<typeof ToolsetDefinition>;

const SamplingSettings = z.strictObject({
  enabled: z._default(z.boolean(), true),
  /** Null: by the profile. */
  verdict: z._default(z.nullable(z.enum(["allow", "ask", "deny"])), null),
  model: z._default(z.nullable(z.string()), null),
  maxTokens: z._default(z.int().check(z.positive()), 10_000),
  maxCallsPerToolCall: z._default(z.int().check(z.minimum(0)), 10),
});

export const ModelDefinition = z.strictObject({
  provider: z._default(z.string(), "openai-compatible"),
  baseURL: z.optional(z.url()),
  model: z.string(),
  apiKey: z.optional(z.string()),
});

/** The normal form of every configuration shape. */
export const ConfigValues = z.strictObject({
  servers: z._default(z.record(z.string(), ServerDefinition), {}),
  tools: z._default(z.record(z.string(), ToolManifest), {}),
  overlays: z._default(z.record(z.string(), ToolOverlay), {}),
  env: z._default(z.record(z.string(), z.string()), {}),
  inheritEnv: z.optional(InheritEnv),
  inject: z._default(z.array(InjectionEntry), []),
  inject_options: z._default(InjectOptions, {}),
  manifests: z._default(z.array(z.string()), []),
  toolsets: z._default(z.record(z.string(), ToolsetDefinition), {}),
  models: z._default(z.record(z.string(), ModelDefinition), {}),
  sampling: z._default(SamplingSettings, {
    enabled: true,
    verdict: null,
    model: null,
    maxTokens: 10_000,
    maxCallsPerToolCall: 10,
  }),
  policy: z._default(Policy, { profile: null, mode: "build", rules: [], effects: {} }),
  hooks: z._default(HookSettings, {
    PermissionRequest: [],
    PreToolUse: [],
    PostToolUse: [],
    SessionStart: [],
    SessionEnd: [],
  }),
  approvals: z._default(
    z.strictObject({
      timeoutMs: z._default(z.int().check(z.positive()), 300_000),
      allowEdit: z._default(z.boolean(), true),
      approvers: z._default(texts, []),
      rememberConsent: z._default(z.boolean(), true),
    }),
    { timeoutMs: 300_000, allowEdit: true, approvers: [], rememberConsent: true },
  ),
  budgets: z._default(Budgets, { maxToolDurationMs: 120_000, maxCost: null, perPersona: {} }),
  lazy: z._default(
    z.strictObject({
      mode: z._default(z.enum(["auto", "always", "never"]), "auto"),
      thresholdTokens: z._default(z.int().check(z.minimum(0)), 8_000),
      alwaysLoadTools: z._default(z.array(z.string()), []),
      summaryDescriptionLimit: z._default(z.int().check(z.positive()), 100),
      maxToolsPerSearch: z._default(z.int().check(z.positive()), 5),
      maxLoadedTokens: z._default(z.int().check(z.positive()), 12_000),
      callable: z._default(z.enum(["all", "found"]), "all"),
    }),
    {
      mode: "auto",
      thresholdTokens: 8_000,
      alwaysLoadTools: [],
      summaryDescriptionLimit: 100,
      maxToolsPerSearch: 5,
      maxLoadedTokens: 12_000,
      callable: "all",
    },
  ),
  search: z._default(z.strictObject({ synonyms: z._default(z.record(z.string(), texts), {}) }), {
    synonyms: {},
  }),
  results: z._default(
    z.strictObject({
      /** Characters; 0 is no limit. */
      maxInlineBytes: z._default(z.int().check(z.minimum(0)), 8_000),
      keepMs: z._default(z.int().check(z.positive()), 86_400_000),
      maxStoredBytes: z._default(z.int().check(z.positive()), 268_435_456),
      builtinTool: z._default(z.boolean(), true),
    }),
    { maxInlineBytes: 8_000, keepMs: 86_400_000, maxStoredBytes: 268_435_456, builtinTool: true },
  ),
  calls: z._default(
    z.strictObject({
      /** 0 is for ever. */
      keepDays: z._default(z.int().check(z.minimum(0)), 90),
    }),
    { keepDays: 90 },
  ),
  jobs: z._default(
    z.strictObject({
      concurrency: z._default(z.int().check(z.minimum(1)), 8),
      /** 0 is for ever. */
      keepDays: z._default(z.int().check(z.minimum(0)), 30),
    }),
    { concurrency: 8, keepDays: 30 },
  ),
  security: z._default(Security, { pinning: "quarantine", newTools: "accept", poisoning: null }),
  bundles: z._default(z.strictObject({ trustedKeys: z._default(z.array(z.string()), []) }), {
    trustedKeys: [],
  }),
  store: z._default(z.string(), "sqlite"),
  /** The same for all planes on one store. */
  vaultKey: z.optional(z.string()),
  auth: z._default(z.strictObject({ jwt: z.optional(JwtIssuer) }), {}),
  users: z._default(
    z.record(
      z.string(),
      z.strictObject({
        groups: z._default(z.array(z.string()), []),
        persona: z._default(z.nullable(z.string()), null),
        workspace: z.optional(z.nullable(z.string())),
        compliance: z.optional(z.nullable(z.string())),
        tool_groups: z.optional(texts),
      }),
    ),
    {},
  ),
  personas: z._default(z.record(z.string(), z.strictObject({ flags: z._default(Flags, {}) })), {}),
  compliance: z._default(Compliance, null),
});
export type ConfigValues = z.infer<typeof ConfigValues>;

/** The values, the problems and the source files. */
export type Config = ConfigValues & {
  fromManifests: Manifests;
  /** Why configured servers cannot run. */
  broken: Record<string, string>;
  problems: ConfigProblem[];
  files: string[];
};

export type ConfigProblem = {
  file: string;
  line: number | null;
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
export function renderProblem({ file, line, path, message, hint }: ConfigProblem): string {
  const place = line === null ? file : `${file}:${line}`;
  const reason = /[.?!…]$/.test(message) ? message : `${message}.`;
  return `${place}: ${path === "" ? "" : `${path}: `}${reason}${hint === null ? "" : ` ${hint}`}`;
}

export function renderProblems(problems: readonly ConfigProblem[]): string {
  return problems.map(renderProblem).join("\n");
}
