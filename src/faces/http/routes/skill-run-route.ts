import { z } from "@hono/zod-openapi";
import { withoutUndefined } from "../../../lib/without-undefined.ts";
import type { JsonObject } from "../../../model/json.ts";
import type { Plane } from "../../../model/plane.ts";
import { parseFields } from "../body.ts";
import { readWait } from "../prefer.ts";
import { renderSkillRun } from "../render.ts";
import { type App, addRoute } from "../route.ts";
import { SkillRun } from "../schemas/job-run.ts";

const SkillBody = z.object({
  input: z.record(z.string(), z.unknown()).optional(),
  dryRun: z.boolean().optional(),
  conversation: z.string().optional(),
  model: z.string().optional(),
});

/** A skill is done while whoever asked for it waits. */
export function addSkillRunRoute(app: App, plane: Plane): void {
  addRoute(
    app,
    {
      ...{ method: "post", path: "/skills/{name}/run", tag: "Jobs", scope: "call" },
      params: { name: "The skill's name." },
      summary: "Look whether everything is there, then do what the skill says",
      description:
        "409 with the reasons when something is missing. When the client goes away, it is cancelled.",
      headers: {
        Prefer: "`wait=N`: stay so many seconds for a person's yes to a call, where one is needed.",
      },
      body: {
        ...{ schema: SkillBody, description: "What it gets.", required: false },
        example: { input: { city: "Rome" } },
      },
      answers: { 200: { description: "How it went.", schema: SkillRun } },
    },
    async ({ c, caller, param }) => {
      const { input: given = {}, ...options } = parseFields(
        await c.req.text(),
        SkillBody,
        '{"input": {"city": "Rome"}}',
      );
      const seconds = readWait(c.req.header("prefer"));
      const run = await plane.runSkill(param("name"), given as JsonObject, {
        ...{ ...withoutUndefined(options), ...caller, signal: c.req.raw.signal },
        ...(seconds === null ? {} : { approvalWaitMs: seconds * 1_000 }),
      });
      return renderSkillRun(run);
    },
  );
}
