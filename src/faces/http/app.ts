import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { PlaneError } from "../../model/errors.ts";
import { isObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import { checkOrigin } from "./origin.ts";
import { renderOutcome, renderProblem } from "./render.ts";

const bodyLimitBytes = 4 * 1024 * 1024;

export function createApp(plane: Plane, { host }: { host: string }): Hono {
  const app = new Hono();
  app.use(checkOrigin(host));
  app.use(bodyLimit({ maxSize: bodyLimitBytes, onError: () => renderProblem(tooLarge()) }));
  app.onError((error) => renderProblem(error));
  app.notFound(({ req }) =>
    renderProblem(new PlaneError("NOT_FOUND", `No route ${req.method} ${req.path}.`)),
  );

  app.get("/healthz", (c) => c.json({ ok: true }));
  app.get("/servers", async (c) => c.json({ servers: await plane.servers() }));
  app.get("/tools", async (c) => {
    const server = c.req.query("server");
    const tools = await plane.tools(server === undefined ? {} : { server });
    return c.json({ count: tools.length, tools });
  });
  app.get("/tools/:name", async (c) => c.json(await plane.tool(c.req.param("name"))));
  app.post("/tools/:name/call", async (c) => {
    const { arguments: args, timeoutMs } = parseCall(await c.req.text());
    const outcome = await plane.call(c.req.param("name"), args, {
      face: "http",
      signal: c.req.raw.signal,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    return renderOutcome(outcome);
  });
  return app;
}

function parseCall(body: string): { arguments: unknown; timeoutMs: number | undefined } {
  const given = parseBody(body);
  const { arguments: args, timeoutMs } = given;
  if (timeoutMs !== undefined && (typeof timeoutMs !== "number" || timeoutMs < 0)) {
    throw new PlaneError("USAGE", "'timeoutMs' must be a number of milliseconds, 0 for no limit.");
  }
  return { arguments: args, timeoutMs };
}

function parseBody(body: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = body.trim() === "" ? {} : JSON.parse(body);
  } catch (thrown) {
    throw new PlaneError("USAGE", `The body is not valid JSON: ${(thrown as Error).message}.`);
  }
  if (isObject(parsed)) return parsed;
  throw new PlaneError("USAGE", 'The body must be an object like {"arguments": {…}}.');
}

function tooLarge(): PlaneError {
  return new PlaneError("PAYLOAD_TOO_LARGE", `The body is larger than ${bodyLimitBytes / 1024 / 1024} MiB.`);
}
