import type { AccessRequest } from "../../model/call.ts";
import { everyScope, type Principal } from "../../model/principal.ts";
import type { ToolMetadata } from "../../model/tool.ts";

const usual = "default";
const every = "*";
// Made once: ten thousand tools are asked about for one list.
const onlyUsual: string[] = [usual];
const onlyEvery: string[] = [every];
/** The state of an agent that is in none. */
const noState = "undefined";

/** The groups that a caller may ask for. */
function allowedTo({ toolGroups, scopes }: Principal): readonly string[] {
  return toolGroups ?? (scopes.includes(everyScope) ? onlyEvery : onlyUsual);
}

/** The groups that are meant. Who says nothing and may not ask for the usual one means all that is theirs. */
function meantBy(principal: Principal, { toolGroups }: AccessRequest): readonly string[] {
  if (toolGroups !== undefined) return typeof toolGroups === "string" ? [toolGroups] : toolGroups;
  const allowed = allowedTo(principal);
  return allowed.includes(every) || allowed.includes(usual) ? onlyUsual : allowed;
}

/** Why the groups that are asked for cannot be, or null. */
export function refuseGroups(principal: Principal, request: AccessRequest): string | null {
  const allowed = allowedTo(principal);
  if (allowed.includes(every)) return null;
  const strange = meantBy(principal, request).find((group) => !allowed.includes(group));
  return strange === undefined ? null : `the tool group '${strange}' is not among those they may ask for`;
}

/** All groups that are the caller's are meant. */
export function allGroupsOf(principal: Principal): AccessRequest {
  return { toolGroups: [...allowedTo(principal)] };
}

/** Why a tool is not in the groups that are meant, or null. Capitals count. */
export function refuseGroupsOf(
  principal: Principal,
  { group = onlyUsual }: ToolMetadata,
  request: AccessRequest,
): string | null {
  const meant = meantBy(principal, request);
  if (meant.includes(every) || group.some((one) => meant.includes(one))) return null;
  const asked = meant.length === 0 ? "none" : meant.join(", ");
  return `its tool groups are ${group.join(", ") || "none"}, and those that are asked for ${asked}`;
}

export function refuseState(
  { "applicable-states": states }: ToolMetadata,
  request: AccessRequest,
): string | null {
  if (states === undefined) return null;
  const state = stateOf(request);
  if (states.includes(every) || states.includes(state)) return null;
  return `it is there in the states ${states.join(", ") || "none"}, and the state is ${state}`;
}

function stateOf({ state }: AccessRequest): string {
  return state === undefined || state === "" ? noState : state;
}
