import { z } from "zod";
import { changeKinds } from "../../model/catalogue/change.ts";
import { Change } from "../../model/catalogue/change-schema.ts";
import { HealthSummary, LastInvocation } from "../../model/catalogue/health-schema.ts";
import { RefreshReport } from "../../model/servers/server-schema.ts";
import { Limit, oneOf, wholeNumber } from "../fields.ts";
import { operation } from "../operation.ts";
import { ProviderSchema } from "../schemas/tool.ts";
import { switched } from "./servers.ts";

const tag = "Registry";
/** A server that has not listed by then is there the next time. */
const waitMs = 1_000;
const number = z.number().int();

const ToolEntry = z.object({
  name: z.string(),
  persona: z.string().nullable(),
  version: z.string(),
  capabilities: z.array(z.string()),
  capability_tags: z.array(z.string()),
  compatibility: z.object({
    persona: z.string().nullable(),
    persona_specific: z.boolean(),
    matches_request: z.boolean(),
    allowlist: z.array(z.string()).nullable(),
  }),
  health: z.object({
    tool: HealthSummary,
    providers: z.record(z.string(), z.unknown()),
    last_invocation: LastInvocation,
  }),
  providers: z.array(ProviderSchema),
});

const entries = z.array(z.looseObject({ name: z.string() }));

const RegistrySummary = z
  .object({
    revision: number,
    persona: z.string().nullable(),
    compatibility: z.object({
      persona: z.string().nullable(),
      shared: number,
      persona_specific: number,
    }),
    tools: z.array(ToolEntry),
    skills: entries,
    tasks: entries,
    jobs: entries,
  })
  .meta({ id: "RegistrySummary" });

/** What changed in the catalogue. Declared before routes that take any name. */
export const changeOperations = (["tool", "skill", "task", "job"] as const).map((what) =>
  operation({
    name: "registry.changes",
    args: ["..."],
    summary: `Changes of ${what}s: by whom and why, newest first`,
    scope: "read",
    input: z.object({
      what: z.literal(what),
      persona: z
        .string()
        .optional()
        .meta({ description: "What happened to the entries of this persona." }),
      name: z.string().optional(),
      kind: oneOf(changeKinds).optional(),
      limit: Limit,
      offset: wholeNumber(0, "So many are left out at the beginning."),
    }),
    output: z.object({
      changes: z.array(Change),
      count: number,
      total: number,
      offset: number,
      limit: number,
    }),
    http: { method: "get", path: `/${what}s/changes`, tag, answers: { 200: "One page." } },
    cli: {
      command: "tools changes",
      about: "what changed in the catalogue, when, by whom and why; newest first",
      arguments: { "[name]": "only of this tool" },
      options: {
        "--kind <kind>": "added, changed, removed or listed",
        "--limit <number>": "maximum number of changes, up to 1000; 50 when left out",
        "--offset <number>": "skip this many of the newest",
      },
      examples: ["tools changes", "tools changes lookup --limit 5", "tools changes --json"],
    },
  }),
);

/** The catalogue as a whole. */
export const registryOperations = [
  operation({
    name: "registry.summary",
    args: [],
    summary: "Summary of the catalogue",
    scope: "read",
    input: z.object({
      persona: z.string().optional().meta({ description: "The persona; yours when left out." }),
    }),
    output: RegistrySummary,
    http: {
      method: "get",
      path: "/registry/summary",
      tag,
      answers: { 200: "Tools, skills, tasks and jobs." },
    },
    cli: {
      command: "registry summary",
      about: "counts of what you, or the persona you call as, can use",
      examples: ["registry summary", "registry summary --persona Atlas --json"],
    },
    run: (plane, { persona = "" }, asker) =>
      plane.registry.summary({ ...(persona === "" ? {} : { persona }), ...asker, waitMs }),
  }),
  operation({
    name: "servers.refresh",
    args: ["name"],
    summary: "List the tools of every server again",
    description: "Servers in backoff after a failure are left alone and listed under `skipped`.",
    scope: "admin",
    input: z.object({}),
    output: RefreshReport,
    http: {
      method: "post",
      path: "/registry/refresh",
      tag,
      answers: { 200: "The result, server by server." },
    },
    audit: switched,
    cli: {
      command: "servers refresh",
      about: "list the tools of a server, or of all servers, again",
      arguments: { "[name]": "" },
      examples: ["servers refresh", "servers refresh demo --json"],
    },
  }),
];
