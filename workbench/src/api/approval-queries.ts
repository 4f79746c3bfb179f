import { type QueryClient, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf, InputOf } from "../../../src/operations/operations.ts";
import { callOperation, operationPages, operationQuery } from "./operations.ts";
import type { CallFilter } from "./queries.ts";

/** A held call, as the API returns it. */
export type HeldAnswer = AnswerOf<"approvals.get">;
export type Answer = Omit<InputOf<"approvals.answer">, "id">;
export type Answered = AnswerOf<"approvals.answer">;
export type OutcomeAnswer = AnswerOf<"call">;
export type PlanAnswer = AnswerOf<"plans.get">;
export type PlanOutcomeAnswer = AnswerOf<"plans.approve">;

/** How many calls wait; the list itself is not sent. */
export const pendingCountQuery = () =>
  operationQuery(
    "approvals.page",
    { status: "pending", limit: 1 },
    { select: ({ total }) => total },
  );

const waitingAtOnce = 500;

/** Waiting calls, oldest first, so that the list does not move under the pointer. Refetched when the first expires. */
export const waitingQuery = () =>
  operationPages(
    "approvals.page",
    { status: "pending", limit: waitingAtOnce },
    {
      refetchInterval: ({ state }) =>
        untilNextEnd(state.data?.pages.flatMap((page) => page.approvals) ?? []),
      select: ({ pages }) => ({
        approvals: pages.flatMap((page) => page.approvals),
        total: pages.at(-1)?.total ?? 0,
      }),
    },
  );

/** The oldest waiting calls. */
export const pendingQuery = () =>
  operationQuery(
    "approvals.page",
    { status: "pending", limit: 1000 },
    { refetchInterval: ({ state }) => untilNextEnd(state.data?.approvals ?? []) },
  );

/** The longest delay a browser timer takes. */
const maxMs = 2 ** 31 - 1;

function untilNextEnd(approvals: readonly HeldAnswer[]): number | false {
  const endTimes = approvals.flatMap(({ expiresAt }) =>
    expiresAt === null ? [] : [Date.parse(expiresAt)],
  );
  if (endTimes.length === 0) return false;
  return Math.min(maxMs, Math.max(1_000, Math.min(...endTimes) - Date.now() + 100));
}

/** All held calls, newest first, by page; waiting ones included. */
export const answeredQuery = () =>
  operationPages("approvals.page", { status: "all", order: "newest", limit: 200 });

export const plansQuery = () => operationQuery("plans.list", { limit: 1000 });

/** Those with a change that waits for approval. */
export const waitingPlans = (plans: readonly PlanAnswer[]): PlanAnswer[] =>
  plans.filter(({ changes }) => changes.some(({ status }) => status === "pending"));

const maxPreceding = 5;
const precedingAtOnce = 20;

function sameCaller(
  { user }: HeldAnswer["principal"],
  { run, conversation }: HeldAnswer["options"],
): CallFilter {
  if (run) return { run };
  return conversation ? { conversation } : { user: user ?? undefined };
}

/** The last calls of the same caller before it, newest first, with their arguments while these are in memory. */
export const precedingCallsQuery = ({ callId, at: heldAt, principal, options }: HeldAnswer) =>
  queryOptions({
    queryKey: ["preceding", callId],
    queryFn: async ({ signal }) => {
      const [{ calls }, { activity }] = await Promise.all([
        callOperation(
          "calls.list",
          { ...sameCaller(principal, options), limit: precedingAtOnce },
          { signal },
        ),
        callOperation("calls.activity", {}, { signal }),
      ]);
      const argumentsById = new Map(activity.map((call) => [call.id, call.arguments]));
      // A call whose caller waits has no record yet, so that it cannot be the cursor.
      const precedingCalls = calls
        .filter(({ id, at: startedAt }) => id !== callId && startedAt <= heldAt)
        .slice(0, maxPreceding);
      return precedingCalls.map(({ id, tool, status, at: startedAt }) => ({
        id,
        tool,
        status,
        at: startedAt,
        said: argumentsById.get(id) ?? "",
      }));
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** What a call returned, in short, while it is in memory. */
export const activityQuery = (callId: string) =>
  operationQuery(
    "calls.activity",
    {},
    { select: ({ activity }) => activity.find(({ id }) => id === callId)?.result ?? null },
  );

const changedTopics = ["approvals", "plans", "calls"];

type BulkAnswerInput = { ids: readonly string[]; answer: Answer };

/** Is or was the call answered on this page? */
export function isAnsweredHere(client: QueryClient, id: string): boolean {
  const cache = client.getMutationCache();
  const bulkAnswers = cache
    .findAll({ mutationKey: ["answers"] })
    .map(({ state }) => state.variables as BulkAnswerInput);
  return (
    cache.find({ mutationKey: ["answer", id] }) !== undefined ||
    bulkAnswers.some(({ ids }) => ids.includes(id))
  );
}

/** Answers several calls, one after the other. */
export function useAnswers() {
  const client = useQueryClient();
  return useMutation({
    mutationKey: ["answers"],
    mutationFn: async ({ ids, answer }: BulkAnswerInput) => {
      const answered: Answered[] = [];
      const errors: unknown[] = [];
      for (const id of ids)
        await callOperation("approvals.answer", { id, ...answer }).then(
          (answer) => answered.push(answer),
          (error) => errors.push(error),
        );
      return { done: answered, errors };
    },
    onSettled: () => {
      for (const topic of changedTopics) void client.invalidateQueries({ queryKey: [topic] });
    },
  });
}

/** Approves or rejects, then refetches: another person may have answered first. */
export function useAnswer(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationKey: ["answer", id],
    mutationFn: (answer: Answer) => callOperation("approvals.answer", { id, ...answer }),
    onSettled: () => {
      for (const topic of changedTopics) void client.invalidateQueries({ queryKey: [topic] });
    },
  });
}

type PlanDecision =
  | ({ verb: "approve" } & Omit<InputOf<"plans.approve">, "id">)
  | ({ verb: "reject" } & Omit<InputOf<"plans.reject">, "id">);

/** Approves or rejects changes of a plan. */
export function usePlanDecision(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({
      verb,
      ...choice
    }: PlanDecision): Promise<PlanOutcomeAnswer | PlanAnswer> => {
      if (verb === "approve") return callOperation("plans.approve", { id, ...choice });
      return callOperation("plans.reject", { id, ...choice });
    },
    onSettled: () => {
      for (const topic of changedTopics) void client.invalidateQueries({ queryKey: [topic] });
    },
  });
}
