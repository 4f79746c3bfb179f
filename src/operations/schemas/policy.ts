import { z } from "zod";
import { Policy } from "../../model/access/policy.ts";
import { policyModes } from "../../model/calls/call.ts";
import { PolicyPreview, PolicyTest } from "../../model/calls/policy-schema.ts";
import { AnyJson, AnyObject } from "../../model/json-schema.ts";

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

export const PolicyVerdict = PolicyTest.omit({ consent: true, approvalId: true }).meta({
  id: "PolicyVerdict",
});

export const ShownPreview = PolicyPreview.extend({
  warnings: z
    .array(z.string())
    .meta({ description: "Rules that the file may hold and that have no effect." }),
}).meta({ id: "PolicyPreview" });

export const ruleList = z
  .array(AnyObject)
  .max(1_000)
  .meta({ description: "All rules of the file, in order, as a file has them." });

export const PolicyRules = z
  .object({
    file: z.string().meta({ description: "Its name only." }),
    revision: z
      .string()
      .meta({ description: "Another one as soon as the rules of the file are others." }),
    rules: z.array(AnyObject).meta({ description: "As they are written." }),
    others: z
      .array(z.object({ rule: PolicyRule, file: z.string() }))
      .meta({ description: "Rules that other files or servers bring." }),
  })
  .meta({ id: "PolicyRules" });
