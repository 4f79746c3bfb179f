import { z } from "zod";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { policyModes } from "../../model/calls/call.ts";
import { largestSearch, scoreSources } from "../../model/catalogue/search.ts";
import { sideEffects, toolImpacts } from "../../model/catalogue/tool.ts";
import { type ToolQuery, withoutShared } from "../../model/catalogue/tool-query.ts";
import { Cursor, count, Limit, NextCursor, text } from "../fields.ts";
import { operation } from "../operation.ts";
import { AccessOptions } from "../schemas/access-options.ts";
import { Locked } from "../schemas/locked.ts";
import { Outcome, outcomeExample } from "../schemas/outcome.ts";
import { Tool } from "../schemas/tool.ts";
import { ToolRow, View } from "../schemas/tool-row.ts";
import { queryBestFirst, querySorted, renderRows, renderTool } from "../schemas/tool-views.ts";

const tag = "Tools";
/** A server that has not listed by then is there the next time. */
const waitMs = 1_000;
/** A list while typing waits for no server; an event follows when one has listed. */
const atOnceMs = 1;
const name = text("The tool's name, in any spelling.");

const list = (description: string, of: z.ZodType = z.string()) =>
  z
    .array(of)
    .optional()
    .meta({ description: `${description} Repeated, or separated by commas.` });
const words = (description: string) => z.string().optional().meta({ description });
const yesOrNo = (description: string) => z.boolean().optional().meta({ description });

/** What `parseToolQuery` takes, in words; it alone decides. A test compares the names. */
export const ToolFilters = z.object({
  persona: list(
    `What belongs to these personas, and what is shared; ${withoutShared.join(", ")} leave out what is shared.`,
  ),
  provider: list("Tools that have all of these kinds of provider."),
  capability: list("Tools that have all of these capabilities, in any case."),
  version: words("A semver range: `^1.2`, `~1.2`, `1.x`, `>=1.2, <2`, `1.2 || ^3`; `1.2` is 1.2.0."),
  min_success_rate: words("`0.8`, `80` or `80%`; `1` is all of them."),
  include_unused: yesOrNo("Tools that were never called; left out only where a success rate above 0 is asked for."),
  side_effects: list("Tools with one of these.", z.enum(sideEffects)),
  safety_level: list("Tools with one of these.", z.enum(["low", "medium", "high"])),
  impact: list("Tools whose calls may do one of these.", z.enum(toolImpacts)),
  quarantined: yesOrNo("Only quarantined and disabled tools, or only others."),
  overlaid: yesOrNo("Only tools with an overlay, or only others."),
  unused: yesOrNo("Only tools that were never called, or only others."),
  server: words("The tools of this server."),
  group: list("Tools of one of these groups; `default` when left out, `*` for all, an empty one for none."),
  state: words("Tools that are there in this state."),
  q: words("Words that the name, the title, the description or the capabilities contain."),
  limit: Limit,
  cursor: Cursor,
  include_provider_health: yesOrNo("False leaves out the health of each provider."),
});

export const toolOrders = ["name", "server", "impact", "quality", "health", "latency", "calls", "tokens"] as const;

/** How tools are shown, and in which order, is not which of them are meant. */
export const ToolsShown = z.object({
  view: View,
  sort: z
    .enum(toolOrders.flatMap((order) => [order, `-${order}` as const]))
    .optional()
    .meta({ description: "By name when left out; `-` reverses the order. Not with `best`." }),
  max_quality: count(100, { description: "Tools whose definition has at most this quality score." }),
  best: count(largestSearch, {
    description:
      "So many of those that fit `q` best, as `GET /search` finds them, come first; what has the words in it follows by name. Goes with `server` and `group`, not with other filters.",
  }),
});

const ToolPage = z.object({
  count: z.number().int(),
  total: z.number().int().meta({ description: "All that match, on this page or not." }),
  nextCursor: NextCursor,
  tools: z.array(Tool).meta({ description: "`ToolRow` where `view` is `row`." }),
  locked: z
    .array(Locked)
    .optional()
    .meta({ description: "Tools of servers that are not for the caller and may be shown." }),
  note: z.string().optional().meta({ description: "What `GET /search` has to say, where `best` is given." }),
});

export const CallBody = z.object({
  arguments: z.unknown().optional().meta({ type: "object", description: "What the tool is called with." }),
  timeoutMs: z.number().min(0).optional().meta({ description: "0 for no limit." }),
  conversation: z.string().optional(),
  idempotencyKey: z.string().optional(),
  files: z.record(z.string(), z.string()).optional().meta({
    description: "Addresses by file name, for parameters that are injected from files. Never kept or shown.",
  }),
  ...AccessOptions,
  dryRun: z.boolean().optional().meta({
    description: "Find, authorise, check and route the call, and do not make it; no approval is requested.",
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

const FoundTool = z
  .object({
    name: z.string(),
    server: z.string().nullable(),
    summary: z.string(),
    score: z.number().meta({ description: "From 0 to 1; 1 was asked for by name." }),
    required: z.array(z.string()).meta({ description: "Arguments that a call has to have." }),
    alsoOn: z.array(z.string()).optional().meta({ description: "Servers with nearly the same tool." }),
    differsBy: z
      .array(z.string())
      .optional()
      .meta({ description: "What tells it from another of its name in this answer." }),
    points: z
      .array(
        z.object({
          from: z.enum(scoreSources),
          points: z.number(),
          words: z.array(z.string()).optional().meta({ description: "The words of the query that it comes from." }),
        }),
      )
      .optional()
      .meta({ description: "Where its points come from, where `explain` is true." }),
    tool: Tool.optional().meta({ description: "The whole tool, where `details` is true." }),
    row: ToolRow.optional().meta({ description: "The tool as lists show it, where `view` is `row`." }),
  })
  .meta({ id: "FoundTool" });

const SearchAnswer = z.object({
  query: z.string(),
  total: z.number().int().meta({ description: "All that match, in this answer or not." }),
  truncated: z.boolean(),
  tools: z.array(FoundTool),
  next: z.array(z.string()).meta({ description: "The names of those that come next." }),
  note: z.string().optional().meta({ description: "What is worth knowing: nothing fits well, for one." }),
});

const SearchQuality = z.object({
  recall1: z.number(),
  recall5: z.number().meta({ description: "Share of the right tools among the first five." }),
  recall10: z.number(),
  mrr: z.number().meta({ description: "1 / the place of the first right tool." }),
});
const Means = { ranking: SearchQuality, wordsOnly: SearchQuality };
const SearchCase = z.object({
  query: z.string().min(1),
  tools: z.array(z.string()).min(1).meta({ description: "The right tools, in any spelling." }),
  kind: z.string().optional().meta({ description: "A label; the result has figures for each kind too." }),
});

const boolean = (description: string) =>
  z.enum(["true", "false"], "give true or false").optional().meta({ description });

/** Finding tools and calling them. */
export const toolOperations = [
  operation({
    name: "tools.page",
    args: ["..."],
    summary: "Tools that match the filters, by name",
    description: "A caller without a persona may look at the tools of any; calling one takes the persona.",
    scope: "read",
    input: ToolFilters.extend(ToolsShown.shape),
    output: ToolPage,
    http: { method: "get", path: "/tools", tag, answers: { 200: "One page." } },
    cli: { command: "tools list" },
    async run(plane, input, asker) {
      const { view, best, sort, max_quality, ...query } = input as unknown as ToolQuery & z.output<typeof ToolsShown>;
      const isRow = view === "row";
      // No row tells of providers.
      const meant = isRow ? { ...query, includeProviderHealth: false } : query;
      const who = { ...asker, waitMs: isRow && query.server === null ? atOnceMs : waitMs };
      const { tools, ...page } = await (sort !== undefined || max_quality !== undefined
        ? querySorted(plane, meant, { sort, maxQuality: max_quality }, who)
        : best === undefined
          ? plane.tools.page(meant, who)
          : queryBestFirst(plane, meant, best, who));
      const shown = isRow ? await renderRows(plane, tools) : tools.map(renderTool);
      return { count: tools.length, ...page, tools: shown };
    },
  }),
  operation({
    name: "tools.get",
    args: ["name"],
    summary: "One tool",
    scope: "read",
    input: z.object({ name }),
    output: Tool,
    http: { method: "get", path: "/tools/{name}", tag, answers: { 200: "The tool." }, show: renderTool },
    cli: { command: "tools show" },
  }),
  operation({
    name: "call",
    args: ["name", "arguments"],
    summary: "Call a tool",
    description:
      "When the client goes away, the call is cancelled. With `Accept: text/event-stream` the answer is a stream: `progress` and `log` as the server tells of them, then `outcome`, which is what the answer is otherwise.",
    scope: "call",
    input: CallBody.extend({ name, approvalWaitMs: z.number().optional() }),
    output: Outcome,
    http: {
      method: "post",
      path: "/tools/{name}/call",
      tag,
      open: true,
      cancels: true,
      wait: { input: "approvalWaitMs", means: "wait this many seconds for a person's approval, if it needs one." },
      headers: { Traceparent: "The trace that the call belongs to (W3C); passed on to its provider." },
      body: {
        description: "No body is a call without arguments.",
        example: { arguments: { name: "Ann" } },
        optional: true,
      },
      answers: {
        200: "The tool answered; `ok` is false when it reported an error.",
        202: "A person has to say yes first: `approval` or `plan` tells what it waits for, `Location` where to look.",
      },
      example: outcomeExample,
    },
    cli: { command: "call" },
  }),
  operation({
    name: "search",
    args: ["..."],
    summary: "The best matching tools",
    scope: "read",
    input: z.object({
      q: z.array(z.string()).optional().meta({
        description: "What to look for; repeated, several things at once. `select:a,b` takes tools by name.",
      }),
      regex: boolean("`q` is a pattern of at most 200 characters."),
      server: z.string().min(1, "give the name of a server or a glob").optional(),
      limit: count(largestSearch),
      view: View,
      explain: boolean("Where the points of each tool come from."),
      details: boolean("Each tool as `GET /tools/{name}` shows it, beside why it was found."),
    }),
    output: SearchAnswer,
    http: { method: "get", path: "/search", tag, answers: { 200: "Best first." } },
    cli: { command: "search" },
    async run(plane, { q = [], regex, server, limit, details, view, explain }, asker) {
      const what = q.length > 1 ? { queries: q } : { query: q[0] ?? "" };
      const isRow = view === "row";
      const withTools = isRow || details === "true";
      const answer = await plane.search(
        { ...what, regex: regex === "true", explain: explain === "true", ...withoutUndefined({ server, limit }) },
        { ...asker, details: withTools, waitMs: isRow && server === undefined ? atOnceMs : waitMs },
      );
      if (!withTools) return answer;
      const whole = answer.tools.flatMap(({ tool }) => tool ?? []);
      const shown = isRow ? await renderRows(plane, whole) : whole.map(renderTool);
      const byName = new Map(shown.map((tool) => [tool.name, tool]));
      // What went away since it was found is shown as it was found.
      const tools = answer.tools.map(({ tool: _, ...found }) => ({
        ...found,
        ...withoutUndefined({ [isRow ? "row" : "tool"]: byName.get(found.name) }),
      }));
      return { ...answer, tools };
    },
  }),
  operation({
    name: "evaluateSearch",
    args: ["cases"],
    summary: "Measure search on the caller's catalogue",
    scope: "read",
    input: z.object({ cases: z.array(SearchCase).min(1).max(10_000) }),
    output: z.object({
      queries: z.number().int(),
      tools: z.number().int(),
      ...Means,
      kinds: z.array(z.object({ kind: z.string(), queries: z.number().int(), ...Means })),
      missed: z
        .array(z.object({ query: z.string(), tools: z.array(z.string()), found: z.array(z.string()) }))
        .meta({ description: "Queries without one of their tools among the first ten; 20 at most." }),
      unknown: z.array(z.string()).meta({ description: "Names that no tool of the caller has." }),
    }),
    http: {
      method: "post",
      path: "/search/evaluation",
      tag,
      open: true,
      body: {
        description: "Queries, and the tools that are right for them.",
        example: { cases: [{ query: "read a file", tools: ["files.read_file"] }] },
      },
      answers: { 200: "Recall and rank, with likeness and with words alone." },
    },
    cli: { command: "search eval" },
    run: (plane, { cases }, asker) => plane.evaluateSearch(cases, { ...asker, waitMs }),
  }),
  operation({
    name: "forgetSearches",
    args: [],
    summary: "Forget what the search has learned from the caller's use",
    scope: "read",
    input: z.object({}),
    output: z.object({ forgotten: z.number().int() }),
    http: { method: "delete", path: "/search/learned", tag, answers: { 200: "Forgotten." } },
    audit: { after: (result) => result },
    cli: { command: "search forget" },
  }),
  operation({
    name: "recommend",
    args: ["task"],
    summary: "Servers and tools worth having at hand for a task",
    scope: "read",
    input: z.object({ task: z.string(), limit: count(15) }),
    output: z.object({
      task: z.string(),
      servers: z.array(z.object({ name: z.string(), score: z.number(), tools: z.number().int() })),
      tools: z.array(FoundTool),
    }),
    http: { method: "get", path: "/recommendations", tag, answers: { 200: "Best first." } },
    cli: { command: "recommend" },
    run: (plane, { task, limit }, asker) => plane.recommend(task, { ...asker, waitMs, ...withoutUndefined({ limit }) }),
  }),
];
