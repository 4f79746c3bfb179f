import { z } from "zod";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { changeKinds } from "../../../model/catalogue/change.ts";
import type { Plane } from "../../../model/plane.ts";
import { CallStatus } from "../../../operations/schemas/outcome.ts";
import { Limit } from "../paging.ts";
import { type App, addRoute } from "../route.ts";

const manifest = z.record(z.string(), z.unknown()).nullable();

const Change = z
  .object({
    id: z.number().int(),
    at: z.string(),
    kind: z.enum(changeKinds),
    what: z.string(),
    name: z.string(),
    persona: z.string().nullable(),
    source: z.string(),
    by: z.object({ user: z.string().nullable(), face: z.string().nullable(), system: z.string().nullable() }),
    reason: z.string().nullable(),
    before: manifest,
    after: manifest,
    count: z.number().int(),
    revision: z.number().int(),
  })
  .meta({ id: "Change" });

const number = z.number().int();
const ChangePage = z.object({
  changes: z.array(Change),
  ...{ count: number, total: number, offset: number, limit: number },
});

const offsetText = "give a whole number from 0";
const ChangeFilters = z.object({
  persona: z.string().optional().meta({ description: "What happened to the entries of this persona." }),
  name: z.string().optional(),
  kind: z.enum(changeKinds, `give one of ${changeKinds.join(", ")}`).optional(),
  limit: Limit,
  offset: z
    .string()
    .regex(/^\d{1,9}$/, offsetText)
    .transform(Number)
    .optional()
    .meta({ type: "integer", minimum: 0, description: "So many are left out at the beginning." }),
});

const ActivityEntry = z
  .object({
    ...{ id: z.string(), at: z.string(), tool: z.string(), user: z.string().nullable(), face: z.string() },
    status: CallStatus,
    durationMs: z.number(),
    arguments: z.string(),
    result: z.string().nullable(),
    code: z.string().nullable(),
  })
  .meta({ id: "ActivityEntry" });

/** What changed in the catalogue, and what was done with it last. Before the routes that take any name. */
export function addChangeRoutes(app: App, plane: Plane): void {
  for (const what of ["tool", "skill", "task", "job"] as const) {
    addRoute(
      app,
      {
        ...{ method: "get", path: `/${what}s/changes`, tag: "Registry", scope: "read", query: ChangeFilters },
        summary: `What happened to ${what}s, by whom and why, newest first`,
        answers: { 200: { description: "One page.", schema: ChangePage } },
      },
      async ({ c, caller, query }) =>
        c.json(await plane.registry.changes({ what, ...withoutUndefined(query) }, caller)),
    );
  }
  addRoute(
    app,
    {
      ...{ method: "get", path: "/activity", tag: "Calls", scope: "read" },
      summary: "The last hundred calls in short, newest first",
      description: "Your own; everybody's with the scope `admin`. Kept in memory only; what looks secret is hidden.",
      answers: {
        200: { description: "All of them.", schema: z.object({ activity: z.array(ActivityEntry) }) },
      },
    },
    async ({ c, caller }) => c.json({ activity: await plane.calls.activity(caller) }),
  );
}
