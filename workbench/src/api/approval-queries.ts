import {
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import type { z } from "zod";
import type { Answer, HeldView, Plan, PlanChoice, Remembered } from "../../../src/model/calls/held-call.ts";
import type { Outcome as OutcomeSchema } from "../../../src/operations/schemas/outcome.ts";
import type { CallsAnswer, Paged } from "./answers.ts";
import { get, part, post, remove, withQuery } from "./client.ts";

export type OutcomeAnswer = z.infer<typeof OutcomeSchema>;
/** A held call, as the API returns it. */
export type HeldAnswer = HeldView;
export type Answered = { approval: HeldAnswer; outcome?: OutcomeAnswer };
export type PlanOutcomeAnswer = { plan: Plan; outcomes: { change: string; outcome: OutcomeAnswer | null }[] };

type HeldPage = Paged<"approvals", HeldAnswer> & { total: number };

/** How many calls wait; the list itself is not sent. */
export const pendingCountQuery = () =>
  queryOptions({
    queryKey: ["approvals", "count"],
    queryFn: ({ signal }) => get<HeldPage>(withQuery("/approvals", { status: "pending", limit: 1 }), signal),
    select: ({ total }) => total,
  });

const waitingAtOnce = 100;

/** Waiting calls, oldest first, so that the list does not move under the pointer. Refetched when the first expires. */
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

/** The oldest waiting calls. */
export const pendingQuery = () =>
  queryOptions({
    queryKey: ["approvals", "pending"],
    queryFn: ({ signal }) => get<HeldPage>(withQuery("/approvals", { status: "pending", limit: 1000 }), signal),
    refetchInterval: ({ state }) => untilNextEnd(state.data?.approvals ?? []),
  });

/** The longest delay a browser timer takes. */
const maxMs = 2 ** 31 - 1;

function untilNextEnd(approvals: readonly HeldAnswer[]): number | false {
  const ends = approvals.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [Date.parse(expiresAt)]));
  if (ends.length === 0) return false;
  return Math.min(maxMs, Math.max(1_000, Math.min(...ends) - Date.now() + 100));
}

const answeredAtOnce = 200;

/** All held calls, newest first, by page; waiting ones included. */
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

/** Those with a change that waits for approval. */
export const waitingPlans = (plans: readonly Plan[]): Plan[] =>
  plans.filter(({ changes }) => changes.some(({ status }) => status === "pending"));

export const planQuery = (id: string) =>
  queryOptions({ queryKey: ["plans", id], queryFn: ({ signal }) => get<Plan>(`/plans/${part(id)}`, signal) });

const maxPreceding = 5;
const precedingAtOnce = 20;

/** The last calls of the same caller before it, newest first, with their arguments while these are in memory. */
export const precedingCallsQuery = ({ callId, at: heldAt, principal, options }: HeldAnswer) =>
  queryOptions({
    queryKey: ["preceding", callId],
    queryFn: async ({ signal }) => {
      const { run, conversation } = options;
      const whose = run ? { run } : conversation ? { conversation } : { user: principal.user };
      const [{ calls }, { activity }] = await Promise.all([
        get<CallsAnswer>(withQuery("/calls", { ...whose, limit: precedingAtOnce }), signal),
        get<{ activity: Activity }>("/activity", signal),
      ]);
      const said = new Map(activity.map((one) => [one.id, one.arguments]));
      // A call whose caller waits has no record yet, so that it cannot be the cursor.
      const before = calls.filter(({ id, at }) => id !== callId && at <= heldAt).slice(0, maxPreceding);
      return before.map(({ id, tool, status, at }) => ({ id, tool, status, at, said: said.get(id) ?? "" }));
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

type Activity = { id: string; arguments: string; result: string | null }[];

/** What a call returned, in short, while it is in memory. */
export const activityQuery = (callId: string) =>
  queryOptions({
    queryKey: ["calls", "activity", callId],
    queryFn: ({ signal }) => get<{ activity: Activity }>("/activity", signal),
    select: ({ activity }) => activity.find(({ id }) => id === callId)?.result ?? null,
  });

const touched = ["approvals", "plans", "calls"];

type Answers = { ids: readonly string[]; answer: Answer };

/** Is or was the call answered on this page? */
export function isAnsweredHere(client: QueryClient, id: string): boolean {
  const cache = client.getMutationCache();
  const several = cache.findAll({ mutationKey: ["answers"] }).map(({ state }) => state.variables as Answers);
  return cache.find({ mutationKey: ["answer", id] }) !== undefined || several.some(({ ids }) => ids.includes(id));
}

/** Answers several calls, one after the other. */
export function useAnswers() {
  const client = useQueryClient();
  return useMutation({
    mutationKey: ["answers"],
    mutationFn: async ({ ids, answer }: Answers) => {
      const done: Answered[] = [];
      const errors: unknown[] = [];
      for (const id of ids)
        await post<Answered>(`/approvals/${part(id)}`, answer).then(
          (one) => done.push(one),
          (error) => errors.push(error),
        );
      return { done, errors };
    },
    onSettled: () => {
      for (const topic of touched) void client.invalidateQueries({ queryKey: [topic] });
    },
  });
}

/** Approves or rejects, then refetches: another person may have answered first. */
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

/** Approves or rejects changes of a plan. */
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
