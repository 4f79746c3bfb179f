import { z } from "zod";
import type { Plane } from "../../../model/plane.ts";
import { RefreshReport } from "../../../operations/schemas/server.ts";
import { HealthSummary, LastInvocation, Provider } from "../../../operations/schemas/tool.ts";
import { type App, addRoute } from "../route.ts";

/** What is not known by then is there the next time. */
const waitMs = 1_000;

const Compatibility = z.object({
  persona: z.string().nullable(),
  persona_specific: z.boolean(),
  matches_request: z.boolean(),
  allowlist: z.array(z.string()).nullable(),
});

const ToolEntry = z.object({
  name: z.string(),
  persona: z.string().nullable(),
  version: z.string(),
  capabilities: z.array(z.string()),
  capability_tags: z.array(z.string()),
  compatibility: Compatibility,
  health: z.object({
    tool: HealthSummary,
    providers: z.record(z.string(), z.unknown()),
    last_invocation: LastInvocation,
  }),
  providers: z.array(Provider),
});

const entries = z.array(z.looseObject({ name: z.string() }));

const RegistrySummary = z
  .object({
    revision: z.number().int(),
    persona: z.string().nullable(),
    compatibility: z.object({
      persona: z.string().nullable(),
      shared: z.number().int(),
      persona_specific: z.number().int(),
    }),
    tools: z.array(ToolEntry),
    skills: entries,
    tasks: entries,
    jobs: entries,
  })
  .meta({ id: "RegistrySummary" });

const SummaryQuery = z.object({
  persona: z.string().optional().meta({ description: "For whom; without it, for the one who asks." }),
});

/** The catalogue as a whole. */
export function addRegistryRoutes(app: App, plane: Plane): void {
  addRoute(
    app,
    {
      ...{ method: "get", path: "/registry/summary", tag: "Registry", scope: "read", query: SummaryQuery },
      summary: "The whole catalogue in short",
      answers: { 200: { description: "Tools, skills, tasks and jobs.", schema: RegistrySummary } },
    },
    async ({ c, caller, query: { persona } }) => {
      const asked = persona === undefined || persona === "" ? {} : { persona };
      return c.json(await plane.registry.summary({ ...asked, ...caller, waitMs }));
    },
  );
  addRoute(
    app,
    {
      ...{ method: "post", path: "/registry/refresh", tag: "Registry", scope: "admin" },
      summary: "Really ask every server for its tools",
      description: "Servers that rest after a failure are left alone and listed under `skipped`.",
      answers: { 200: { description: "What came of it, server by server.", schema: RefreshReport } },
    },
    async ({ c }) => c.json(await plane.servers.refresh()),
  );
}
