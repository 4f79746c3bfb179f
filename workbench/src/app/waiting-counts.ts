import { useQuery } from "@tanstack/react-query";
import { pendingCountQuery, plansQuery, waitingPlans } from "../api/approval-queries.ts";
import { openLettersCountQuery, questionsQuery } from "../api/queries.ts";

export type WaitingCounts = Partial<Record<string, number>>;

/** How much waits for people, by the page where they see to it. */
export function useWaitingCounts() {
  const approvals = useQuery(pendingCountQuery()).data ?? 0;
  const questions = useQuery(questionsQuery()).data?.questions.length ?? 0;
  const plans = waitingPlans(useQuery(plansQuery()).data?.plans ?? []).length;
  const letters = useQuery(openLettersCountQuery()).data ?? 0;
  return {
    "/approvals": approvals + questions,
    "/plans": plans,
    "/dead-letters": letters,
  } satisfies WaitingCounts;
}
