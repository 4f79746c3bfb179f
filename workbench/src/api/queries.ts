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

/** What definitions cost; tool by tool with `tools`. */
export const statsQuery = (tools = false) => operationQuery("stats", tools ? { tools } : {});

/** When each tool was last called. */
export const usageQuery = () => operationQuery("calls.usage", {});

export type CallAnswer = AnswerOf<"calls.get">;
export type CallFilter = Omit<InputOf<"calls.list">, "limit" | "cursor" | "payloads">;

const pageSize = 200;

export const callsQuery = (filter: CallFilter = {}) =>
  operationPages("calls.list", { ...filter, limit: pageSize });

export type RunSummary = AnswerOf<"runs.page">["runs"][number];
export type RunAnswer = AnswerOf<"runs.get">;

export const runsQuery = (outcome?: InputOf<"runs.page">["outcome"]) =>
  operationPages("runs.page", { outcome, limit: pageSize });

export type LetterAnswer = AnswerOf<"deadLetters.page">["deadLetters"][number];

export const deadLettersQuery = (status?: InputOf<"deadLetters.page">["status"]) =>
  operationPages("deadLetters.page", { status, limit: pageSize });

/** How many dead letters are open; the list itself is not sent. */
export const openLettersCountQuery = () =>
  operationQuery(
    "deadLetters.page",
    { status: "pending", limit: 1 },
    { select: ({ total }) => total },
  );

export type ToolsetAnswer = AnswerOf<"toolsets.get">;
export type ToolsetEntry = AnswerOf<"toolsets.list">["toolsets"][number];
export type PersonaRow = AnswerOf<"personas.list">["personas"][number];
export type UserRow = AnswerOf<"users.list">["users"][number];
export type ApiKey = AnswerOf<"keys.list">["keys"][number];

/** Tokens are counted in the background. */
const countingMs = 1_000;

export const toolsetQuery = (name: string) =>
  operationQuery(
    "toolsets.get",
    { name },
    { refetchInterval: ({ state: { data } }) => (data?.tokens === null ? countingMs : false) },
  );

export type ClientRow = AnswerOf<"clients.list">["clients"][number];

/** MCP clients of the plane's machine. Their files raise no event. */
export const clientsQuery = () =>
  operationQuery("clients.list", {}, { staleTime: 0, retry: false });

export type ServerQuestion = AnswerOf<"questions.list">["questions"][number];

/** Questions that servers ask the user during their calls. */
export const questionsQuery = () => operationQuery("questions.list", { limit: 1000 });

export type PolicyAnswer = AnswerOf<"policy.show">;
export type RulesAnswer = AnswerOf<"policy.rules">;

/** The rules of the configuration file, as they are written. */
export const rulesQuery = () => operationQuery("policy.rules", {}, { retry: false });

/** It starts the server: on request only, or where the plane itself tries to and fails. */
export const doctorQuery = (server: string, isAsked = false) =>
  operationQuery(
    "doctor",
    { server },
    { enabled: isAsked, retry: false, gcTime: 0, staleTime: Number.POSITIVE_INFINITY },
  );

/** As it is written; secrets are masked. */
export const entryQuery = (name: string) =>
  operationQuery("servers.entry", { name }, { retry: false });
