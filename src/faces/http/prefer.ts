import type { Outcome } from "../../model/calls/call.ts";

/** For how long the caller would wait for a person, by `Prefer: wait=N` of RFC 7240; what makes no sense is not heard. */
export function readWait(prefer: string | undefined): number | null {
  const [, seconds] =
    /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,5})"?\s*(?:[,;]|$)/i.exec(prefer ?? "") ?? [];
  return seconds === undefined ? null : Number(seconds);
}

/** What is said beside the body of a call: where to look for what it waits for, and that the wish to wait was heard. */
export function withWaiting(
  response: Response,
  { approval, plan, queued }: Outcome,
  waitSeconds: number | null,
): Response {
  if (response.status === 202 && approval)
    response.headers.set("location", `/approvals/${approval.id}`);
  if (response.status === 202 && plan) response.headers.set("location", `/plans/${plan.id}`);
  if (response.status === 202 && queued) response.headers.set("location", `/calls/${queued.id}`);
  if (waitSeconds !== null) response.headers.set("preference-applied", `wait=${waitSeconds}`);
  return response;
}
