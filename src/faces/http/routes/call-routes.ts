import { z } from "@hono/zod-openapi";
import type { Plane } from "../../../model/plane.ts";
import { Cursor, Limit, NextCursor, usualPage } from "../paging.ts";
import { type App, addRoute } from "../route.ts";
import { CallSeries, SeriesFilters } from "../schemas/call-series.ts";
import { CallRecord, CallStatus } from "../schemas/outcome.ts";

const statuses = CallStatus.options;

const CallFilters = z.object({
  tool: z.string().optional().openapi({ description: "Calls of the tool of exactly this name." }),
  status: z.enum(statuses, `give one of ${statuses.join(", ")}`).optional(),
  user: z
    .string()
    .optional()
    .openapi({ description: "Only what they called; others than yourself for admins." }),
  run: z.string().optional().openapi({ description: "Calls of this run of an agent." }),
  limit: Limit,
  cursor: Cursor,
});

/** What was called, by whom and how it went: one's own calls, or everybody's for whoever has the scope `admin`. */
export function addCallRoutes(app: App, plane: Plane): void {
  addRoute(
    app,
    {
      ...{ method: "get", path: "/calls", tag: "Calls", scope: "read", query: CallFilters },
      summary: "Calls, newest first",
      description: "Your own; everybody's with the scope `admin`.",
      answers: {
        200: {
          description: "One page.",
          schema: z.object({ calls: z.array(CallRecord), nextCursor: NextCursor }),
        },
      },
    },
    async ({ c, caller, query: { tool, status, user, run, limit = usualPage, cursor } }) => {
      const found = await plane.calls(
        {
          ...(tool === undefined ? {} : { tool }),
          ...(status === undefined ? {} : { status }),
          ...(user === undefined ? {} : { user }),
          ...(run === undefined ? {} : { run }),
          ...(cursor === undefined ? {} : { before: cursor }),
          limit: limit + 1,
        },
        caller,
      );
      const calls = found.slice(0, limit);
      return c.json({ calls, nextCursor: found.length > limit ? (calls.at(-1)?.id ?? null) : null });
    },
  );
  addRoute(
    app,
    {
      ...{ method: "get", path: "/calls/series", tag: "Calls", scope: "read", query: SeriesFilters },
      summary: "How many calls there were lately, how they went and how long they took",
      description: "Of your own calls; of everybody's with the scope `admin`.",
      answers: { 200: { description: "Steps of time, oldest first.", schema: CallSeries } },
    },
    async ({ c, caller, query: { minutes, step, user } }) =>
      c.json(
        await plane.callSeries(
          {
            ...(minutes === undefined ? {} : { minutes }),
            ...(step === undefined ? {} : { stepMinutes: step }),
            ...(user === undefined ? {} : { user }),
          },
          caller,
        ),
      ),
  );
  addRoute(
    app,
    {
      ...{
        method: "get",
        path: "/calls/{id}",
        tag: "Calls",
        scope: "read",
        params: { id: "The call's id." },
      },
      summary: "One call: how it was decided and how it went",
      answers: { 200: { description: "What is kept of it.", schema: CallRecord } },
    },
    async ({ c, caller, param }) => c.json(await plane.callRecord(param("id"), caller)),
  );
}
