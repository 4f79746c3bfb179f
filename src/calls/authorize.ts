import { withoutUndefined } from "../lib/json/plain-data.ts";
import type {
  AccessRequest,
  Authorized,
  CallOptions,
  Grant,
  Injected,
  Refused,
  Resolved,
} from "../model/calls/call.ts";
import { metaToolNames } from "../model/catalogue/meta-tools.ts";
import type { Tool } from "../model/catalogue/tool.ts";
import { isForModels, isForPages } from "../model/catalogue/tool-page.ts";
import { PlaneError } from "../model/errors.ts";
import type { Principal } from "../model/principal.ts";

export type GrantFor = (
  principal: Principal,
  tool: Tool,
  request: AccessRequest,
) => Grant | Refused;

export function authorize(call: Resolved, grantFor: GrantFor): Authorized {
  const grant = requireGrant(call.principal, call.tool, grantFor, accessRequestOf(call.options));
  if (call.options.unseen) throw unseen(call);
  refuseByVisibility(call);
  const authorized = call as Authorized;
  authorized.grant = grant;
  return authorized;
}

/** With `requires_flags`, of the tool or of one that it calls, the grant depends on the arguments. */
export function authorizeArguments(call: Injected, grantFor: GrantFor): Injected {
  const { id, metadata } = call.tool;
  if (metadata.requires_flags === undefined && id.server !== null) return call;
  const args = { ...call.input.arguments, ...call.injected.values };
  requireGrant(call.principal, call.tool, grantFor, {
    ...accessRequestOf(call.options),
    arguments: args,
  });
  return call;
}

export function requireGrant(
  principal: Principal,
  tool: Tool,
  grantFor: GrantFor,
  request: AccessRequest = {},
): Grant {
  const grant = grantFor(principal, tool, request);
  if (!("refused" in grant)) return grant;
  const who = principal.user ?? "An anonymous caller";
  const hint = whomToAsk(grant);
  const locked = grant.locked && { locked: true, contact: grant.locked, hint };
  const message = `${who} may not use '${tool.name}': ${grant.refused}.${hint && ` ${hint}`}`;
  throw new PlaneError("FORBIDDEN", message, { data: { tool: tool.name, ...locked } });
}

/** Some tools are for the pages of their server alone, some for models alone. A page has the tools of its own server. */
function refuseByVisibility({ tool, face, options: { page } }: Resolved): void {
  if (page === undefined) {
    if ((face !== "mcp" && face !== "agent") || isForModels(tool)) return;
    throw forbidden(tool, `'${tool.name}' is only for the page of its server, not for models.`);
  }
  if (tool.id.server !== page.server)
    throw forbidden(
      tool,
      `A page of server '${page.server}' may not call '${tool.name}': it is not a tool of that server.`,
    );
  if (tool.id.kind === undefined && !isForPages(tool))
    throw forbidden(tool, `'${tool.name}' is only for models, not for the page of its server.`);
}

function forbidden({ name }: Tool, message: string): PlaneError {
  return new PlaneError("FORBIDDEN", message, { data: { tool: name } });
}

function unseen({ tool }: Resolved): PlaneError {
  const message = `'${tool.name}' was not shown in this session, and only what was shown can be called here. Find it with ${metaToolNames.search} or ${metaToolNames.list} first.`;
  return forbidden(tool, message);
}

function whomToAsk({ locked }: Refused): string {
  if (!locked) return "";
  return `Ask ${locked.help_email ?? locked.author ?? "the administrator of this plane"} for access.`;
}

/** They may come from outside, so they are checked. */
export function accessRequestOf({
  toolGroups,
  state,
  compliance,
  mcp,
}: CallOptions): AccessRequest {
  if (mcp !== undefined && typeof mcp !== "boolean" && !isTexts(mcp))
    throw usage("'mcp' must be true, false or a list of servers");
  if (toolGroups !== undefined && toolGroups !== "*" && !isTexts(toolGroups))
    throw usage("'toolGroups' must be a list of names, or \"*\" for all");
  if (state !== undefined && typeof state !== "string") throw usage("'state' must be a string");
  if (compliance !== undefined && typeof compliance !== "string")
    throw usage("'compliance' must be the name of a level");
  return withoutUndefined({ toolGroups, state, compliance });
}

function usage(message: string): PlaneError {
  return new PlaneError("USAGE", `${message}.`);
}

export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
