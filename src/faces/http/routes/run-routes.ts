import { z } from "zod";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { agentOutcomes } from "../../../model/agent/agent-run.ts";

import { PlaneError } from "../../../model/errors.ts";
import type { Plane } from "../../../model/plane.ts";
import { Run, RunSummary } from "../../../operations/schemas/run.ts";
import { Cursor, Limit, NextCursor, usualPage } from "../paging.ts";
import { type App, addRoute } from "../route.ts";

const RunFilters = z.object({
  outcome: z.enum(agentOutcomes, `give one of ${agentOutcomes.join(", ")}`).optional(),
  model: z.string().optional(),
  toolset: z.string().optional(),
  conversation: z.string().optional(),
  since: z
    .string()
    .optional()
    .meta({ description: "Those that began then or later: a time such as `2026-11-15T09:00:00Z`." }),
  user: z.string().optional().meta({ description: "Only what they asked; others than yourself for admins." }),
  limit: Limit,
  cursor: Cursor,
});

/** What agents did: one's own runs, or everybody's for whoever has the scope `admin`. */
export function addRunRoutes(app: App, plane: Plane): void {
  addRoute(
    app,
    {
      ...{ method: "get", path: "/runs", tag: "Calls", scope: "read", query: RunFilters },
      summary: "Runs of agents, newest first",
      description: "Your own; everybody's with the scope `admin`. Without steps and messages.",
      answers: {
        200: {
          description: "One page.",
          schema: z.object({ runs: z.array(RunSummary), nextCursor: NextCursor }),
        },
      },
    },
    async ({ c, caller, query: { limit = usualPage, ...query } }) =>
      c.json(await plane.runs.page({ limit, ...withoutUndefined(query) }, caller)),
  );
  addRoute(
    app,
    {
      ...{ method: "get", path: "/runs/{id}", tag: "Calls", scope: "read", params: { id: "The run's id." } },
      summary: "One run: what was said, what was called, and where the time went",
      headers: {
        Accept: "`text/plain` for text to read; JSON otherwise.",
      },
      answers: {
        200: { description: "What is kept of it.", schema: Run, also: ["text/plain"] },
      },
    },
    async ({ c, caller, param }) => {
      const accepted = c.req.header("accept") ?? "";
      c.header("vary", "Accept");
      if (/\btext\/plain\b/i.test(accepted)) return c.text((await plane.runs.render(param("id"), "text", caller)).text);
      if (accepted !== "" && !/\bapplication\/(?:json|\*)|\*\/\*/i.test(accepted))
        throw new PlaneError(
          "USAGE",
          "A run is available as application/json or text/plain. Ask for one of them in 'Accept'.",
        );
      return c.json(await plane.runs.get(param("id"), caller));
    },
  );
}
