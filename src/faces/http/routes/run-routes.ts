import { PlaneError } from "../../../model/errors.ts";
import type { Plane } from "../../../model/plane.ts";
import { Run } from "../../../operations/schemas/run.ts";
import { type App, addRoute } from "../route.ts";

/** One run, as JSON or as text. */
export function addRunRoutes(app: App, plane: Plane): void {
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
