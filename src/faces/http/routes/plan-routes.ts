import { z } from "zod";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import type { PlanChoice } from "../../../model/calls/held-call.ts";
import type { Plane } from "../../../model/plane.ts";
import { Plan, PlanOutcome } from "../../../operations/schemas/held.ts";
import { parseFields } from "../body.ts";
import { NextCursor, Page, takePage } from "../paging.ts";
import { shownOutcome } from "../render.ts";
import { type App, addRoute } from "../route.ts";

const tag = "Approvals";
const params = { id: "The plan's id." };

const which = {
  ids: z.array(z.string()).min(1).optional().meta({ description: "Only these changes." }),
  first: z.number().int().min(1).optional().meta({ description: "Only the first so many." }),
};
const ApproveBody = z.object({
  ...which,
  continueOnFailure: z.boolean().optional().meta({ description: "False: the first failure ends it." }),
  arguments: z
    .record(z.string(), z.record(z.string(), z.unknown()))
    .optional()
    .meta({ description: "What to run instead of what was queued, by change." }),
});
const RejectBody = z.object({ ...which, reason: z.string().max(2_000).optional() });

/** Changes that were queued instead of made. */
export function addPlanRoutes(app: App, plane: Plane): void {
  addRoute(
    app,
    {
      ...{ method: "get", path: "/plans", tag, scope: "read", query: Page },
      summary: "Plans, oldest first",
      answers: {
        200: { description: "One page.", schema: z.object({ plans: z.array(Plan), nextCursor: NextCursor }) },
      },
    },
    async ({ c, caller, query }) => {
      const keyOf = ({ createdAt, id }: { createdAt: string; id: string }) => `${createdAt} ${id}`;
      const { items, nextCursor } = takePage(await plane.plans.list(caller), keyOf, query);
      return c.json({ plans: items, nextCursor });
    },
  );
  addRoute(
    app,
    {
      ...{ method: "get", path: "/plans/{id}", tag, scope: "read", params },
      summary: "One plan with its changes",
      answers: { 200: { description: "The plan.", schema: Plan } },
    },
    async ({ c, caller, param }) => c.json(await plane.plans.get(param("id"), caller)),
  );
  addRoute(
    app,
    {
      ...{ method: "post", path: "/plans/{id}/approve", tag, scope: "call", params },
      summary: "Run what waits, in order",
      description: "All of it, the changes of these ids, or the first few; the rest goes on waiting.",
      body: {
        ...{ schema: ApproveBody, description: "No body is all of it.", required: false },
        example: { first: 2, continueOnFailure: true },
      },
      answers: { 200: { description: "The plan now, and how each change went.", schema: PlanOutcome } },
    },
    async ({ c, caller, param }) => {
      const choice = withoutUndefined(parseFields(await c.req.text(), ApproveBody, '{"first": 1}'));
      const { plan, outcomes } = await plane.plans.approve(param("id"), choice as PlanChoice, caller);
      const shown = outcomes.map(({ change, outcome }) => ({
        change,
        outcome: outcome && shownOutcome(outcome),
      }));
      return c.json({ plan, outcomes: shown });
    },
  );
  addRoute(
    app,
    {
      ...{ method: "post", path: "/plans/{id}/reject", tag, scope: "call", params },
      summary: "Do none of what waits, or not these changes",
      body: {
        ...{ schema: RejectBody, description: "No body is all of it.", required: false },
        example: { reason: "Not on a Friday." },
      },
      answers: { 200: { description: "The plan now.", schema: Plan } },
    },
    async ({ c, caller, param }) => {
      const choice = withoutUndefined(parseFields(await c.req.text(), RejectBody, '{"reason": "…"}'));
      return c.json(await plane.plans.reject(param("id"), choice as PlanChoice, caller));
    },
  );
}
