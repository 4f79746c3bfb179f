import { z } from "zod";
import { Policy } from "../../model/access/policy.ts";
import { policyModes } from "../../model/calls/call.ts";
import { Verdict } from "../../model/calls/call-schema.ts";
import { AnyJson, AnyObject } from "../../model/json-schema.ts";
import { FaceName } from "../../model/principal-schema.ts";

const verdicts = Policy.shape.rules.def.innerType.def.element.shape.verdict.options;

const PolicyRule = z
  .object({
    verdict: z.enum(verdicts),
    reason: z.string().optional(),
    from: z.string().optional().meta({ description: "The key that made the rule." }),
  })
  .catchall(AnyJson);

export const PolicyView = z
  .object({
    profile: z.enum(["personal", "guarded", "strict"]).meta({ description: "The one in force." }),
    isDefault: z.boolean().meta({ description: "True where the configuration names no profile." }),
    mode: z.enum(policyModes),
    rules: z
      .array(PolicyRule)
      .meta({ description: "In the order in which they are asked; the first that fits decides." }),
    effects: z
      .record(z.string(), z.enum(["read", "write"]))
      .meta({ description: "What tools do, as the operator says, by glob." }),
  })
  .meta({ id: "Policy" });

const { consent: _, approvalId: __, ...judged } = Verdict.shape;

export const PolicyVerdict = z
  .object({
    ...judged,
    tool: z.string(),
    effect: z.object({ effect: z.enum(["read", "write", "unknown"]), because: z.string() }),
  })
  .meta({ id: "PolicyVerdict" });

export const PolicyPreview = z
  .object({
    calls: z.number().int().meta({ description: "How many calls were judged again." }),
    skipped: z
      .number()
      .int()
      .meta({ description: "Those whose tool is gone, or that their caller may not make whatever the rules say." }),
    withoutArguments: z.number().int().meta({
      description: "Those whose arguments are not kept, where a rule looks at arguments: to it they had none.",
    }),
    changes: z
      .array(
        z.object({
          id: z.string(),
          at: z.string(),
          tool: z.string(),
          user: z.string().nullable(),
          face: FaceName,
          before: Verdict,
          after: Verdict,
        }),
      )
      .meta({ description: "The calls whose verdict would be another one, newest first." }),
    warnings: z.array(z.string()).meta({ description: "Rules that the file may hold and that have no effect." }),
  })
  .meta({ id: "PolicyPreview" });

export const ruleList = z
  .array(AnyObject)
  .max(1_000)
  .meta({ description: "All rules of the file, in order, as a file has them." });

export const PolicyRules = z
  .object({
    file: z.string().meta({ description: "Its name only." }),
    revision: z.string().meta({ description: "Another one as soon as the rules of the file are others." }),
    rules: z.array(AnyObject).meta({ description: "As they are written." }),
    others: z
      .array(z.object({ rule: PolicyRule, file: z.string() }))
      .meta({ description: "Rules that other files or servers bring." }),
  })
  .meta({ id: "PolicyRules" });
