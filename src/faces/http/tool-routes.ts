import { Hono } from "hono";
import { nearest } from "../../lib/nearest.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import { parseToolQuery } from "../../model/tool-query.ts";
import { parseBody } from "./body.ts";
import { renderOutcome } from "./render.ts";
import { renderTool } from "./tool-view.ts";

/** What is not known by then is there the next time. */
const patienceMs = 1_000;
const wording = { spell: (parameter: string) => `'${parameter}'`, nearest };

/** Finding tools and calling them. */
export function toolRoutes(plane: Plane): Hono {
  const routes = new Hono();
  routes.get("/tools", async (c) => {
    const query = parseToolQuery(new URL(c.req.url).searchParams, wording);
    const { tools, total, nextCursor } = await plane.queryTools(query, { patienceMs });
    return c.json({ count: tools.length, total, nextCursor, tools: tools.map(renderTool) });
  });
  routes.get("/tools/:name", async (c) => c.json(renderTool(await plane.tool(c.req.param("name")))));
  routes.post("/tools/:name/call", async (c) => {
    const { arguments: args, timeoutMs, conversation } = parseCall(await c.req.text());
    const outcome = await plane.call(c.req.param("name"), args, {
      face: "http",
      signal: c.req.raw.signal,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(conversation === undefined ? {} : { conversation }),
    });
    return renderOutcome(outcome);
  });
  routes.get("/registry/summary", async (c) => {
    const persona = c.req.query("persona");
    const asked = persona === undefined || persona === "" ? {} : { persona };
    return c.json(await plane.registrySummary({ ...asked, patienceMs }));
  });
  return routes;
}

type CallBody = { arguments: unknown; timeoutMs: number | undefined; conversation: string | undefined };

function parseCall(body: string): CallBody {
  const { arguments: args, timeoutMs, conversation } = parseBody(body, '{"arguments": {…}}');
  if (timeoutMs !== undefined && (typeof timeoutMs !== "number" || timeoutMs < 0)) {
    throw new PlaneError("USAGE", "'timeoutMs' must be a number of milliseconds, 0 for no limit.");
  }
  if (conversation !== undefined && typeof conversation !== "string") {
    throw new PlaneError("USAGE", "'conversation' must be a text.");
  }
  return { arguments: args, timeoutMs, conversation };
}
