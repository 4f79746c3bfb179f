import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type { Answer, HeldView, Plan, PlanChoice, Remembered } from "../../../src/model/calls/held-call.ts";
import type { Outcome as OutcomeSchema } from "../../../src/operations/schemas/outcome.ts";
import type { Paged } from "./answers.ts";
import { get, part, post, remove, withQuery } from "./client.ts";

export type OutcomeAnswer = z.infer<typeof OutcomeSchema>;
/** A call that waits, as the API tells it. */
export type HeldAnswer = HeldView;
export type Answered = { approval: HeldAnswer; outcome?: OutcomeAnswer };
export type PlanOutcomeAnswer = { plan: Plan; outcomes: { change: string; outcome: OutcomeAnswer | null }[] };

type HeldPage = Paged<"approvals", HeldAnswer> & { total: number };

/** How many wait; who only counts them is not sent them. */
export const pendingCountQuery = () =>
  queryOptions({
    queryKey: ["approvals", "count"],
    queryFn: ({ signal }) => get<HeldPage>(withQuery("/approvals", { status: "pending", limit: 1 }), signal),
    select: ({ total }) => total,
  });

const waitingAtOnce = 100;

/** What waits, oldest first, so that nothing moves below somebody's hand. Asked for again when the first is over. */
export const waitingQuery = () =>
  infiniteQueryOptions({
    queryKey: ["approvals", "waiting"],
    queryFn: ({ pageParam: cursor, signal }) =>
      get<HeldPage>(withQuery("/approvals", { status: "pending", limit: waitingAtOnce, cursor }), signal),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state }) => untilNextEnd(state.data?.pages.flatMap((page) => page.approvals) ?? []),
    select: ({ pages }) => ({
      approvals: pages.flatMap((page) => page.approvals),
      total: pages.at(-1)?.total ?? 0,
    }),
  });

/** The first that wait. */
export const pendingQuery = () =>
  queryOptions({
    queryKey: ["approvals", "pending"],
    queryFn: ({ signal }) => get<HeldPage>(withQuery("/approvals", { status: "pending", limit: 1000 }), signal),
    refetchInterval: ({ state }) => untilNextEnd(state.data?.approvals ?? []),
  });

/** Browsers take no longer times. */
const maxMs = 2 ** 31 - 1;

function untilNextEnd(approvals: readonly HeldAnswer[]): number | false {
  const ends = approvals.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [Date.parse(expiresAt)]));
  if (ends.length === 0) return false;
  return Math.min(maxMs, Math.max(1_000, Math.min(...ends) - Date.now() + 100));
}

const answeredAtOnce = 200;

/** What there was to answer, newest first, a page at a time; what still waits is among it. */
export const answeredQuery = () =>
  infiniteQueryOptions({
    queryKey: ["approvals", "answered"],
    queryFn: ({ pageParam: cursor, signal }) =>
      get<HeldPage>(withQuery("/approvals", { status: "all", order: "newest", limit: answeredAtOnce, cursor }), signal),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
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
    mutationKey: ["answer", id],
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
