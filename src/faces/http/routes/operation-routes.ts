import { z } from "zod";
import { PlaneError } from "../../../model/errors.ts";
import type { Plane } from "../../../model/plane.ts";
import { Done } from "../../../operations/fields.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { renderProblem } from "../render.ts";
import { type App, addRoute } from "../route.ts";

const Probe = z.object({
  ready: z
    .enum(["true", "false"])
    .optional()
    .meta({ description: "`true` asks as /readyz does, for probes that have no credential." }),
});

/** For operators. */
export function addOperationRoutes(app: App, plane: Plane, closing: AbortSignal, metrics: Metrics): void {
  addRoute(
    app,
    {
      ...{ method: "get", path: "/healthz", tag: "Operation", scope: null, query: Probe },
      summary: "Is the process there? Needs no credential",
      answers: { 200: { description: "It is.", schema: Done } },
    },
    async ({ c, query }) => {
      if (query.ready !== "true") return c.json({ ok: true });
      if (closing.aborted) return renderProblem(stopping());
      // What is wrong with the store is for those who may know it, at /readyz.
      const { ready } = await plane.readiness();
      return ready
        ? c.json({ ok: true })
        : renderProblem(new PlaneError("STORE_FAILED", "This plane cannot reach its store. Ask another, or later."));
    },
  );
  addRoute(
    app,
    {
      ...{ method: "get", path: "/readyz", tag: "Operation", scope: null },
      summary: "Does it take requests?",
      answers: {
        200: { description: "It does.", schema: z.object({ ready: z.boolean() }) },
      },
    },
    async ({ c }) => {
      if (closing.aborted) return renderProblem(stopping());
      const state = await plane.readiness();
      if (state.ready) return c.json({ ready: true });
      return renderProblem(new PlaneError("STORE_FAILED", state.reason, { data: { since: state.since } }));
    },
  );
  addRoute(
    app,
    {
      ...{ method: "get", path: "/metrics", tag: "Operation", scope: "admin" },
      summary: "Counters and gauges for Prometheus",
      headers: { Accept: "`application/openmetrics-text` for OpenMetrics; the older text format otherwise." },
      answers: { 200: { description: "The numbers of the whole plane.", type: "text/plain" } },
    },
    async ({ c }) => {
      const { type, text } = await metrics.render(c.req.header("accept"));
      return c.body(text, 200, { "content-type": type });
    },
  );
}

function stopping(): PlaneError {
  return new PlaneError("SERVER_UNAVAILABLE", "This plane is stopping. Ask another, or later.");
}
