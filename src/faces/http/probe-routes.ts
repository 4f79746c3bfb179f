import { z } from "zod";
import { once } from "../../lib/async/once.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import { Done } from "../../operations/fields.ts";
import { createDocument } from "./describe-route.ts";
import { docsPolicy, renderDocsPage } from "./docs-page.ts";
import { withExtensions } from "./extension-paths.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { stopping } from "./own-answers.ts";
import { problemResponse } from "./render.ts";
import { type App, addRoute } from "./route.ts";

const Probe = z.object({
  ready: z
    .enum(["true", "false"])
    .optional()
    .meta({ description: "`true` asks as /readyz does, for probes that have no credential." }),
});

/** For operators. Added last, so that the document holds every other route. */
export function addProbeRoutes(
  app: App,
  plane: Plane,
  closing: AbortSignal,
  metrics: Metrics,
): void {
  addRoute(
    app,
    {
      method: "get",
      path: "/healthz",
      tag: "Operation",
      scope: null,
      query: Probe,
      summary: "Is the process there? Needs no credential",
      answers: { 200: { description: "It is.", schema: Done } },
    },
    async ({ c, query }) => {
      if (query.ready !== "true") return c.json({ ok: true });
      if (closing.aborted) return problemResponse(stopping());
      // What is wrong with the store is for those who may know it, at /readyz.
      const { ready } = await plane.readiness();
      if (ready) return c.json({ ok: true });
      return problemResponse(
        new PlaneError("STORE_FAILED", "This plane cannot reach its store. Ask another, or later."),
      );
    },
  );
  addRoute(
    app,
    {
      method: "get",
      path: "/metrics",
      tag: "Operation",
      scope: "admin",
      summary: "Counters and gauges for Prometheus",
      headers: {
        Accept: "`application/openmetrics-text` for OpenMetrics; the older text format otherwise.",
      },
      answers: { 200: { description: "The numbers of the whole plane.", type: "text/plain" } },
    },
    async ({ c }) => {
      const { type, text } = await metrics.render(c.req.header("accept"));
      return c.body(text, 200, { "content-type": type });
    },
  );
  const ownDocument = once(async () => createDocument(app.routesDescribed));
  const document = async () =>
    withExtensions(await ownDocument(), await plane.extensions.operations());
  addRoute(
    app,
    {
      method: "get",
      path: "/openapi.json",
      tag: "Operation",
      scope: "read",
      summary: "This document",
      answers: {
        200: { description: "OpenAPI 3.1.", schema: z.looseObject({ openapi: z.string() }) },
      },
    },
    async ({ c }) => c.json(await document()),
  );
  addRoute(
    app,
    {
      method: "get",
      path: "/docs",
      tag: "Operation",
      scope: "read",
      summary: "This document as a page for people",
      answers: { 200: { description: "A page without scripts.", type: "text/html" } },
    },
    async ({ c }) =>
      c.html(renderDocsPage(await document()), 200, { "content-security-policy": docsPolicy }),
  );
}
