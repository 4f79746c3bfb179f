import { z } from "zod";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { countOf } from "../../lib/text/wording.ts";
import { largestSearch } from "../../model/catalogue/search.ts";
import { FoundTool, SearchAnswer, SearchQuality } from "../../model/catalogue/search-schema.ts";
import { count } from "../fields.ts";
import { operation } from "../operation.ts";
import { ToolSchema } from "../schemas/tool.ts";
import { ToolRow, ToolViewSchema } from "../schemas/tool-row.ts";
import { renderRows, renderToolView } from "../schemas/tool-views.ts";
import { waitMs } from "./tools.ts";

const tag = "Tools";
/** A list while typing waits for no server; an event follows when one has listed. */
const atOnceMs = 1;
const ShownMatch = FoundTool.extend({
  tool: ToolSchema.optional().meta({ description: "The whole tool, where `details` is true." }),
  row: ToolRow.optional().meta({
    description: "The tool as lists show it, where `view` is `row`.",
  }),
}).meta({ id: "FoundTool" });

const ShownAnswer = SearchAnswer.extend({ tools: z.array(ShownMatch) });

const Means = { ranking: SearchQuality, wordsOnly: SearchQuality };
const SearchCase = z.object({
  query: z.string().min(1),
  tools: z.array(z.string()).min(1).meta({ description: "The right tools, in any spelling." }),
  kind: z
    .string()
    .optional()
    .meta({ description: "A label; the result has figures for each kind too." }),
});

const boolean = (description: string) =>
  z.enum(["true", "false"], "give true or false").optional().meta({ description });

/** Tools found by what they do. */
export const searchOperations = [
  operation({
    name: "search",
    args: ["..."],
    summary: "The best matching tools",
    scope: "read",
    input: z.object({
      q: z.array(z.string()).optional().meta({
        description:
          "What to look for; repeated, several things at once. `select:a,b` takes tools by name.",
      }),
      regex: boolean("`q` is a pattern of at most 200 characters."),
      server: z.string().min(1, "give the name of a server or a glob").optional(),
      limit: count(largestSearch),
      view: ToolViewSchema,
      explain: boolean("Where the points of each tool come from."),
      details: boolean("Each tool as `GET /tools/{name}` shows it, beside why it was found."),
    }),
    output: ShownAnswer,
    http: { method: "get", path: "/search", tag, answers: { 200: "Best first." } },
    cli: {
      command: "search",
      about: "find tools by words, name or pattern",
      arguments: {
        "[query...]":
          "what the tool should do; select:NAME,NAME picks tools by name; without a query, tools by name",
      },
      options: {
        "--and <query>": { about: "search for this as well; repeatable", kind: "list" },
        "--regex": "the query is a regular expression for names, descriptions and parameters",
        "--server <name>": "only tools of this server, or of servers that match a glob",
        "--limit <number>": { about: "maximum number of tools, up to 100", kind: "count" },
        "--explain": "show how each score is made up",
      },
      examples: [
        "search send an email",
        "search 'read a file' --server 'git*'",
        "search '^get_.*weather' --regex --json",
        "search 'take a screenshot' --and 'write a pdf' --explain",
      ],
    },
    async run(plane, { q = [], regex, server, limit, details, view, explain }, asker) {
      const what = q.length > 1 ? { queries: q } : { query: q[0] ?? "" };
      const isRow = view === "row";
      const withTools = isRow || details === "true";
      const answer = await plane.search(
        {
          ...what,
          regex: regex === "true",
          explain: explain === "true",
          ...withoutUndefined({ server, limit }),
        },
        { ...asker, details: withTools, waitMs: isRow && server === undefined ? atOnceMs : waitMs },
      );
      if (!withTools) return answer;
      const fullTools = answer.tools.flatMap(({ tool }) => tool ?? []);
      const views = isRow ? await renderRows(plane, fullTools) : fullTools.map(renderToolView);
      const byName = new Map(views.map((tool) => [tool.name, tool]));
      // What went away since it was found is shown as it was found.
      const tools = answer.tools.map(({ tool: _, ...foundTool }) => ({
        ...foundTool,
        ...withoutUndefined({ [isRow ? "row" : "tool"]: byName.get(foundTool.name) }),
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
        .array(
          z.object({ query: z.string(), tools: z.array(z.string()), found: z.array(z.string()) }),
        )
        .meta({
          description: "Queries without one of their tools among the first ten; 20 at most.",
        }),
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
    cli: {
      command: "search eval",
      about: "measure search on your own catalogue, with meaning and with words alone",
      arguments: {
        "<file>": 'one query per line, {"query": …, "tools": […], "kind": …}; - for standard input',
      },
      examples: ["search eval queries.jsonl", "search eval queries.jsonl --json"],
    },
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
    audit: { after: (answer) => answer },
    cli: {
      command: "search forget",
      about: "forget what the search has learned from your use",
      examples: ["search forget"],
      text: ({ forgotten }) =>
        forgotten === 0 ? "Nothing was learned." : `${countOf(forgotten, "word")} forgotten.`,
    },
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
      tools: z.array(ShownMatch),
    }),
    http: { method: "get", path: "/recommendations", tag, answers: { 200: "Best first." } },
    cli: {
      command: "recommend",
      about: "recommend servers and tools for a task",
      arguments: { "<task...>": "the task, in a few sentences" },
      options: {
        "--limit <number>": { about: "maximum number of tools, up to 15", kind: "count" },
      },
      examples: ["recommend 'take a screenshot of the shop and mail it to Ann'"],
    },
    run: (plane, { task, limit }, asker) =>
      plane.recommend(task, { ...asker, waitMs, ...withoutUndefined({ limit }) }),
  }),
];
