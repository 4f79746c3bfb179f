import { z } from "zod";
import { PinDiff, PinView } from "../../model/catalogue/change-schema.ts";
import { pinStatuses } from "../../model/catalogue/pin.ts";
import { failOnLevels } from "../../model/catalogue/quality.ts";
import { ContextStats, QualityReport } from "../../model/catalogue/quality-schema.ts";
import { largestPage } from "../../model/page.ts";
import { count, flag, oneOf, text } from "../fields.ts";
import { impatient, operation, pick } from "../operation.ts";

const tag = "Tools";
/** A server that has not listed by then is there the next time. */
const name = text("The tool's name, in any spelling.");
const server = z.string().optional().meta({ description: "Only the tools of this server." });
const tool = z.string().optional().meta({ description: "Only this tool, in any spelling." });
const scoreText = "give a number from 0 to 100";
const threshold = z
  .union(
    [z.number().int().min(0).max(100), z.string().regex(/^(?:\d{1,2}|100)$/, scoreText)],
    scoreText,
  )
  .transform(Number)
  .optional()
  .meta({ type: "integer", minimum: 0, maximum: 100, default: 40 });

const decisions = {
  accept: "Trust the definition of today",
  reject: "Quarantine the tool until its definition is the pinned one again, or accepted",
} as const;

const pinning = {
  accept: "pin the current definition",
  reject: "quarantine the tool until its definition is the pinned one again, or accepted",
} as const;

/** How good definitions are, what they cost and whether they changed. */
export const qualityOperations = [
  operation({
    name: "stats",
    args: ["..."],
    summary: "Tokens that tool definitions take in a model's context, by server",
    scope: "read",
    input: z.object({
      server,
      tool,
      tools: flag("Tool by tool."),
      limit: count(largestPage, {
        description: "Maximum number of tools, the most expensive first; all when left out.",
      }),
    }),
    output: ContextStats,
    http: { method: "get", path: "/stats", tag, answers: { 200: "In tokens." } },
    cli: {
      command: "stats",
      about: "tokens that tool definitions take in a model's context, by server",
      options: {
        "--server <name>": "only the tools of this server",
        "--tools": { about: "list each tool, too, the most expensive first", default: false },
        "--limit <number>": {
          about: "maximum number of tools, up to 1000; all when left out",
          kind: "limit",
        },
      },
      examples: ["stats", "stats --server demo --tools --limit 10", "stats --json"],
    },
    run: (plane, query, asker) => plane.stats(query as object, impatient(asker)),
  }),
  operation({
    name: "tools.quality",
    args: ["..."],
    summary: "Scores and findings of tool definitions, worst first",
    scope: "read",
    input: z.object({
      server,
      tool,
      threshold,
      require_examples: flag("A tool without examples does not pass."),
      fail_on: oneOf(failOnLevels).optional().meta({
        default: "high",
        description: "A tool with such a finding or a worse one does not pass.",
      }),
    }),
    output: QualityReport,
    http: { method: "get", path: "/tools/quality", tag, answers: { 200: "All of them." } },
    cli: {
      command: "tools lint",
      about:
        "scores and findings of tool definitions, worst first; exit code 1 if a tool does not pass",
      options: {
        "--server <name>": "only the tools of this server",
        "--threshold <score>": "the score a tool needs to pass, 0 to 100; 40 when left out",
        "--require-examples": {
          about: "a description without an example loses points",
          default: false,
        },
        "--fail-on <severity>": {
          about:
            "findings of this severity or worse fail a tool: high, medium or low; none: only the score counts",
          default: "high",
        },
      },
      examples: [
        "tools lint",
        "tools lint --server demo --threshold 80 --json",
        "tools lint --fail-on medium",
      ],
    },
    run: (plane, { require_examples: requireExamples, fail_on: failOn, ...query }, asker) =>
      plane.tools.quality(
        {
          ...(query as object),
          ...(requireExamples === undefined ? {} : { requireExamples }),
          ...(failOn === undefined ? {} : { failOn }),
        },
        impatient(asker),
      ),
  }),
  operation({
    name: "pins.list",
    args: ["..."],
    summary: "Current definitions compared with the pinned ones",
    scope: "read",
    input: z.object({
      server,
      status: oneOf(pinStatuses).optional(),
      held: flag("Only tools that are quarantined, or only tools that are not."),
    }),
    output: z.object({ pins: z.array(PinView) }),
    http: {
      method: "get",
      path: "/pins",
      tag,
      answers: { 200: "All of them." },
      show: (pins: unknown[]) => ({ pins }),
    },
    cli: {
      command: "pins list",
      about: "compare current definitions with the pinned ones",
      options: {
        "--server <name>": "only the tools of this server",
        "--status <status>": "only this status: pinned, changed, new or rejected",
      },
      examples: ["pins list", "pins list --status changed --json"],
    },
    run: (plane, query, asker) => plane.pins.list(query as object, impatient(asker)),
  }),
  operation({
    name: "pins.get",
    args: ["name"],
    summary: "How the current definition differs from the pinned one",
    scope: "read",
    input: z.object({ name }),
    output: PinDiff,
    http: { method: "get", path: "/pins/{name}", tag, answers: { 200: "Place by place." } },
    cli: {
      command: "pins diff",
      about: "how the current definition differs from the pinned one",
      arguments: { "<name>": "the tool, in any spelling" },
      examples: ["pins diff demo.greet"],
    },
  }),
  ...(["accept", "reject"] as const).map((verb) =>
    operation({
      name: `pins.${verb}`,
      args: ["name", "..."],
      summary: decisions[verb],
      scope: "admin",
      input: z.object({ name, reason: z.string().optional() }),
      output: PinView,
      http: {
        method: "post",
        path: `/pins/{name}/${verb}`,
        tag,
        body: {
          description: "Why, for later readers.",
          example: { reason: "Read the release notes." },
          optional: true,
        },
        answers: { 200: "How it is now." },
      },
      audit: {
        target: ({ name: tool }) =>
          typeof tool === "string" ? tool : Object.values(tool as object).join("."),
        input: (input) => pick(input, "reason"),
        snapshot: (plane, { name: tool }, caller) => plane.pins.get(tool, caller),
      },
      cli: {
        command: `pins ${verb}`,
        about: pinning[verb],
        arguments: { "<name>": "the tool, in any spelling" },
        options: { "--reason <text>": "the reason, for the record" },
        examples: [`pins ${verb} demo.greet --reason 'read the release notes'`],
      },
    }),
  ),
];
