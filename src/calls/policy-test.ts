import type { createPolicy, Profile } from "../access/policy/decide.ts";
import { effectOf } from "../access/policy/effect.ts";
import type { Config } from "../model/config.ts";
import type { Grants } from "../model/grants.ts";
import type { Plane } from "../model/plane.ts";
import type { Principal } from "../model/principal.ts";
import type { Tool, ToolId } from "../model/tool.ts";
import { requestCall } from "./request.ts";

type Parts = {
  config(): Config;
  find(asked: string | ToolId, principal: Principal): Promise<Tool>;
  grants: Grants;
  decide: ReturnType<typeof createPolicy>;
  profile(): Profile | Promise<Profile>;
  defaultPrincipal: Principal;
};

/** What the policy says about a call that nobody makes. */
export function createPolicyTest({
  config,
  find,
  grants,
  decide,
  profile,
  defaultPrincipal,
}: Parts): Plane["testPolicy"] {
  return async (asked, args = {}, { principal = defaultPrincipal, face = "library", mode } = {}) => {
    const tool = await find(asked, principal);
    const grant = grants.grantToSee(principal, tool, args);
    const { known: _, ...effect } = effectOf(tool, config().policy.effects);
    if ("refused" in grant)
      return { verdict: "deny", origin: "grant", reason: grant.refused, tool: tool.name, effect };
    const requested = requestCall(asked, args, { principal, face, ...(mode && { mode }) }, defaultPrincipal);
    const input = { arguments: args, repaired: false, dropped: [] };
    const verdict = await decide({ ...requested, tool, grant, input }, await profile());
    return { ...verdict, tool: tool.name, effect };
  };
}
