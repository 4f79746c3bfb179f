import { z } from "zod";
import { maxSeriesMinutes, maxSeriesSteps } from "../../../model/calls/call-history.ts";
import type { Plane } from "../../../model/plane.ts";
import { CallRecord, CallStatus } from "../../../operations/schemas/outcome.ts";
import { countUpTo } from "../count-up-to.ts";
import { Cursor, Limit, NextCursor, usualPage } from "../paging.ts";
import { type App, addRoute } from "../route.ts";

const SeriesFilters = z.object({
  minutes: countUpTo(maxSeriesMinutes, { default: 60, description: "How far back." }),
  step: countUpTo(maxSeriesMinutes, {
    default: 1,
    description: `How long a step is, in minutes; there are ${maxSeriesSteps} steps at most.`,
  }),
  user: z.string().optional().meta({ description: "Only what they called; others than yourself for admins." }),
});

const times = { p50Ms: z.number().nullable(), p95Ms: z.number().nullable() };
const counts = {
  calls: z.number().int(),
  errors: z.number().int().meta({ description: "Those that failed, were refused, or ended with a tool error." }),
  byStatus: z.partialRecord(CallStatus, z.number().int()),
  ...times,
};

const CallSeries = z
  .object({
    since: z.string(),
    until: z.string(),
    stepMs: z.number().int(),
    steps: z.array(z.object({ at: z.string(), ...counts })),
    total: z.object(counts),
  })
  .meta({ id: "CallSeries", description: "By the time calls began at; the last step is not over yet." });

const statuses = CallStatus.options;

const CallFilters = z.object({
  tool: z.string().optional().meta({ description: "Calls of the tool of exactly this name." }),
  status: z.enum(statuses, `give one of ${statuses.join(", ")}`).optional(),
  user: z.string().optional().meta({ description: "Only what they called; others than yourself for admins." }),
  run: z.string().optional().meta({ description: "Calls of this run of an agent." }),
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
      const found = await plane.calls.list(
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
        await plane.calls.series(
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
    async ({ c, caller, param }) => c.json(await plane.calls.get(param("id"), caller)),
  );
}
