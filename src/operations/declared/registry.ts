import { z } from "zod";
import { changeKinds } from "../../model/catalogue/change.ts";
import { Change, EntryChange, EntryView } from "../../model/catalogue/change-schema.ts";
import { HealthSummary, LastInvocation } from "../../model/catalogue/health-schema.ts";
import { RefreshReport } from "../../model/servers/server-schema.ts";
import { flag, Limit, oneOf, text, wholeNumber } from "../fields.ts";
import { impatient, operation } from "../operation.ts";
import { ProviderSchema } from "../schemas/tool.ts";
import { switched } from "./servers.ts";

const tag = "Registry";
/** A server that has not listed by then is there the next time. */
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

const originWords: Record<EntryView["origin"], (entry: EntryView) => string> = {
  here: () => "this configuration",
  all: () => "all configurations",
  elsewhere: ({ files }) => files.join(" and ") || "planes without a configuration file",
  gone: ({ files }) => `${files.join(" and ")}, which is gone`,
};

/** The catalogue as a whole. */
export const registryOperations = [
  operation({
    name: "registry.entries",
    args: ["..."],
    summary: "What is written by hand, and where it comes from",
    description:
      "Tools, overlays, skills, tasks and jobs of files, and those that people set. What is set belongs to the configuration it was set in.",
    scope: "admin",
    input: z.object({
      everywhere: flag("Also what belongs to other configurations on the store."),
    }),
    output: z.object({ entries: z.array(EntryView) }),
    http: { method: "get", path: "/registry/entries", tag, answers: { 200: "The entries." } },
    cli: {
      command: "registry entries",
      about: "what is written by hand, whom it is for and where it comes from",
      options: {
        "--everywhere": "also what belongs to other configurations",
      },
      examples: ["registry entries", "registry entries --everywhere --json"],
      table: {
        rows: "entries",
        none: "Nothing is written by hand.",
        columns: {
          kind: "KIND",
          name: {
            title: "NAME",
            text: (name, { persona }) => (persona === null ? name : `${name} (${persona})`),
          },
          source: "FROM",
          origin: { title: "FOR", text: (origin, entry) => originWords[origin](entry) },
          inForce: { title: "APPLIES", text: (inForce) => (inForce ? "yes" : "no") },
        },
      },
    },
  }),
  operation({
    name: "registry.adopt",
    args: ["file", "..."],
    summary: "Take over what was set for a configuration whose files are gone",
    scope: "admin",
    input: z.object({
      file: text("A file of that configuration, as `registry entries --everywhere` shows it."),
      reason: z.string().optional().meta({ description: "Why; kept with the change." }),
    }),
    output: z.object({ entries: z.array(EntryChange) }),
    http: {
      method: "post",
      path: "/registry/adopt",
      tag,
      body: { description: "Which one.", example: { file: "/home/ann/old/toolplane.json" } },
      answers: { 200: "What was taken over." },
    },
    audit: { target: ({ file }: { file: string }) => file, after: (answer) => answer },
    cli: {
      command: "registry adopt",
      about: "take over what was set for a configuration that was moved or removed",
      arguments: { "<file>": "a file of that configuration, as 'registry entries' shows it" },
      options: { "--reason <text>": "why, for the history" },
      examples: ["registry adopt /home/ann/old/toolplane.json"],
      text: ({ entries: adopted }) => `Took over ${adopted.map(({ name }) => name).join(", ")}.`,
    },
  }),
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
      plane.registry.summary({ ...(persona === "" ? {} : { persona }), ...impatient(asker) }),
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
