import { z } from "zod";
import { Policy as PolicySettings } from "../../../model/access/policy.ts";
import { policyModes } from "../../../model/calls/call.ts";
import type { JsonObject } from "../../../model/json.ts";
import type { Plane } from "../../../model/plane.ts";
import { parseFields } from "../body.ts";
import { type App, addRoute } from "../route.ts";

const faces = ["library", "cli", "http", "workbench", "mcp", "agent"] as const;
const verdicts = PolicySettings.shape.rules.def.innerType.def.element.shape.verdict.options;

export const PolicyView = z
  .object({
    profile: z.enum(["personal", "guarded", "strict"]).meta({ description: "The one in force." }),
    isDefault: z.boolean().meta({ description: "Is it the profile because nobody chose one?" }),
    mode: z.enum(policyModes),
    rules: z
      .array(z.looseObject({ verdict: z.enum(verdicts), reason: z.string().optional() }))
      .meta({ description: "In the order in which they are asked; the first that fits decides." }),
    effects: z
      .record(z.string(), z.enum(["read", "write"]))
      .meta({ description: "The operator's word on what tools do, by glob." }),
  })
  .meta({ id: "Policy" });

export const PolicyVerdict = z
  .object({
    verdict: z.enum(verdicts),
    origin: z.string(),
    reason: z.string(),
    rule: z.number().int().optional().meta({ description: "Which of `rules` said so." }),
    tool: z.string(),
    effect: z.object({ effect: z.enum(["read", "write", "unknown"]), because: z.string() }),
  })
  .meta({ id: "PolicyVerdict" });

const Tested = z.object({
  tool: z.string("say which tool").min(1, "say which tool"),
  arguments: z.record(z.string(), z.unknown()).optional(),
  face: z
    .enum(faces, `give one of ${faces.join(", ")}`)
    .optional()
    .meta({ description: "Through which face the call would come; the one that asks when left out." }),
  mode: z.enum(policyModes, `give one of ${policyModes.join(", ")}`).optional(),
});

/** What is asked about, and why. */
export function addPolicyRoutes(app: App, plane: Plane): void {
  addRoute(
    app,
    {
      ...{ method: "get", path: "/policy", tag: "Approvals", scope: "admin" },
      summary: "The policy in force",
      answers: { 200: { description: "Profile, mode and rules.", schema: PolicyView } },
    },
    async ({ c }) => {
      const { profile, mode, rules, effects } = plane.config().policy;
      const usual = (await plane.identity.needsCredentials()) ? "guarded" : "personal";
      return c.json({ profile: profile ?? usual, isDefault: profile === null, mode, rules, effects });
    },
  );
  addRoute(
    app,
    {
      ...{ method: "post", path: "/policy/test", tag: "Approvals", scope: "read" },
      summary: "What the policy would say to a call of yours, without making it",
      body: {
        schema: Tested,
        description: "The call.",
        example: { tool: "demo.greet", arguments: { name: "Ann" } },
      },
      answers: { 200: { description: "The verdict and who gave it.", schema: PolicyVerdict } },
    },
    async ({ c, caller }) => {
      const asked = parseFields(await c.req.text(), Tested, '{"tool": "…", "arguments": {…}}');
      const { tool, arguments: args = {}, face = caller.face, mode } = asked;
      const options = { ...caller, face, ...(mode ? { mode } : {}) };
      return c.json(await plane.policy.test(tool, args as JsonObject, options));
    },
  );
}
