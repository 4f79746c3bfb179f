import type { CallAnswer } from "../../api/queries.ts";

type NotedCall = Pick<CallAnswer, "status" | "error" | "approval"> &
  Partial<Pick<CallAnswer, "answer">>;

/** Whose word it was that a call was refused by, where no person was asked. */
const policyOrigin = /^(rule|profile|mode|policy|isolation)\b/;

/** What stands beside a call in the list: why it did not run or how it failed, in words. */
export function noteOf({ status, error, approval, answer }: NotedCall): string | null {
  if (answer && answer.status !== "pending") return answer.by === null ? null : `by ${answer.by}`;
  if (status === "waiting")
    return typeof error?.data.planId === "string" ? "in a plan" : "for a person";
  if (error?.code === "APPROVAL_DENIED" && policyOrigin.test(String(error.data.origin)))
    return "denied by the policy";
  if (error) return error.code.toLowerCase().replaceAll("_", " ");
  return approval?.verdict === "ask" ? "approved by a person" : null;
}
