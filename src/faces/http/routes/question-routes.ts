import { z } from "zod";
import type { QuestionAnswer } from "../../../model/calls/provider.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { Plane } from "../../../model/plane.ts";
import { Done } from "../../../operations/schemas/done.ts";
import { Question } from "../../../operations/schemas/server.ts";
import { parseBody } from "../body.ts";
import { NextCursor, Page, takePage } from "../paging.ts";
import { type App, addRoute } from "../route.ts";

const actions = ["accept", "decline", "cancel"] as const;

/** What servers ask in the middle of calls. */
export function addQuestionRoutes(app: App, plane: Plane): void {
  addRoute(
    app,
    {
      ...{ method: "get", path: "/questions", tag: "Questions", scope: "read", query: Page },
      summary: "What servers ask the caller in the middle of calls",
      answers: {
        200: {
          description: "One page.",
          schema: z.object({ questions: z.array(Question), nextCursor: NextCursor }),
        },
      },
    },
    async ({ c, caller, query }) => {
      const keyOf = ({ askedAt, id }: { askedAt: string; id: string }) => `${askedAt} ${id}`;
      const { items, nextCursor } = takePage(await plane.questions.list(caller), keyOf, query);
      return c.json({ questions: items, nextCursor });
    },
  );
  addRoute(
    app,
    {
      ...{ method: "post", path: "/questions/{id}", tag: "Questions", scope: "call" },
      params: { id: "The question's id." },
      summary: "Answer a question",
      body: {
        schema: z.object({ action: z.enum(actions), content: z.unknown().optional() }),
        description: "`content` has to fit the question's schema.",
        example: { action: "accept", content: { colour: "green" } },
      },
      answers: { 200: { description: "It is answered.", schema: Done } },
    },
    async ({ c, caller, param }) => {
      const like = '{"action": "accept", "content": {…}}';
      const { action, content } = parseBody(await c.req.text(), like, ["action", "content"]);
      const known = actions.find((candidate) => candidate === action);
      if (known === undefined) throw new PlaneError("USAGE", `'action' must be one of ${actions.join(", ")}.`);
      const answer: QuestionAnswer = { action: known, ...(content === undefined ? {} : { content }) };
      await plane.questions.answer(param("id"), answer, caller);
      return c.json({ ok: true });
    },
  );
}
