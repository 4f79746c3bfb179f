import { z } from "@hono/zod-openapi";
import { nearest } from "../../../lib/nearest.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { Plane } from "../../../model/plane.ts";
import type { Relay } from "../../../model/relay.ts";
import { parseToolQuery } from "../../../model/tool-query.ts";
import { readTraceContext } from "../../../model/trace-context.ts";
import { CallBody, parseCall } from "../call-body.ts";
import { streamCall } from "../call-stream.ts";
import { NextCursor } from "../paging.ts";
import { readWait, withWaiting } from "../prefer.ts";
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
const patienceMs = 1_000;
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
});

/** Finding tools and calling them. */
export function addToolRoutes(app: App, plane: Plane): void {
  addRoute(
    app,
    {
      ...{ method: "get", path: "/tools", tag: "Tools", scope: "read" },
      summary: "The tools that are meant, by name",
      description: "A caller without a persona may look at the tools of any; calling one takes the persona.",
      describedQuery: ToolFilters.extend({ view: View }),
      answers: { 200: { description: "One page.", schema: ToolPage } },
    },
    async ({ c, caller }) => {
      const { view, asked } = takeView(new URL(c.req.url).searchParams);
      const query = parseToolQuery(asked, wording);
      const patience = view === "row" && query.server === null ? atOnceMs : patienceMs;
      const { tools, ...page } = await plane.queryTools(query, { ...caller, patienceMs: patience });
      const shown = view === "row" ? await renderRows(plane, tools) : tools.map(renderTool);
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

/** How tools are shown is not which of them are meant. */
function takeView(given: URLSearchParams) {
  const said = given.get("view");
  const read = View.safeParse(said ?? undefined);
  if (!read.success)
    throw new PlaneError("USAGE", `'view' cannot be '${said}': give full or row.`, {
      data: { parameter: "view" },
    });
  return { view: read.data, asked: [...given].filter(([name]) => name !== "view") as [string, string][] };
}
