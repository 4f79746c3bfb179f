import * as z from "zod/mini";
import type { Manifests } from "./manifests.ts";
import { ServerDefinition } from "./server.ts";
import { SideEffects, ToolManifest } from "./tool.ts";

export const PolicyRule = z.strictObject({
  tool: z.optional(z.string()),
  server: z.optional(z.string()),
  side_effects: z.optional(z.array(SideEffects)),
  groups: z.optional(z.array(z.string())),
  arguments: z.optional(z.record(z.string(), z.string())),
  verdict: z.enum(["allow", "ask", "queue", "deny"]),
  reason: z.optional(z.string()),
});
export type PolicyRule = z.infer<typeof PolicyRule>;

export const Policy = z.strictObject({
  profile: z._default(z.enum(["personal", "guarded", "strict"]), "personal"),
  mode: z._default(z.enum(["build", "plan", "review", "debug"]), "build"),
  rules: z._default(z.array(PolicyRule), []),
});
export type Policy = z.infer<typeof Policy>;

/** A named selection of tools with a budget. */
export const ToolsetDefinition = z.strictObject({
  providers: z._default(z.array(z.string()), []),
  allow_tools: z._default(z.nullable(z.array(z.string())), null),
  max_tool_call_turns: z._default(z.int().check(z.minimum(1)), 5),
  timeout_sec: z._default(z.nullable(z.number().check(z.positive())), null),
});
export type ToolsetDefinition = z.infer<typeof ToolsetDefinition>;

export const ModelDefinition = z.strictObject({
  provider: z._default(z.string(), "openai-compatible"),
  baseURL: z.optional(z.url()),
  model: z.string(),
  apiKey: z.optional(z.string()),
});

/** The normal form that every configuration shape is translated into. */
export const ConfigValues = z.strictObject({
  servers: z._default(z.record(z.string(), ServerDefinition), {}),
  tools: z._default(z.record(z.string(), ToolManifest), {}),
  manifests: z._default(z.array(z.string()), []),
  toolsets: z._default(z.record(z.string(), ToolsetDefinition), {}),
  models: z._default(z.record(z.string(), ModelDefinition), {}),
  policy: z._default(Policy, { profile: "personal", mode: "build", rules: [] }),
  approvals: z._default(
    z.strictObject({
      timeoutMs: z._default(z.int().check(z.positive()), 300_000),
      allowEdit: z._default(z.boolean(), true),
    }),
    { timeoutMs: 300_000, allowEdit: true },
  ),
  lazy: z._default(
    z.strictObject({
      mode: z._default(z.enum(["auto", "always", "never"]), "auto"),
      thresholdTokens: z._default(z.int().check(z.minimum(0)), 8_000),
      alwaysLoadTools: z._default(z.array(z.string()), []),
      summaryDescriptionLimit: z._default(z.int().check(z.positive()), 100),
      maxToolsPerSearch: z._default(z.int().check(z.positive()), 5),
    }),
    {
      mode: "auto",
      thresholdTokens: 8_000,
      alwaysLoadTools: [],
      summaryDescriptionLimit: 100,
      maxToolsPerSearch: 5,
    },
  ),
  store: z._default(z.string(), "sqlite"),
  auth: z._default(
    z.strictObject({
      jwt: z.optional(
        z.strictObject({
          issuer: z.string(),
          audience: z.string(),
          jwksUri: z.optional(z.string()),
          claims: z._default(z.record(z.string(), z.string()), {}),
        }),
      ),
    }),
    {},
  ),
  users: z._default(
    z.record(
      z.string(),
      z.strictObject({
        groups: z._default(z.array(z.string()), []),
        persona: z._default(z.nullable(z.string()), null),
      }),
    ),
    {},
  ),
});
export type ConfigValues = z.infer<typeof ConfigValues>;

/** What was loaded: the values, what is out of order, and the files it came from. */
export type Config = ConfigValues & {
  /** What the manifest files say. */
  fromManifests: Manifests;
  /** Servers that are configured and cannot run, with the reason. */
  broken: Record<string, string>;
  problems: ConfigProblem[];
  files: string[];
};

export type ConfigProblem = {
  file: string;
  line: number | null;
  path: string;
  /** In a manifest: the persona whose it is, null when it is everybody's. */
  owner?: string | null;
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
