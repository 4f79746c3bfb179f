import { sameJson } from "../../lib/json/plain-data.ts";
import type { ApprovalAnswer } from "../../model/calls/held-call.ts";
import type { HeldCall } from "../../model/calls/held-schema.ts";
import type { Config } from "../../model/config/config.ts";
import { PlaneError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";
import { actsFor, isOwner, mayDo, type Principal } from "../../model/principal.ts";

export type ApprovalSettings = Config["approvals"];

export type AnswererPorts = {
  settings(): ApprovalSettings;
  /** Could they make this call themselves: is the tool theirs to use, and does no rule deny it? */
  mayMake(by: Principal, heldCall: HeldCall, args: JsonObject): Promise<boolean>;
};

/** One person's yes, or that of the caller, does not suffice. */
export function asksOthers({ fourEyes, threshold }: ApprovalSettings): boolean {
  return fourEyes || threshold > 1;
}

/** Is the caller's own consent enough: said, typed, clicked or remembered? */
export function ownYesCounts(settings: ApprovalSettings, caller: Principal): boolean {
  return !asksOthers(settings) && (settings.approvers.length === 0 || isApprover(settings, caller));
}

function isApprover({ approvers }: ApprovalSettings, { user, groups }: Principal): boolean {
  return user !== null && approvers.some((group) => groups.includes(group));
}

export type Answerers = ReturnType<typeof createAnswerers>;

/** Who may answer which call, and with what. */
export function createAnswerers({ settings, mayMake }: AnswererPorts) {
  /** Other keys of a user may be weaker, so the name alone makes none the caller. */
  function isCaller({ principal }: HeldCall, by: Principal) {
    return sameJson(rightsOf(principal), rightsOf(by));
  }

  function mayAnswer(owner: Principal, by: Principal): boolean {
    const { approvers, fourEyes } = settings();
    const isSamePerson = actsFor(by, owner.user);
    if (by.isUnproven || (asksOthers(settings()) && by.user === null) || (fourEyes && isSamePerson))
      return false;
    if (approvers.length > 0) return isApprover(settings(), by);
    return (
      isOwner(by, owner) || owner.user === null || (asksOthers(settings()) && mayDo(by, "admin"))
    );
  }

  async function mayStandIn(heldCall: HeldCall, by: Principal, args = heldCall.arguments) {
    return isCaller(heldCall, by) || (await mayMake(by, heldCall, args));
  }

  return {
    mayAnswer,
    /** May they see how it went? An approver decides about calls whose results are not theirs to read. */
    maySeeResult: (heldCall: HeldCall, by: Principal) =>
      mayStandIn(heldCall, by, heldCall.answer?.arguments ?? heldCall.arguments),
    /** Says why an answer is not theirs to give, or null. `edited` are other arguments than those that were shown. */
    async refuses(
      heldCall: HeldCall,
      reply: ApprovalAnswer,
      by: Principal,
      edited: JsonObject | null,
    ): Promise<PlaneError | null> {
      const { approvers, fourEyes } = settings();
      if (!mayAnswer(heldCall.principal, by))
        return notAllowedToAnswer(heldCall, fourEyes, approvers);
      if (reply.decision === "reject") return null;
      if (approvers.length === 0 && !(await mayStandIn(heldCall, by)))
        return forbidden(heldCall, "approve", "Reject it, or leave it to a person who may call it");
      if (edited !== null && !(await mayStandIn(heldCall, by, edited)))
        return forbidden(heldCall, "change the arguments of", "Approve it as it is, or reject it");
      if (reply.remember !== undefined && !(await mayStandIn(heldCall, by)))
        return forbidden(heldCall, "decide permanently about", "Leave 'remember' out");
      return null;
    },
  };
}

function rightsOf({ user, key, groups, scopes, servers, toolGroups }: Principal) {
  return {
    user,
    key: key ?? null,
    groups,
    scopes,
    servers: servers ?? null,
    toolGroups: toolGroups ?? null,
  };
}

function notAllowedToAnswer(
  { id }: HeldCall,
  fourEyes: boolean,
  approvers: readonly string[],
): PlaneError {
  const groups = approvers.length > 0 ? `members of ${approvers.join(", ")}` : null;
  const approverText = groups ?? "people with the scope 'admin'";
  const otherText = "other than its caller, and with no key that its caller created";
  const who = fourEyes ? `${approverText} ${otherText}` : (groups ?? "its caller");
  const remedy = "If you made the call under another name, answer under that one (--user)";
  return new PlaneError(
    "FORBIDDEN",
    `'${id}' is not yours to answer: only ${who} may. ${fourEyes ? "Ask one of them" : remedy}.`,
  );
}

function forbidden({ id, tool }: HeldCall, what: string, remedy: string): PlaneError {
  const text = `You may not ${what} '${id}': '${tool}' with these arguments is not yours to call. ${remedy}.`;
  return new PlaneError("FORBIDDEN", text, { data: { tool, id } });
}
