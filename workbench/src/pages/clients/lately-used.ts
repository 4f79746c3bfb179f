import type { AnswerOf } from "../../../../src/operations/operations.ts";

type Call = Pick<AnswerOf<"calls.list">["calls"][number], "principal" | "face" | "at" | "status">;

export type CallerUse = {
  user: string | null;
  face: string;
  calls: number;
  failed: number;
  at: string;
};

const failedStatuses: readonly string[] = ["failed", "refused", "tool_error"];

/** Who called lately, and through what: from the newest calls, the caller that called last first. */
export function recentCallers(calls: readonly Call[]): CallerUse[] {
  const usesByCaller = new Map<string, CallerUse>();
  for (const { principal, face, at: calledAt, status } of calls) {
    const caller = JSON.stringify([principal.user, face]);
    const callerUse = usesByCaller.get(caller) ?? {
      user: principal.user,
      face,
      calls: 0,
      failed: 0,
      at: calledAt,
    };
    callerUse.calls += 1;
    if (failedStatuses.includes(status)) callerUse.failed += 1;
    usesByCaller.set(caller, callerUse);
  }
  return [...usesByCaller.values()];
}
