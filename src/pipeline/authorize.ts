import type { Authorized, Grant, Resolved } from "../model/call.ts";
import { PlaneError } from "../model/errors.ts";
import type { Principal } from "../model/principal.ts";
import type { Tool } from "../model/tool.ts";

/** Policy's yes, or the reason for its no. */
export type GrantFor = (principal: Principal, tool: Tool) => Grant | { refused: string };

export function authorize(call: Resolved, grantFor: GrantFor): Authorized {
  return { ...call, grant: requireGrant(call.principal, call.tool, grantFor) };
}

/** The grant, or the refusal as an error. */
export function requireGrant(principal: Principal, tool: Tool, grantFor: GrantFor): Grant {
  const grant = grantFor(principal, tool);
  if (!("refused" in grant)) return grant;
  const who = principal.user ?? "An anonymous caller";
  throw new PlaneError("FORBIDDEN", `${who} may not use '${tool.name}': ${grant.refused}.`, {
    data: { tool: tool.name },
  });
}
