import { queryOptions } from "@tanstack/react-query";
import type { AnswerOf } from "../../../src/operations/operations.ts";
import { get, part } from "./client.ts";

export type ToolsetsAnswer = AnswerOf<"toolsets.list">;
export type ToolsetEntry = ToolsetsAnswer["toolsets"][number];
export type ToolsetAnswer = AnswerOf<"toolsets.get">;
export type PersonaRow = AnswerOf<"personas.list">["personas"][number];
export type UserRow = AnswerOf<"users.list">["users"][number];

export const toolsetsQuery = () =>
  queryOptions({ queryKey: ["toolsets"], queryFn: ({ signal }) => get<ToolsetsAnswer>("/toolsets", signal) });

/** Tokens are counted in the background. */
const countingMs = 1_000;

export const toolsetQuery = (name: string) =>
  queryOptions({
    queryKey: ["toolsets", name],
    queryFn: ({ signal }) => get<ToolsetAnswer>(`/toolsets/${part(name)}`, signal),
    refetchInterval: ({ state: { data } }) => (data?.tokens === null ? countingMs : false),
  });

export const personasQuery = () =>
  queryOptions({
    queryKey: ["personas"],
    queryFn: ({ signal }) => get<AnswerOf<"personas.list">>("/personas", signal),
  });

export const usersQuery = () =>
  queryOptions({ queryKey: ["users"], queryFn: ({ signal }) => get<AnswerOf<"users.list">>("/users", signal) });
