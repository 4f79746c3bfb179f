import type { HeldCall } from "../../model/held-call.ts";
import type { Principal } from "../../model/principal.ts";

/** Whoever made the call, and members of the groups that answer for others. What nobody made anybody may answer. */
export function mayAnswer(
  { principal }: Pick<HeldCall, "principal">,
  by: Principal,
  approvers: readonly string[],
): boolean {
  if (principal.user === null || principal.user === by.user) return true;
  return by.user !== null && approvers.some((group) => by.groups.includes(group));
}
