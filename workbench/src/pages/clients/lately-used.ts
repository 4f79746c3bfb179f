import type { AnswerOf } from "../../../../src/operations/operations.ts";

type Call = Pick<AnswerOf<"calls.list">["calls"][number], "principal" | "face" | "at" | "status">;

export type Used = { user: string | null; face: string; calls: number; failed: number; at: string };

const bad: readonly string[] = ["failed", "refused", "tool_error"];

/** Who called lately, and through what: from the newest calls, the caller that called last first. */
export function latelyUsed(calls: readonly Call[]): Used[] {
  const used = new Map<string, Used>();
  for (const { principal, face, at, status } of calls) {
    const caller = JSON.stringify([principal.user, face]);
    const known = used.get(caller) ?? { user: principal.user, face, calls: 0, failed: 0, at };
    known.calls += 1;
    if (bad.includes(status)) known.failed += 1;
    used.set(caller, known);
  }
  return [...used.values()];
}
