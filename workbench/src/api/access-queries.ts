import type { AnswerOf } from "../../../src/operations/operations.ts";
import { operationQuery } from "./operations.ts";

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
