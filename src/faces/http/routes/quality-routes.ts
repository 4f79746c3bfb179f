import { z } from "zod";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { pinStatuses } from "../../../model/catalogue/pin.ts";
import { failOnLevels } from "../../../model/catalogue/quality.ts";
import { largestPage } from "../../../model/page.ts";
import type { Plane } from "../../../model/plane.ts";
import { ContextStats, PinDiff, PinView, QualityReport } from "../../../operations/schemas/quality.ts";
import { parseFields } from "../body.ts";
import { countUpTo } from "../count-up-to.ts";
import { type App, addRoute } from "../route.ts";

/** What is not known by then is there the next time. */
const waitMs = 1_000;
const name = "The tool's name, in any spelling.";
const server = z.string().optional().meta({ description: "Only the tools of this server." });
const tool = z.string().optional().meta({ description: "Only this tool, in any spelling." });
const flag = z
  .enum(["true", "false"], "give true or false")
  .transform((text) => text === "true")
  .optional();
const scoreText = "give a number from 0 to 100";
const Threshold = z
  .string()
  .regex(/^(?:\d{1,2}|100)$/, scoreText)
  .transform(Number)
  .optional()
  .meta({ type: "integer", minimum: 0, maximum: 100, default: 40 });
const FailOn = z
  .enum(failOnLevels, `give one of ${failOnLevels.join(", ")}`)
  .optional()
  .meta({ default: "high", description: "A tool with such a finding or a worse one does not pass." });
const Dearest = countUpTo(largestPage, {
  description: "Of the tools only so many, the dearest; all when left out.",
});
const PinFilters = z.object({
  server,
  status: z.enum(pinStatuses, `give one of ${pinStatuses.join(", ")}`).optional(),
  held: flag.meta({
    description: "Only what cannot be called because of its definition, or only what can.",
  }),
});
const Reason = z.object({ reason: z.string().optional() });
const decisions = {
  accept: "Take the definition of today for good",
  reject: "Hold the tool back until its definition is the pinned one again, or accepted",
} as const;

/** How good definitions are, what they cost and whether they changed. Before the routes that take any name. */
export function addQualityRoutes(app: App, plane: Plane): void {
  addRoute(
    app,
    {
      ...{ method: "get", path: "/stats", tag: "Tools", scope: "read" },
      summary: "What the definitions of tools cost in the context of a model, by server",
      query: z.object({ server, tool, tools: flag, limit: Dearest }),
      answers: { 200: { description: "In tokens.", schema: ContextStats } },
    },
    async ({ c, caller, query }) => c.json(await plane.stats(withoutUndefined(query), { ...caller, waitMs })),
  );
  addRoute(
    app,
    {
      ...{ method: "get", path: "/tools/quality", tag: "Tools", scope: "read" },
      summary: "How well definitions tell a model what tools are for, worst first",
      query: z.object({ server, tool, threshold: Threshold, require_examples: flag, fail_on: FailOn }),
      answers: { 200: { description: "All of them.", schema: QualityReport } },
    },
    async ({ c, caller, query: { require_examples: requireExamples, fail_on: failOn, ...query } }) =>
      c.json(
        await plane.tools.quality(withoutUndefined({ ...query, requireExamples, failOn }), {
          ...caller,
          waitMs,
        }),
      ),
  );
  addRoute(
    app,
    {
      ...{ method: "get", path: "/pins", tag: "Tools", scope: "read", query: PinFilters },
      summary: "How the definitions of today stand to those that are pinned",
      answers: { 200: { description: "All of them.", schema: z.object({ pins: z.array(PinView) }) } },
    },
    async ({ c, caller, query }) =>
      c.json({ pins: await plane.pins.list(withoutUndefined(query), { ...caller, waitMs }) }),
  );
  addRoute(
    app,
    {
      ...{ method: "get", path: "/pins/{name}", tag: "Tools", scope: "read", params: { name } },
      summary: "What is different from what was pinned",
      answers: { 200: { description: "Place by place.", schema: PinDiff } },
    },
    async ({ c, caller, param }) => c.json(await plane.pins.get(param("name"), caller)),
  );
  for (const decision of ["accept", "reject"] as const) {
    const decide = decision === "accept" ? plane.pins.accept : plane.pins.reject;
    addRoute(
      app,
      {
        ...{
          method: "post",
          path: `/pins/{name}/${decision}`,
          tag: "Tools",
          scope: "admin",
          params: { name },
        },
        summary: decisions[decision],
        body: {
          ...{ schema: Reason, description: "Why, for those who look later.", required: false },
          example: { reason: "Read the release notes." },
        },
        answers: { 200: { description: "How it stands now.", schema: PinView } },
      },
      async ({ c, caller, param }) => {
        const reason = withoutUndefined(parseFields(await c.req.text(), Reason, '{"reason": "…"}'));
        return c.json(await decide(param("name"), reason, caller));
      },
    );
  }
}
