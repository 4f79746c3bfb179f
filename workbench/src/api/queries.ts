import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { AgentRun } from "../../../src/model/agent/agent-run.ts";
import type { ServerStatus } from "../../../src/model/servers/server.ts";
import type { DeadLetterStatus } from "../../../src/model/work/dead-letter.ts";
import type {
  CallAnswer,
  CallsAnswer,
  ContextStats,
  DeadLettersAnswer,
  KeysAnswer,
  PinsAnswer,
  RunsAnswer,
  ServersAnswer,
  Session,
  ToolAnswer,
} from "./answers.ts";
import { get, part, withQuery } from "./client.ts";

/** The first word of a query key is its topic; `app/live-events.ts` maps events to topics. */
export type Topic =
  | "session"
  | "servers"
  | "clients"
  | "tools"
  | "tool-list"
  | "stats"
  | "pins"
  | "calls"
  | "runs"
  | "approvals"
  | "plans"
  | "questions"
  | "dead-letters"
  | "keys"
  | "users"
  | "personas"
  | "toolsets"
  | "tokens"
  | "jobs"
  | "config"
  | "policy";

export const sessionQuery = () =>
  queryOptions({ queryKey: ["session"], queryFn: ({ signal }) => get<Session>("/session", signal) });

/** Output of an installer raises no event, so it is polled. */
const installPollMs = 2_000;

export const serversQuery = () =>
  queryOptions({
    queryKey: ["servers"],
    queryFn: ({ signal }) => get<ServersAnswer>("/servers?limit=1000", signal),
    refetchInterval: ({ state: { data } }) =>
      data?.servers.some(({ installing }) => installing) ? installPollMs : false,
  });

export const serverQuery = (name: string) =>
  queryOptions({
    queryKey: ["servers", name],
    queryFn: ({ signal }) => get<ServerStatus>(`/servers/${part(name)}`, signal),
    refetchInterval: ({ state: { data } }) => (data?.installing ? installPollMs : false),
  });

/** The filters of `GET /tools`, as it spells them; lists are written with commas. */
export const toolFilterNames = [
  ...(["q", "server", "side_effects", "safety_level", "capability", "provider", "persona"] as const),
  ...(["version", "min_success_rate", "include_unused", "group", "state"] as const),
  ...(["impact", "quarantined", "overlaid", "unused", "max_quality", "sort"] as const),
] as const;
export type ToolFilterName = (typeof toolFilterNames)[number];
export type ToolFilter = { [Name in ToolFilterName]?: string };

export const toolQuery = (name: string) =>
  queryOptions({
    queryKey: ["tools", "one", name],
    queryFn: ({ signal }) => get<ToolAnswer>(`/tools/${part(name)}`, signal),
  });

/** Tools that cannot be called because of their definition. */
export const heldPinsQuery = () =>
  queryOptions({
    queryKey: ["pins", "held"],
    queryFn: ({ signal }) => get<PinsAnswer>("/pins?held=true", signal),
  });

/** With the most expensive tools, up to `maxTools`. */
export const statsQuery = (maxTools = 0) =>
  queryOptions({
    queryKey: ["stats", maxTools],
    queryFn: ({ signal }) =>
      get<ContextStats>(withQuery("/stats", maxTools > 0 ? { tools: true, limit: maxTools } : {}), signal),
  });

export type CallFilter = { tool?: string; status?: string; user?: string; run?: string; conversation?: string };

const pageSize = 200;

export const callsQuery = (filter: CallFilter = {}) =>
  infiniteQueryOptions({
    queryKey: ["calls", "list", filter],
    queryFn: ({ pageParam, signal }) =>
      get<CallsAnswer>(withQuery("/calls", { ...filter, limit: pageSize, cursor: pageParam }), signal),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

export const recentCallsQuery = (limit: number) =>
  queryOptions({
    queryKey: ["calls", "recent", limit],
    queryFn: ({ signal }) => get<CallsAnswer>(withQuery("/calls", { limit }), signal),
  });

export const callQuery = (id: string) =>
  queryOptions({
    queryKey: ["calls", "one", id],
    queryFn: ({ signal }) => get<CallAnswer>(`/calls/${part(id)}`, signal),
  });

export const runsQuery = (outcome = "") =>
  infiniteQueryOptions({
    queryKey: ["runs", "list", outcome],
    queryFn: ({ pageParam, signal }) =>
      get<RunsAnswer>(withQuery("/runs", { outcome, limit: pageSize, cursor: pageParam }), signal),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ["runs", "one", id],
    queryFn: ({ signal }) => get<AgentRun>(`/runs/${part(id)}`, signal),
  });

export const deadLettersQuery = (status: DeadLetterStatus | "") =>
  infiniteQueryOptions({
    queryKey: ["dead-letters", status],
    queryFn: ({ pageParam, signal }) =>
      get<DeadLettersAnswer>(withQuery("/dead-letters", { status, limit: pageSize, cursor: pageParam }), signal),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/** How many dead letters are open; the list itself is not sent. */
export const openLettersCountQuery = () =>
  queryOptions({
    queryKey: ["dead-letters", "count"],
    queryFn: ({ signal }) => get<DeadLettersAnswer>("/dead-letters?status=pending&limit=1", signal),
    select: ({ total }) => total,
  });

export const keysQuery = () =>
  queryOptions({ queryKey: ["keys"], queryFn: ({ signal }) => get<KeysAnswer>("/keys?limit=1000", signal) });
