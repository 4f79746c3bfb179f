import { type CheckArguments, type Lookup, requestCall, requireGrant, validate } from "../../calls/calls.ts";
import type { PlaneQuality } from "../../catalogue/quality/quality.ts";
import { nearest } from "../../lib/nearest.ts";
import { typedMembers } from "../../lib/typed-text.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Grants } from "../../model/grants.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import { type Face, type Principal, requireScope } from "../../model/principal.ts";
import type { Tool } from "../../model/tool.ts";
import type { ToolPlanVerbs } from "../../model/tool-plan.ts";
import type { LookAtStep } from "./check-plan.ts";

type Parts = {
  find: Pick<Lookup, "toShow">;
  grants: Pick<Grants, "grantFor">;
  quality: Pick<PlaneQuality, "requireTrusted">;
  checkArguments: CheckArguments;
  testPolicy: Plane["testPolicy"];
  defaultPrincipal: Principal;
};

/** What is wrong with plans. Steps are looked at and not called, so nothing runs and nothing is recorded. */
export function createToolPlanVerbs({
  find,
  grants,
  quality,
  checkArguments,
  testPolicy,
  defaultPrincipal,
}: Parts): ToolPlanVerbs {
  const lookFor =
    (principal: Principal, face: Face): LookAtStep =>
    async (asked, given, texts) => {
      const tool = await quality.requireTrusted(await find.toShow(asked, principal), true);
      const args = typedMembers(given, texts, tool.parameters) as JsonObject;
      const grant = requireGrant(principal, tool, grants.grantFor, { arguments: args });
      const requested = requestCall(asked, args, { principal, face }, defaultPrincipal);
      const { input } = await validate({ ...requested, tool, grant }, checkArguments);
      const { verdict, reason } = await testPolicy(tool.id, input.arguments, { principal, face });
      const declared = declaredBy(tool);
      const dropped = input.dropped.map((name) => ({ name, meant: nearest(name, declared, 1)[0] }));
      return { name: tool.name, arguments: args, dropped, verdict, reason };
    };

  return {
    async checkPlan(text, { principal = defaultPrincipal, face = "library" } = {}) {
      requireScope(principal, "read", "check plans");
      if (typeof text !== "string") throw new PlaneError("USAGE", "A plan is a text: a script, or its steps as JSON.");
      const [{ readPlan }, { checkPlan }] = await Promise.all([import("./read-plan.ts"), import("./check-plan.ts")]);
      return checkPlan(readPlan(text), lookFor(principal, face));
    },
  };
}

function declaredBy({ parameters }: Tool): string[] {
  return isObject(parameters.properties) ? Object.keys(parameters.properties) : [];
}
