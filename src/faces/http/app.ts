import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { PlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import { parseBody } from "./body.ts";
import { checkOrigin } from "./origin.ts";
import { questionRoutes } from "./question-routes.ts";
import { renderOutcome, renderProblem } from "./render.ts";
import { serverRoutes } from "./server-routes.ts";
import { tokenRoutes } from "./token-routes.ts";

/** What is not known by then is there the next time. */
const patienceMs = 1_000;
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
  app.route("/", serverRoutes(plane));
  app.route("/", questionRoutes(plane));
  app.route("/", tokenRoutes(plane));
  app.get("/tools", async (c) => {
    const server = c.req.query("server");
    const tools = await plane.tools({ patienceMs, ...(server === undefined ? {} : { server }) });
    return c.json({ count: tools.length, tools });
  });
  app.get("/tools/:name", async (c) => c.json(await plane.tool(c.req.param("name"))));
  app.post("/tools/:name/call", async (c) => {
    const { arguments: args, timeoutMs, conversation } = parseCall(await c.req.text());
    const outcome = await plane.call(c.req.param("name"), args, {
      face: "http",
      signal: c.req.raw.signal,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(conversation === undefined ? {} : { conversation }),
    });
    return renderOutcome(outcome);
  });
  return app;
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

function tooLarge(): PlaneError {
  return new PlaneError("PAYLOAD_TOO_LARGE", `The body is larger than ${bodyLimitBytes / 1024 / 1024} MiB.`);
}
