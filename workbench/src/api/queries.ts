import type { AnswerOf, InputOf } from "../../../src/operations/operations.ts";
import { operationPages, operationQuery } from "./operations.ts";

/** Output of an installer raises no event, so it is polled. */
const installPollMs = 2_000;

export const serversQuery = () =>
  operationQuery(
    "servers.list",
    { limit: 1000 },
    {
      refetchInterval: ({ state: { data } }) =>
        data?.servers.some(({ installing }) => installing) ? installPollMs : false,
    },
  );

export const serverQuery = (name: string) =>
  operationQuery(
    "servers.get",
    { name },
    { refetchInterval: ({ state: { data } }) => (data?.installing ? installPollMs : false) },
  );

/** With the most expensive tools, up to `maxTools`. */
export const statsQuery = (maxTools = 0) =>
  operationQuery("stats", maxTools > 0 ? { tools: true, limit: maxTools } : {});

export type CallAnswer = AnswerOf<"calls.get">;
export type CallFilter = Pick<InputOf<"calls.list">, "tool" | "status" | "user" | "run" | "conversation">;

const pageSize = 200;

export const callsQuery = (filter: CallFilter = {}) => operationPages("calls.list", { ...filter, limit: pageSize });

export type RunSummary = AnswerOf<"runs.page">["runs"][number];
export type RunAnswer = AnswerOf<"runs.get">;

export const runsQuery = (outcome?: InputOf<"runs.page">["outcome"]) =>
  operationPages("runs.page", { outcome, limit: pageSize });

export type LetterAnswer = AnswerOf<"deadLetters.page">["deadLetters"][number];

export const deadLettersQuery = (status?: InputOf<"deadLetters.page">["status"]) =>
  operationPages("deadLetters.page", { status, limit: pageSize });

/** How many dead letters are open; the list itself is not sent. */
export const openLettersCountQuery = () =>
  operationQuery("deadLetters.page", { status: "pending", limit: 1 }, { select: ({ total }) => total });
