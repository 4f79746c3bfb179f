import { z } from "@hono/zod-openapi";
import { nearest } from "../../../lib/nearest.ts";
import type { Plane } from "../../../model/plane.ts";
import type { Relay } from "../../../model/relay.ts";
import { parseToolQuery } from "../../../model/tool-query.ts";
import { readTraceContext } from "../../../model/trace-context.ts";
import { Best, checkBest, queryBestFirst } from "../best-first.ts";
import { CallBody, parseCall } from "../call-body.ts";
import { streamCall } from "../call-stream.ts";
import { NextCursor } from "../paging.ts";
import { readWait, withWaiting } from "../prefer.ts";
import { readQuery } from "../read-query.ts";
import { renderOutcome } from "../render.ts";
import { type App, addRoute } from "../route.ts";
import { Locked } from "../schemas/locked.ts";
import { Outcome, outcomeExample } from "../schemas/outcome.ts";
import { Tool } from "../schemas/tool.ts";
import { ToolFilters } from "../schemas/tool-filters.ts";
import { View } from "../schemas/tool-row.ts";
import { renderRows } from "../tool-row.ts";
import { renderTool } from "../tool-view.ts";
import { wantsStream } from "../wants-stream.ts";

/** What is not known by then is there the next time. */
const waitMs = 1_000;
/** A list for somebody who types waits for no server; it is told when one has listed. */
const atOnceMs = 1;
const wording = { spell: (parameter: string) => `'${parameter}'`, nearest };
const name = "The tool's name, in any spelling.";

const ToolPage = z.object({
  count: z.number().int(),
  total: z.number().int().openapi({ description: "All that match, on this page or not." }),
  nextCursor: NextCursor,
  tools: z.array(Tool).openapi({ description: "`ToolRow` where `view` is `row`." }),
  locked: z
    .array(Locked)
    .optional()
    .openapi({ description: "Tools of servers that are not for the caller and may be told of." }),
  note: z
    .string()
    .optional()
    .openapi({ description: "What `GET /search` has to say, where `best` is given." }),
});

/** Finding tools and calling them. */
export function addToolRoutes(app: App, plane: Plane): void {
  addRoute(
    app,
    {
      ...{ method: "get", path: "/tools", tag: "Tools", scope: "read" },
      summary: "The tools that are meant, by name",
      description: "A caller without a persona may look at the tools of any; calling one takes the persona.",
      describedQuery: ToolFilters.extend({ view: View, best: Best }),
      answers: { 200: { description: "One page.", schema: ToolPage } },
    },
    async ({ c, caller }) => {
      const { view, best, asked } = takeView(new URL(c.req.url).searchParams);
      const isRow = view === "row";
      const query = parseToolQuery(asked, wording);
      // No row tells of providers.
      const meant = isRow ? { ...query, includeProviderHealth: false } : query;
      const who = { ...caller, waitMs: isRow && query.server === null ? atOnceMs : waitMs };
      const { tools, ...page } = await (best === undefined
        ? plane.queryTools(meant, who)
        : queryBestFirst(plane, meant, best, who));
      const shown = isRow ? await renderRows(plane, tools) : tools.map(renderTool);
      return c.json({ count: tools.length, ...page, tools: shown });
    },
  );
  addRoute(
    app,
    {
      ...{ method: "get", path: "/tools/{name}", tag: "Tools", scope: "read", params: { name } },
      summary: "One tool",
      answers: { 200: { description: "The tool.", schema: Tool } },
    },
    async ({ c, caller, param }) => c.json(renderTool(await plane.tool(param("name"), caller))),
  );
  addRoute(
    app,
    {
      ...{ method: "post", path: "/tools/{name}/call", tag: "Tools", scope: "call", params: { name } },
      summary: "Call a tool",
      description:
        "When the client goes away, the call is cancelled. With `Accept: text/event-stream` the answer is a stream: `progress` and `log` as the server tells of them, then `outcome`, which is what the answer is otherwise.",
      headers: {
        Prefer: "`wait=N`: stay so many seconds for a person's yes, where one is needed.",
        Traceparent: "The trace that the call belongs to (W3C); passed on to whoever executes it.",
      },
      body: {
        schema: CallBody,
        description: "No body is a call without arguments.",
        example: { arguments: { name: "Ann" } },
        required: false,
      },
      answers: {
        200: {
          description: "The tool answered; `ok` is false when it said no.",
          schema: Outcome,
          example: outcomeExample,
        },
        202: {
          description:
            "A person has to say yes first: `approval` or `plan` tells what it waits for, `Location` where to look.",
          schema: Outcome,
        },
      },
    },
    async ({ c, caller, param }) => {
      const { arguments: args, ...options } = parseCall(await c.req.text());
      const trace = readTraceContext(c.req.header());
      const waitSeconds = readWait(c.req.header("prefer"));
      const call = (relay: Relay, signal: AbortSignal) =>
        plane.call(param("name"), args, {
          ...{ ...caller, signal, ...options },
          relay: { ...relay, ...(trace === null ? {} : { meta: trace }) },
          ...(waitSeconds === null ? {} : { approvalWaitMs: waitSeconds * 1_000 }),
        });
      if (wantsStream(c)) return streamCall(c, call);
      const outcome = await call({}, c.req.raw.signal);
      return withWaiting(renderOutcome(outcome), outcome, waitSeconds);
    },
  );
}

const Shown = z.object({ view: View, best: Best });

/** How tools are shown, and in which order, is not which of them are meant. */
function takeView(given: URLSearchParams) {
  const isShown = (name: string) => Object.hasOwn(Shown.shape, name);
  const shown = readQuery(Shown, new URLSearchParams([...given].filter(([name]) => isShown(name))));
  const asked = [...given].filter(([name]) => !isShown(name)) as [string, string][];
  const { view, best } = shown as z.output<typeof Shown>;
  if (best !== undefined) checkBest(asked.map(([name]) => name));
  return { view, best, asked };
}
