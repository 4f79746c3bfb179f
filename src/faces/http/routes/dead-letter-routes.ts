import { z } from "zod";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import type { Plane } from "../../../model/plane.ts";
import { deadLetterStatuses } from "../../../model/work/dead-letter.ts";
import { Done } from "../../../operations/schemas/done.ts";
import { Outcome } from "../../../operations/schemas/outcome.ts";
import { ErrorReport } from "../../../operations/schemas/problem.ts";
import { parseFields } from "../body.ts";
import { Cursor, Limit, NextCursor, usualPage } from "../paging.ts";
import { renderOutcome } from "../render.ts";
import { type App, addRoute } from "../route.ts";

const DeadLetter = z
  .object({
    id: z.string(),
    callId: z.string(),
    tool: z.string(),
    server: z.string().nullable(),
    principal: z.looseObject({ user: z.string().nullable() }),
    face: z.string(),
    arguments: z.unknown().meta({ description: "As the caller gave them; null when they were too large to keep." }),
    error: ErrorReport,
    category: z.string(),
    attempts: z.number().int(),
    maxAttempts: z.number().int(),
    status: z.enum(deadLetterStatuses),
    nextRetryAt: z.string().nullable().meta({ description: "Null when it is not tried again by itself." }),
    hold: z.string().nullable().meta({ description: "Why it is not tried again by itself." }),
    conversation: z.string().nullable(),
    resolvedCallId: z.string().nullable(),
    createdAt: z.string(),
    updatedAt: z.string(),
    history: z.array(z.looseObject({ at: z.string(), status: z.enum(deadLetterStatuses) })),
  })
  .meta({ id: "DeadLetter" });

const params = { id: "The entry's id." };
const statuses = z.enum(deadLetterStatuses, `give one of ${deadLetterStatuses.join(", ")}`);
const Filters = z.object({
  status: statuses.optional(),
  tool: z.string().optional(),
  server: z.string().optional(),
  limit: Limit,
  cursor: Cursor,
});
const DeadLetterPage = z.object({
  total: z.number().int(),
  byStatus: z.record(z.string(), z.number().int()),
  deadLetters: z.array(DeadLetter),
  nextCursor: NextCursor,
});
const Note = z.object({ note: z.string().optional() });
const decisions = {
  resolve: "Somebody has taken care of it in another way",
  abandon: "Do not try it again",
} as const;

/** Calls that failed for good: one's own, or everybody's with the scope `admin`. */
export function addDeadLetterRoutes(app: App, plane: Plane): void {
  addRoute(
    app,
    {
      ...{ method: "get", path: "/dead-letters", tag: "Dead letters", scope: "read", query: Filters },
      summary: "Calls that failed for good, newest first",
      description: "Your own; everybody's with the scope `admin`.",
      answers: { 200: { description: "One page.", schema: DeadLetterPage } },
    },
    async ({ c, caller, query: { limit = usualPage, ...filters } }) =>
      c.json(await plane.deadLetters.page({ ...withoutUndefined(filters), limit }, caller)),
  );
  addRoute(
    app,
    {
      ...{ method: "get", path: "/dead-letters/{id}", tag: "Dead letters", scope: "read", params },
      summary: "One of them",
      answers: { 200: { description: "The entry.", schema: DeadLetter } },
    },
    async ({ c, caller, param }) => c.json(await plane.deadLetters.get(param("id"), caller)),
  );
  addRoute(
    app,
    {
      ...{ method: "post", path: "/dead-letters/{id}/retry", tag: "Dead letters", scope: "call", params },
      summary: "Make the call again, along the whole path",
      answers: {
        200: { description: "The tool answered; `ok` is false when it said no.", schema: Outcome },
        202: { description: "A person has to say yes first.", schema: Outcome },
      },
    },
    async ({ c, caller, param }) =>
      renderOutcome(await plane.deadLetters.retry(param("id"), { ...caller, signal: c.req.raw.signal })),
  );
  for (const decision of ["resolve", "abandon"] as const) {
    const decide = decision === "resolve" ? plane.deadLetters.resolve : plane.deadLetters.abandon;
    addRoute(
      app,
      {
        ...{
          method: "post",
          path: `/dead-letters/{id}/${decision}`,
          tag: "Dead letters",
          scope: "call",
          params,
        },
        summary: decisions[decision],
        body: {
          ...{ schema: Note, description: "Why, for those who look later.", required: false },
          example: { note: "Sent by hand." },
        },
        answers: { 200: { description: "The entry now.", schema: DeadLetter } },
      },
      async ({ c, caller, param }) => {
        const note = withoutUndefined(parseFields(await c.req.text(), Note, '{"note": "…"}'));
        return c.json(await decide(param("id"), note, caller));
      },
    );
  }
  addRoute(
    app,
    {
      ...{ method: "delete", path: "/dead-letters/{id}", tag: "Dead letters", scope: "call", params },
      summary: "Take one away",
      answers: { 200: { description: "`ok` is false when there was none.", schema: Done } },
    },
    async ({ c, caller, param }) => c.json({ ok: await plane.deadLetters.delete(param("id"), caller) }),
  );
}
