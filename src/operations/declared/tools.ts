import { z } from "zod";
import { onUnavailableChoices, policyModes } from "../../model/calls/call.ts";
import { PageOrigin } from "../../model/calls/call-schema.ts";
import { withoutShared } from "../../model/catalogue/exclusion-words.ts";
import { largestSearch } from "../../model/catalogue/search.ts";
import { sideEffects, toolImpacts } from "../../model/catalogue/tool.ts";
import type { ToolQuery } from "../../model/catalogue/tool-query.ts";
import { Locked } from "../../model/servers/server-schema.ts";
import { ofPersonaOptions, pageOptions, recordingOptions } from "../command-options.ts";
import { Cursor, count, flag, Limit, NextCursor, text } from "../fields.ts";
import { operation } from "../operation.ts";
import { AccessOptions } from "../schemas/access-options.ts";
import { OutcomeSchema, outcomeExample } from "../schemas/outcome.ts";
import { ToolSchema } from "../schemas/tool.ts";
import { ToolRow, ToolViewSchema } from "../schemas/tool-row.ts";
import { queryBestFirst, querySorted, renderRows, renderToolView } from "../schemas/tool-views.ts";

const tag = "Tools";
/** A server that has not listed by then is there the next time. */
export const waitMs = 1_000;
/** A list while typing waits for no server; an event follows when one has listed. */
const atOnceMs = 1;
const name = text("The tool's name, in any spelling.");

const list = (description: string, values?: readonly string[]) =>
  z
    .union([z.array(z.string()), z.string()])
    .optional()
    .meta({
      type: "array",
      items: { type: "string", ...(values && { enum: values }) },
      description: `${description} Repeated, or separated by commas.`,
    });
const textField = (description: string) => z.string().optional().meta({ description });

/** What `parseToolQuery` takes, in words; it alone decides. A test compares the names. */
export const ToolFiltersSchema = z.object({
  persona: list(
    `What belongs to these personas, and what is shared; ${withoutShared.join(", ")} leave out what is shared.`,
  ),
  provider: list("Tools that have all of these kinds of provider."),
  capability: list("Tools that have all of these capabilities, in any case."),
  version: textField(
    "A semver range: `^1.2`, `~1.2`, `1.x`, `>=1.2, <2`, `1.2 || ^3`; `1.2` is 1.2.0.",
  ),
  min_success_rate: textField("`0.8`, `80` or `80%`; `1` is all of them."),
  include_unused: flag(
    "Tools that were never called; left out only where a success rate above 0 is asked for.",
  ),
  side_effects: list("Tools with one of these.", sideEffects),
  safety_level: list("Tools with one of these.", ["low", "medium", "high"]),
  impact: list("Tools whose calls may do one of these.", toolImpacts),
  quarantined: flag("Only quarantined and disabled tools, or only others."),
  overlaid: flag("Only tools with an overlay, or only others."),
  unused: flag("Only tools that were never called, or only others."),
  server: textField("The tools of this server."),
  group: list(
    "Tools of one of these groups; `default` when left out, `*` for all, an empty one for none.",
  ),
  state: textField("Tools that are there in this state."),
  q: textField("Words that the name, the title, the description or the capabilities contain."),
  limit: Limit,
  cursor: Cursor,
  include_provider_health: flag("False leaves out the health of each provider."),
});

export const toolOrders = [
  "name",
  "server",
  "impact",
  "quality",
  "health",
  "latency",
  "calls",
  "tokens",
] as const;

/** How tools are shown, and in which order, is not which of them are meant. */
export const ToolsShown = z.object({
  view: ToolViewSchema,
  sort: z
    .enum(toolOrders.flatMap((order) => [order, `-${order}` as const]))
    .optional()
    .meta({ description: "By name when left out; `-` reverses the order. Not with `best`." }),
  max_quality: count(100, {
    description: "Tools whose definition has at most this quality score.",
  }),
  best: count(largestSearch, {
    description:
      "So many of those that fit `q` best, as `GET /search` finds them, come first; what has the words in it follows by name. Goes with `server` and `group`, not with other filters.",
  }),
});

const ToolPage = z.object({
  count: z.number().int(),
  total: z.number().int().meta({ description: "All that match, on this page or not." }),
  nextCursor: NextCursor,
  tools: z
    .array(z.union([ToolSchema, ToolRow]))
    .meta({ description: "`ToolRow` where `view` is `row`." }),
  locked: z
    .array(Locked)
    .optional()
    .meta({ description: "Tools of servers that are not for the caller and may be shown." }),
  note: z
    .string()
    .optional()
    .meta({ description: "What `GET /search` has to say, where `best` is given." }),
});

export const CallBody = z.object({
  arguments: z
    .unknown()
    .optional()
    .meta({ type: "object", description: "What the tool is called with." }),
  timeoutMs: z.number().min(0).optional().meta({ description: "0 for no limit." }),
  conversation: z.string().optional(),
  idempotencyKey: z.string().optional().meta({
    description: "The same for all tries of this call; bound to the caller before servers get it.",
  }),
  onUnavailable: z.enum(onUnavailableChoices).optional().meta({
    description:
      "`queue`: where the call cannot be sent, accept it and run it once its server is available. By default it fails.",
  }),
  files: z.record(z.string(), z.string()).optional().meta({
    description:
      "Addresses by file name, for parameters that are injected from files. Never kept or shown.",
  }),
  page: PageOrigin.optional(),
  ...AccessOptions,
  dryRun: z.boolean().optional().meta({
    description:
      "Find, authorise, check and route the call, and do not make it; no approval is requested.",
  }),
  maxResultBytes: z.number().int().min(0).optional().meta({
    description:
      "Characters of the result that are given whole; a larger one is kept and its handle given. 0 for no limit.",
  }),
  mode: z
    .enum(policyModes)
    .optional()
    .meta({ description: "A stricter mode than the configured one; a wider one is not heard." }),
});

const _boolean = (description: string) =>
  z.enum(["true", "false"], "give true or false").optional().meta({ description });

/** Finding tools and calling them. */
export const toolOperations = [
  operation({
    name: "tools.page",
    args: ["..."],
    summary: "Tools that match the filters, by name",
    description:
      "A caller without a persona may look at the tools of any; calling one takes the persona.",
    scope: "read",
    input: ToolFiltersSchema.extend(ToolsShown.shape),
    output: ToolPage,
    http: { method: "get", path: "/tools", tag, answers: { 200: "One page." } },
    cli: {
      command: "tools list",
      about: "the tools that you may call",
      options: {
        "--server <name>": "only the tools of this server",
        ...ofPersonaOptions,
        "--provider <name>": {
          about: "executed by this kind of provider; repeatable, all must match",
          kind: "list",
        },
        "--capability <tag>": {
          about: "with this capability; repeatable, all must match",
          kind: "list",
        },
        "--version-range <range>": "of these versions: ^1.2, '>=1.2, <2', 1.x",
        "--side-effects <kind>": {
          about: "with this side effect; repeatable, one is enough",
          kind: "list",
        },
        "--safety-level <level>": {
          about: "low, medium or high; repeatable, one is enough",
          kind: "list",
        },
        "--impact <kind>": {
          about:
            "by what its calls may do: reads, writes, destroys or unknown; repeatable, one is enough",
          kind: "list",
        },
        "--quarantined [flag]": "only quarantined and disabled tools; false: only others",
        "--overlaid [flag]": "only tools with an overlay; false: only others",
        "--unused [flag]": "only tools without calls; false: only others",
        "--min-success-rate <share>": "with at least this success rate: 0.8, 80 or 80%",
        "--include-unused <flag>": "include tools without calls: true or false",
        "--tool-group <name>": {
          input: "group",
          about: "of this tool group; repeatable, * for all, default when left out",
          kind: "list",
        },
        "--state <name>": "available in this state; * for any",
        "--query <words>": {
          about: "whose name, description or capabilities contain these words",
          input: "q",
        },
        ...pageOptions,
        "--quality": {
          about: "show the score and the findings of each definition",
          default: false,
        },
      },
      examples: [
        "tools list --server demo",
        "tools list --capability web_search --min-success-rate 80%",
        "tools list --version-range '^1.2' --side-effects none --json",
      ],
    },
    async run(plane, input, asker) {
      const { view, best, sort, max_quality, ...query } = input as unknown as ToolQuery &
        z.output<typeof ToolsShown>;
      const isRow = view === "row";
      // No row tells of providers.
      const meant = isRow ? { ...query, includeProviderHealth: false } : query;
      const who = { ...asker, waitMs: isRow && query.server === null ? atOnceMs : waitMs };
      const { tools, ...page } = await (sort !== undefined || max_quality !== undefined
        ? querySorted(plane, meant, { sort, maxQuality: max_quality }, who)
        : best === undefined
          ? plane.tools.page(meant, who)
          : queryBestFirst(plane, meant, best, who));
      const shown = isRow ? await renderRows(plane, tools) : tools.map(renderToolView);
      return { count: tools.length, ...page, tools: shown };
    },
  }),
  operation({
    name: "tools.get",
    args: ["name"],
    summary: "One tool",
    scope: "read",
    input: z.object({ name }),
    output: ToolSchema,
    http: {
      method: "get",
      path: "/tools/{name}",
      tag,
      answers: { 200: "The tool." },
      show: renderToolView,
    },
    cli: {
      command: "tools show",
      about: "one tool: arguments, metadata, providers, health",
      arguments: {
        "<name>":
          "any spelling: server.tool, server_tool, mcp__server__tool, or the bare name if it is unique",
      },
      examples: ["tools show demo.greet"],
    },
  }),
  operation({
    name: "call",
    args: ["name", "arguments"],
    summary: "Call a tool",
    description:
      "When the client goes away, the call is cancelled. With `Accept: text/event-stream` the answer is a stream: `progress` and `log` as the server tells of them, then `outcome`, which is what the answer is otherwise.",
    scope: "call",
    input: CallBody.extend({ name, approvalWaitMs: z.number().optional() }),
    output: OutcomeSchema,
    http: {
      method: "post",
      path: "/tools/{name}/call",
      tag,
      open: true,
      cancels: true,
      wait: {
        input: "approvalWaitMs",
        means: "wait this many seconds for a person's approval, if it needs one.",
      },
      headers: {
        Traceparent: "The trace that the call belongs to (W3C); passed on to its provider.",
      },
      body: {
        description: "No body is a call without arguments.",
        example: { arguments: { name: "Ann" } },
        optional: true,
      },
      answers: {
        200: "The tool answered; `ok` is false when it reported an error.",
        202: "A person has to say yes first, or the call was accepted for later: `approval`, `plan` or `queued` tells what it waits for, `Location` where to look.",
      },
      example: outcomeExample,
    },
    cli: {
      command: "call",
      about: "call a tool",
      arguments: {
        "<tool>": "the tool, in any spelling",
        "[values...]": "key=value, key:=json, or all as one JSON object",
      },
      options: {
        "--args <json>": {
          about: "arguments as JSON, @FILE, or - for standard input",
          input: "arguments",
        },
        "--timeout <seconds>": { about: "limit of this call; 0 for none", kind: "seconds" },
        "--yes": "agree to what the policy would ask about",
        "--on-unavailable <choice>": {
          about: "where the call cannot be sent: fail, or queue to run it once its server is back",
          choices: onUnavailableChoices,
        },
        "--plan": "queue writes instead of making them",
        "--conversation <name>": "the conversation that the call belongs to",
        "--tool-group <name>": {
          input: "toolGroups",
          about: "a tool group to use; repeatable, default when left out",
          kind: "list",
        },
        "--state <name>": "the state that an agent is in",
        "--file <name=address>": {
          about: "the address of a file that an argument names; repeatable",
          kind: "list",
        },
        "--max-result <characters>": {
          about: "keep a larger result and print its handle; 0 for never",
          kind: "characters",
        },
        "--save-artifacts <directory>":
          "write the files that come with the result into this directory",
        "--force": "overwrite existing files",
        "--dry-run": "stop before anything is executed; show the policy's verdict",
        ...recordingOptions,
      },
      examples: [
        "call demo.greet name=Ann",
        "call demo.add a:=1 b:=2",
        'call demo.greet --args \'{"name":"Ann"}\' --json',
        "call demo.greet name=Ann --record calls.jsonl",
      ],
    },
  }),
];
