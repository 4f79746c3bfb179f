import type { Approved, Injected, Verdict } from "../model/call.ts";
import { PlaneError } from "../model/errors.ts";

export type Decide = (call: Injected) => Verdict;
/** Stores the question and answers with its id. */
export type Ask = (call: Injected, verdict: Verdict) => Promise<string>;

export async function approve(call: Injected, decide: Decide, ask: Ask): Promise<Approved> {
  const verdict = decide(call);
  if (verdict.verdict === "allow") return { ...call, approval: verdict };
  const { origin, reason } = verdict;
  if (verdict.verdict === "deny") {
    throw new PlaneError("APPROVAL_DENIED", `'${call.tool.name}' was not run: ${reason}.`, {
      data: { tool: call.tool.name, origin },
    });
  }
  if (call.options.consent) return { ...call, approval: { verdict: "allow", origin: "user", reason } };
  const approvalId = await ask(call, verdict);
  throw new PlaneError("APPROVAL_REQUIRED", `'${call.tool.name}' needs a person's yes: ${reason}.`, {
    data: { tool: call.tool.name, origin, approvalId },
  });
}
