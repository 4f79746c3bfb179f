import { sameJson } from "../../lib/json/plain-data.ts";
import type { Injected } from "../../model/calls/call.ts";
import type { Verdict } from "../../model/calls/call-schema.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import { strictnessOf } from "../policy/decide.ts";
import { type HookJudgement, type HookRequest, type RunHooks, toolFacts } from "./ask-hooks.ts";

export type HookContext = {
  decide(call: Injected): Verdict | Promise<Verdict>;
  withArguments(call: Injected, args: JsonObject): Promise<Injected>;
};

export async function judge(
  call: Injected,
  path: HookContext,
  askHooks: RunHooks,
): Promise<Injected> {
  const verdict = await path.decide(call);
  // No hook can loosen a deny.
  if (verdict.verdict === "deny") return withVerdict(call, verdict);
  const permission = await askHooks("PermissionRequest", {
    payload: { ...toolFacts(call, verdict), needs_approval: verdict.verdict !== "allow" },
    change: changePermission,
    mayAsk: true,
  });
  if (permission.decision === "deny") return withVerdict(call, hookVerdict("deny", permission));
  const permitted = isAutoApproved(permission, verdict)
    ? hookVerdict("allow", permission)
    : tightened(verdict, permission);
  const facts = toolFacts(call, permitted);
  const use = await askHooks("PreToolUse", {
    payload: facts,
    change: changeArguments,
    mayAsk: true,
  });
  if (use.decision === "deny") return withVerdict(call, hookVerdict("deny", use));
  const rewritten = await rewrite(call, use, path);
  if (rewritten === null) return withVerdict(call, tightened(permitted, use));
  if ("refused" in rewritten) return withVerdict(call, rewritten.refused);
  // New arguments must not lead around a rule, and a hook's yes to the old ones does not count for them.
  const decided = stricter(verdict, await path.decide(rewritten));
  const judged = {
    verdict: tightened(tightened(decided, permission), use),
    before: call.input.arguments,
  };
  return { ...rewritten, judged };
}

/** Null when the tool would get the same arguments. */
async function rewrite(
  call: Injected,
  { payload, by }: HookJudgement,
  { withArguments }: HookContext,
) {
  const args = payload.arguments as JsonObject;
  if (sameJson(args, call.input.arguments)) return null;
  try {
    const rewritten = await withArguments(call, args);
    return sameJson(rewritten.input.arguments, call.input.arguments) ? null : rewritten;
  } catch (thrown) {
    if (!(thrown instanceof PlaneError) || thrown.code !== "INVALID_ARGUMENTS") throw thrown;
    const reason = `hook '${by}' wrote arguments that it does not take; correct the hook. ${thrown.message}`;
    return { refused: hookVerdict("deny", { by, reason: reason.replace(/\.$/, "") }) };
  }
}

/** Only the profile's question: a hook cannot answer for a rule or the mode. */
function isAutoApproved({ decision, payload }: HookJudgement, verdict: Verdict): boolean {
  const mayBe = verdict.verdict === "ask" && isByProfile(verdict);
  return mayBe && decision === "modify" && payload.needs_approval === false;
}

function tightened(verdict: Verdict, judged: HookJudgement): Verdict {
  if (judged.decision !== "require_approval") return verdict;
  return stricter(verdict, hookVerdict("ask", judged));
}

/** Of two equally strict verdicts, the one that a remembered yes cannot answer. */
function stricter(first: Verdict, second: Verdict): Verdict {
  const difference = strictnessOf(second) - strictnessOf(first);
  if (difference !== 0) return difference > 0 ? second : first;
  return isByProfile(first) && !isByProfile(second) ? second : first;
}

function isByProfile({ origin }: Verdict) {
  return origin.startsWith("profile:");
}

function hookVerdict(
  verdict: Verdict["verdict"],
  { by, reason }: Pick<HookJudgement, "by" | "reason">,
): Verdict {
  return { verdict, origin: `hook:${by}`, reason: reason ?? `hook '${by}' decided so` };
}

export function withVerdict(call: Injected, verdict: Verdict): Injected {
  return { ...call, judged: { verdict, before: null } };
}

const changePermission: HookRequest["change"] = (payload, { needs_approval }) => {
  if (needs_approval === undefined) return { payload };
  if (typeof needs_approval !== "boolean")
    return { failed: "its 'payload.needs_approval' is not true or false" };
  return { payload: { ...payload, needs_approval } };
};

const changeArguments: HookRequest["change"] = (payload, { arguments: args }) => {
  if (args === undefined) return { payload };
  if (!isObject(args)) return { failed: "its 'payload.arguments' is not an object" };
  return { payload: { ...payload, arguments: args } };
};
