import { sameJson } from "../../lib/json/plain-data.ts";
import type { Injected, Verdict } from "../../model/calls/call.ts";
import { PlaneError, toPlaneError } from "../../model/errors.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import type { Asked, AskHooks, Judged } from "./ask-in-turn.ts";
import { toolFacts } from "./tool-facts.ts";

/** What the path does with other arguments than the caller's. */
export type OnTheWay = {
  decide(call: Injected): Verdict | Promise<Verdict>;
  /** Validates these arguments and sets again what only the system may set. */
  withArguments(call: Injected, args: JsonObject): Promise<Injected>;
};

/** The later, the stricter. */
const strictness = ["allow", "ask", "queue", "deny"] as const;

/** What hooks make of a call before anybody is asked: its verdict, and its arguments where they write others. */
export async function judge(call: Injected, path: OnTheWay, askHooks: AskHooks): Promise<Injected> {
  const verdict = await path.decide(call);
  // Nothing that a hook can say would change it.
  if (verdict.verdict === "deny") return withVerdict(call, verdict);
  const permission = await askHooks("PermissionRequest", {
    payload: { ...toolFacts(call, verdict), needs_approval: verdict.verdict !== "allow" },
    change: changePermission,
    mayAsk: true,
  });
  if (permission.decision === "deny") return withVerdict(call, denied(permission));
  const permitted = isAutoApproved(permission, verdict) ? said("allow", permission) : tightened(verdict, permission);
  const use = await askHooks("PreToolUse", {
    payload: toolFacts(call, permitted),
    change: changeArguments,
    mayAsk: true,
  });
  if (use.decision === "deny") return withVerdict(call, denied(use));
  const rewritten = await rewrite(call, use, path);
  if (rewritten === null) return withVerdict(call, tightened(permitted, use));
  if ("refused" in rewritten) return withVerdict(call, rewritten.refused);
  // Neither may new arguments lead around a rule, nor does a hook's yes to the old ones count for them.
  const decided = stricter(verdict, await path.decide(rewritten));
  const judged = { verdict: tightened(tightened(decided, permission), use), before: call.input.arguments };
  return { ...rewritten, judged };
}

/** Null when the tool would get what it would have got anyway. */
async function rewrite(
  call: Injected,
  { payload, by }: Judged,
  { withArguments }: OnTheWay,
): Promise<Injected | { refused: Verdict } | null> {
  const args = payload.arguments as JsonObject;
  if (sameJson(args, call.input.arguments)) return null;
  try {
    const next = await withArguments(call, args);
    return sameJson(next.input.arguments, call.input.arguments) ? null : next;
  } catch (thrown) {
    const { code, message } = toPlaneError(thrown);
    if (!(thrown instanceof PlaneError) || code !== "INVALID_ARGUMENTS") throw thrown;
    const reason = `hook '${by}' wrote arguments that it does not take; correct the hook. ${message}`;
    return { refused: { verdict: "deny", origin: `hook:${by}`, reason: reason.replace(/\.$/, "") } };
  }
}

/** Only the profile's question: what a rule or the mode asks about is not a hook's to answer. */
function isAutoApproved({ decision, payload }: Judged, verdict: Verdict): boolean {
  const mayBe = verdict.verdict === "ask" && isProfiles(verdict);
  return mayBe && decision === "modify" && payload.needs_approval === false;
}

function tightened(verdict: Verdict, judged: Judged): Verdict {
  return judged.decision === "require_approval" ? stricter(verdict, said("ask", judged)) : verdict;
}

/** Of two that are as strict, the one that nothing said before can answer. */
function stricter(one: Verdict, other: Verdict): Verdict {
  const more = strictness.indexOf(other.verdict) - strictness.indexOf(one.verdict);
  if (more !== 0) return more > 0 ? other : one;
  return isProfiles(one) && !isProfiles(other) ? other : one;
}

const isProfiles = ({ origin }: Verdict) => origin.startsWith("profile:");

function denied(judged: Judged): Verdict {
  return said("deny", judged);
}

function said(verdict: Verdict["verdict"], { by, reason }: Judged): Verdict {
  return { verdict, origin: `hook:${by}`, reason: reason ?? `hook '${by}' says so` };
}

export function withVerdict(call: Injected, verdict: Verdict): Injected {
  return { ...call, judged: { verdict, before: null } };
}

const changePermission: Asked["change"] = (payload, { needs_approval }) => {
  if (needs_approval === undefined) return { payload };
  if (typeof needs_approval !== "boolean") return { failed: "its 'payload.needs_approval' is not true or false" };
  return { payload: { ...payload, needs_approval } };
};

/** Everything else in the payload are facts, and a yes is not this event's to give. */
const changeArguments: Asked["change"] = (payload, { arguments: args }) => {
  if (args === undefined) return { payload };
  if (!isObject(args)) return { failed: "its 'payload.arguments' is no object" };
  return { payload: { ...payload, arguments: args } };
};
