import { z } from "zod";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { type Answer, heldOrders } from "../../../model/calls/held-call.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { Plane } from "../../../model/plane.ts";
import { Done } from "../../../operations/schemas/done.ts";
import { Approval, HeldStatus, Remembered } from "../../../operations/schemas/held.ts";
import { Outcome } from "../../../operations/schemas/outcome.ts";
import { parseFields } from "../body.ts";
import { Cursor, Limit, NextCursor, Page, takePage, usualPage } from "../paging.ts";
import { shownOutcome } from "../render.ts";
import { type App, addRoute } from "../route.ts";

const tag = "Approvals";
const params = { id: "The approval's id." };
const statuses = ["all", ...HeldStatus.options] as const;
const Filters = z.object({
  status: z
    .enum(statuses, `give one of ${statuses.join(", ")}`)
    .default("pending")
    .meta({ description: "`all` for what waits and what is over." }),
  order: z
    .enum(heldOrders, `give one of ${heldOrders.join(", ")}`)
    .default("oldest")
    .meta({
      description: "`pending` is what waits first, then the rest (with `status=all`); both newest first.",
    }),
  limit: Limit,
  cursor: Cursor,
});

const Remember = z
  .strictObject({
    for: z.enum(["tool", "arguments", "server"]),
    arguments: z.record(z.string(), z.string()).optional().meta({ description: "Globs by argument." }),
    forMs: z.number().positive().optional().meta({ description: "For good when left out." }),
    conversation: z.boolean().optional().meta({ description: "Only in the conversation of the call." }),
  })
  .meta({ description: "Do not ask again about calls like this." });
const AnswerBody = z.object({
  decision: z.enum(["approve", "reject"]),
  arguments: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: "Run it with these instead; they are checked like those of any call." }),
  reason: z.string().max(2_000).optional(),
  remember: Remember.optional(),
});

/** Calls that wait for a person's yes, and the answers that are remembered. */
export function addApprovalRoutes(app: App, plane: Plane): void {
  addRememberedRoutes(app, plane);
  addRoute(
    app,
    {
      ...{ method: "get", path: "/approvals", tag, scope: "read", query: Filters },
      summary: "Calls that wait for a person's yes, or what became of others; oldest first by default",
      description: "Your own, and everybody's for members of `approvals.approvers` and the scope `admin`.",
      answers: {
        200: {
          description: "One page.",
          schema: z.object({
            approvals: z.array(Approval),
            total: z.number().int().meta({ description: "All that are meant, on this page or not." }),
            nextCursor: NextCursor,
          }),
        },
      },
    },
    async ({ c, caller, query: { status, order, ...page } }) => {
      const { limit = usualPage, cursor } = page;
      const meant = status === "all" ? undefined : status;
      return c.json(await plane.approvals.page({ status: meant, order, limit, cursor }, caller));
    },
  );
  addRoute(
    app,
    {
      ...{ method: "get", path: "/approvals/{id}", tag, scope: "read", params },
      summary: "One of them: what would run and why it is asked about, or what became of it",
      answers: { 200: { description: "The approval.", schema: Approval } },
    },
    async ({ c, caller, param }) => c.json(await plane.approvals.get(param("id"), caller)),
  );
  addRoute(
    app,
    {
      ...{ method: "post", path: "/approvals/{id}", tag, scope: "call", params },
      summary: "Say yes or no",
      description: "The first answer counts; later ones are a 409. What was approved runs before this answers.",
      body: {
        schema: AnswerBody,
        description: "`arguments` and `remember` go with a yes.",
        example: { decision: "approve", remember: { for: "tool", forMs: 3_600_000 } },
      },
      answers: {
        200: {
          description: "`outcome` tells how the call went; it is missing where its caller waits for it.",
          schema: z.object({ approval: Approval, outcome: Outcome.optional() }),
        },
      },
    },
    async ({ c, caller, param }) => {
      const given = parseFields(await c.req.text(), AnswerBody, '{"decision": "approve"}');
      const { remember, ...rest } = given;
      const answer = {
        ...withoutUndefined(rest),
        ...(remember ? { remember: withoutUndefined(remember) } : {}),
      } as Answer;
      const { approval, outcome } = await plane.approvals.answer(param("id"), answer, caller);
      return c.json({ approval, ...(outcome ? { outcome: shownOutcome(outcome) } : {}) });
    },
  );
}

/** Before the routes of one approval, whose id could be any word. */
function addRememberedRoutes(app: App, plane: Plane): void {
  addRoute(
    app,
    {
      ...{ method: "get", path: "/approvals/remembered", tag, scope: "read", query: Page },
      summary: "Your answers that are good for more than one call",
      answers: {
        200: {
          description: "One page.",
          schema: z.object({ remembered: z.array(Remembered), nextCursor: NextCursor }),
        },
      },
    },
    async ({ c, caller, query }) => {
      const keyOf = ({ createdAt, id }: { createdAt: string; id: string }) => `${createdAt} ${id}`;
      const { items, nextCursor } = takePage(await plane.approvals.remembered(caller), keyOf, query);
      return c.json({ remembered: items, nextCursor });
    },
  );
  addRoute(
    app,
    {
      ...{ method: "delete", path: "/approvals/remembered/{id}", tag, scope: "call" },
      params: { id: "The id of the remembered answer." },
      summary: "Ask again about calls like that",
      answers: { 200: { description: "It is asked about again.", schema: Done } },
    },
    async ({ c, caller, param }) => {
      const id = param("id");
      if (await plane.approvals.forget(id, caller)) return c.json({ ok: true });
      throw new PlaneError("NOT_FOUND", `No answer '${id}' of yours is remembered.`);
    },
  );
}
