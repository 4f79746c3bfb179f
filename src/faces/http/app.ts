import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { PlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import { eventRoutes } from "./event-routes.ts";
import { checkOrigin } from "./origin.ts";
import { questionRoutes } from "./question-routes.ts";
import { renderProblem } from "./render.ts";
import { serverRoutes } from "./server-routes.ts";
import { tokenRoutes } from "./token-routes.ts";
import { toolRoutes } from "./tool-routes.ts";

const bodyLimitBytes = 4 * 1024 * 1024;

export function createApp(plane: Plane, { host, closing }: { host: string; closing: AbortSignal }): Hono {
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
  app.route("/", eventRoutes(plane, closing));
  app.route("/", toolRoutes(plane));
  return app;
}

function tooLarge(): PlaneError {
  return new PlaneError("PAYLOAD_TOO_LARGE", `The body is larger than ${bodyLimitBytes / 1024 / 1024} MiB.`);
}
