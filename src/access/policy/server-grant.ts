import type { AccessRequest, Refused } from "../../model/call.ts";
import type { Principal } from "../../model/principal.ts";
import type { Contact, ServerDefinition } from "../../model/server.ts";
import type { ComplianceCheck } from "./compliance.ts";

/** Why a server is not for this caller, or null. What is not configured is nobody's. */
export function refuseServer(
  principal: Principal,
  name: string,
  definition: ServerDefinition | undefined,
  { compliance, request }: { compliance: ComplianceCheck; request: AccessRequest },
): Refused | null {
  if (principal.servers && !principal.servers.includes(name))
    return { why: "server", refused: "its server is not among those this caller is limited to" };
  if (definition === undefined) return { why: "server", refused: "its server is not configured" };
  if (!definition.enabled) return { why: "server", refused: "its server is disabled" };
  const { workspaces, persona, groups, compliance_level } = definition;
  return (
    refuseWorkspace(principal, workspaces) ??
    refusePersona(principal, persona) ??
    withContact(
      refuseGroup(principal, groups) ?? refuseLevel(principal, compliance_level, compliance, request),
      definition,
    )
  );
}

/** One common group is enough, and no group means everybody. */
export function refuseGroup(principal: Principal, groups: readonly string[]): Refused | null {
  if (groups.length === 0 || groups.some((group) => principal.groups.includes(group))) return null;
  return { why: "groups", refused: `it is for members of ${groups.join(", ")}` };
}

export function refusePersona(principal: Principal, persona: string | null): Refused | null {
  if (persona === null || persona === principal.persona) return null;
  return { why: "persona", refused: `it belongs to persona '${persona}'` };
}

/** The names of other workspaces are told to nobody. */
export function refuseWorkspace(
  { workspace }: Principal,
  workspaces: readonly string[] = [],
): Refused | null {
  if (workspaces.length === 0 || (workspace !== null && workspaces.includes(workspace))) return null;
  return { why: "workspace", refused: "it belongs to another workspace" };
}

/** A level that a call names holds beside the caller's own, so that it can only tighten. */
export function refuseLevel(
  principal: Principal,
  level: string | null,
  check: ComplianceCheck,
  request: AccessRequest,
): Refused | null {
  const refused = check(principal.compliance, level) ?? check(request.compliance ?? null, level);
  return refused === null ? null : { why: "compliance", refused };
}

function withContact(refused: Refused | null, definition: ServerDefinition): Refused | null {
  return refused && definition.discoverable ? { ...refused, locked: contactOf(definition) } : refused;
}

export function contactOf({ author, help_email }: ServerDefinition): Contact {
  return { author: author ?? null, help_email: help_email ?? null };
}
