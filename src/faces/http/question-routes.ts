import { Hono } from "hono";
import { PlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import type { QuestionAnswer } from "../../model/question.ts";
import { parseBody } from "./body.ts";

const actions = ["accept", "decline", "cancel"] as const;

/** What servers ask in the middle of calls. */
export function questionRoutes(plane: Plane): Hono {
  const routes = new Hono();
  routes.get("/questions", async (c) => c.json({ questions: await plane.questions() }));
  routes.post("/questions/:id", async (c) => {
    const { action, content } = parseBody(await c.req.text(), '{"action": "accept", "content": {…}}');
    const known = actions.find((candidate) => candidate === action);
    if (known === undefined) throw new PlaneError("USAGE", `'action' must be one of ${actions.join(", ")}.`);
    const answer: QuestionAnswer = { action: known, ...(content === undefined ? {} : { content }) };
    await plane.answer(c.req.param("id"), answer);
    return c.json({ ok: true });
  });
  return routes;
}
