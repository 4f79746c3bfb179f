import type { z } from "@hono/zod-openapi";
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { Outcome as OutcomeSchema } from "../../../src/faces/http/schemas/outcome.ts";
import type { Answer, HeldView, Plan, PlanChoice, Remembered } from "../../../src/model/held-call.ts";
import type { Paged } from "./answers.ts";
import { get, part, post, remove, withQuery } from "./client.ts";

export type OutcomeAnswer = z.infer<typeof OutcomeSchema>;
/** A call that waits, as the API tells it. */
export type HeldAnswer = HeldView;
export type Answered = { approval: HeldAnswer; outcome?: OutcomeAnswer };
export type PlanOutcomeAnswer = { plan: Plan; outcomes: { change: string; outcome: OutcomeAnswer | null }[] };

type HeldPage = Paged<"approvals", HeldAnswer>;

/** What waits, oldest first. */
export const pendingQuery = () =>
  queryOptions({
    queryKey: ["approvals", "pending"],
    queryFn: ({ signal }) =>
      get<HeldPage>(withQuery("/approvals", { status: "pending", limit: 1000 }), signal),
  });

/** What no longer waits, newest first. The API begins with the oldest, so all pages are read. */
export const answeredQuery = () =>
  queryOptions({
    queryKey: ["approvals", "answered"],
    queryFn: async ({ signal }) => {
      const all: HeldAnswer[] = [];
      let cursor: string | null = "";
      while (cursor !== null) {
        const page: HeldPage = await get(withQuery("/approvals", { limit: 1000, cursor }), signal);
        all.push(...page.approvals.filter(({ status }) => status !== "pending"));
        cursor = page.nextCursor;
      }
      return all.reverse();
    },
  });

export const heldCallQuery = (id: string) =>
  queryOptions({
    queryKey: ["approvals", "one", id],
    queryFn: ({ signal }) => get<HeldAnswer>(`/approvals/${part(id)}`, signal),
  });

export const rememberedQuery = () =>
  queryOptions({
    queryKey: ["approvals", "remembered"],
    queryFn: ({ signal }) => get<Paged<"remembered", Remembered>>("/approvals/remembered?limit=1000", signal),
  });

export const plansQuery = () =>
  queryOptions({
    queryKey: ["plans"],
    queryFn: ({ signal }) => get<Paged<"plans", Plan>>("/plans?limit=1000", signal),
  });

export const planQuery = (id: string) =>
  queryOptions({ queryKey: ["plans", id], queryFn: ({ signal }) => get<Plan>(`/plans/${part(id)}`, signal) });

const touched = ["approvals", "plans", "calls"];

/** Says yes or no. What is shown of it is asked for again, whoever was first. */
export function useAnswer(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (answer: Answer) => post<Answered>(`/approvals/${part(id)}`, answer),
    onSettled: () => {
      for (const topic of touched) void client.invalidateQueries({ queryKey: [topic] });
    },
  });
}

export function useForget() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => remove<{ ok: boolean }>(`/approvals/remembered/${part(id)}`),
    onSettled: () => client.invalidateQueries({ queryKey: ["approvals"] }),
  });
}

/** Runs changes of a plan, or does none of them. */
export function usePlanDecision(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ verb, ...choice }: PlanChoice & { verb: "approve" | "reject" }) =>
      post<PlanOutcomeAnswer | Plan>(`/plans/${part(id)}/${verb}`, choice),
    onSettled: () => {
      for (const topic of touched) void client.invalidateQueries({ queryKey: [topic] });
    },
  });
}
