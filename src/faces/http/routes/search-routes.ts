import { z } from "zod";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { largestSearch } from "../../../model/catalogue/search.ts";
import type { Plane } from "../../../model/plane.ts";
import { count } from "../../../operations/fields.ts";
import { Tool } from "../../../operations/schemas/tool.ts";
import { ToolRow, View } from "../../../operations/schemas/tool-row.ts";
import { type App, addRoute } from "../route.ts";
import { renderRows } from "../tool-row.ts";
import { renderTool } from "../tool-view.ts";

/** What is not known by then is there the next time. */
const waitMs = 1_000;
const atOnceMs = 1;
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
    tool: Tool.optional().meta({ description: "The whole tool, where `details` is true." }),
    row: ToolRow.optional().meta({ description: "The tool as lists show it, where `view` is `row`." }),
  })
  .meta({ id: "FoundTool" });

export const SearchAnswer = z.object({
  query: z.string(),
  total: z.number().int().meta({ description: "All that match, in this answer or not." }),
  truncated: z.boolean(),
  tools: z.array(FoundTool),
  next: z.array(z.string()).meta({ description: "The names of those that come next." }),
  note: z.string().optional().meta({ description: "What is worth knowing: nothing fits well, for one." }),
});

const Recommendation = z.object({
  task: z.string(),
  servers: z.array(z.object({ name: z.string(), score: z.number(), tools: z.number().int() })),
  tools: z.array(FoundTool),
});

const SearchQuery = z.object({
  q: z.array(z.string()).optional().meta({
    description: "What to look for; repeated, several things at once. `select:a,b` takes tools by name.",
  }),
  regex: z
    .enum(["true", "false"], "give true or false")
    .optional()
    .meta({ description: "`q` is a pattern of at most 200 characters." }),
  server: z.string().min(1, "give the name of a server or a glob").optional(),
  limit: count(largestSearch),
  view: View,
  details: z
    .enum(["true", "false"], "give true or false")
    .optional()
    .meta({ description: "Each tool as `GET /tools/{name}` shows it, beside why it was found." }),
});

/** Finding tools by what they do. */
export function addSearchRoutes(app: App, plane: Plane): void {
  addRoute(
    app,
    {
      ...{ method: "get", path: "/search", tag: "Tools", scope: "read", query: SearchQuery },
      summary: "The tools that fit best",
      answers: { 200: { description: "Best first.", schema: SearchAnswer } },
    },
    async ({ c, caller, query: { q = [], regex, server, limit, details, view } }) => {
      const what = q.length > 1 ? { queries: q } : { query: q[0] ?? "" };
      const request = { ...what, regex: regex === "true", ...withoutUndefined({ server, limit }) };
      const isRow = view === "row";
      const withTools = isRow || details === "true";
      const answer = await plane.search(request, {
        ...{ ...caller, details: withTools },
        // A search while typing waits for no server.
        waitMs: isRow && server === undefined ? atOnceMs : waitMs,
      });
      if (!withTools) return c.json(answer);
      const whole = answer.tools.flatMap(({ tool }) => tool ?? []);
      const shown = isRow ? await renderRows(plane, whole) : whole.map(renderTool);
      const byName = new Map(shown.map((tool) => [tool.name, tool]));
      // What went away since it was found is shown as it was found.
      const tools = answer.tools.map(({ tool: _, ...found }) => ({
        ...found,
        ...withoutUndefined({ [isRow ? "row" : "tool"]: byName.get(found.name) }),
      }));
      return c.json({ ...answer, tools });
    },
  );
  addRoute(
    app,
    {
      ...{ method: "get", path: "/recommendations", tag: "Tools", scope: "read" },
      query: z.object({ task: z.string(), limit: count(15) }),
      summary: "Servers and tools worth having at hand for a task",
      answers: { 200: { description: "Best first.", schema: Recommendation } },
    },
    async ({ c, caller, query: { task, limit } }) =>
      c.json(await plane.recommend(task, { ...caller, waitMs, ...withoutUndefined({ limit }) })),
  );
}
