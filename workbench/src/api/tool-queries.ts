import type { z } from "@hono/zod-openapi";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { SearchAnswer } from "../../../src/faces/http/routes/search-routes.ts";
import type { ContextStats } from "../../../src/model/context-stats.ts";
import type { UnknownObject } from "../../../src/model/json.ts";
import type { OverlayView } from "../../../src/model/overlay-verbs.ts";
import type { QualityReport } from "../../../src/model/quality.ts";
import type { CallsAnswer, PinAnswer, ToolsAnswer } from "./answers.ts";
import { get, part, request, withQuery } from "./client.ts";
import type { ToolFilter } from "./queries.ts";

export type FoundAnswer = z.infer<typeof SearchAnswer>;

const pageSize = 100;
const mostFound = 50;
/** What is dear to find out for all tools is asked for seldom. */
const seldomMs = 60_000;

/** Tools by name, a page at a time. */
export const toolPagesQuery = (filter: ToolFilter) =>
  infiniteQueryOptions({
    queryKey: ["tools", "pages", filter],
    queryFn: ({ pageParam, signal }) =>
      get<ToolsAnswer>(
        withQuery("/tools", { group: ["*"], ...filter, limit: pageSize, cursor: pageParam }),
        signal,
      ),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });

/** The tools that fit best, with all there is to know about them. */
export const foundToolsQuery = (q: string, server: string | undefined) =>
  queryOptions({
    queryKey: ["search", q, server],
    queryFn: ({ signal }) =>
      get<FoundAnswer>(withQuery("/search", { q, server, details: true, limit: mostFound }), signal),
    placeholderData: keepPreviousData,
    enabled: q !== "",
  });

export const qualityQuery = (server?: string) =>
  queryOptions({
    queryKey: ["quality", server],
    queryFn: ({ signal }) => get<QualityReport>(withQuery("/tools/quality", { server }), signal),
    staleTime: seldomMs,
  });

/** What each definition costs. */
export const toolCostsQuery = (server?: string) =>
  queryOptions({
    queryKey: ["tool-costs", server],
    queryFn: ({ signal }) => get<ContextStats>(withQuery("/stats", { server, tools: true }), signal),
    staleTime: seldomMs,
  });

/** How the last calls went, for a line beside each tool. */
export const lastCallsQuery = (tool?: string) =>
  queryOptions({
    queryKey: ["last-calls", tool],
    queryFn: ({ signal }) => get<CallsAnswer>(withQuery("/calls", { tool, limit: tool ? 100 : 500 }), signal),
    refetchInterval: seldomMs / 4,
  });

export const pinQuery = (name: string) =>
  queryOptions({
    queryKey: ["pins", name],
    queryFn: ({ signal }) => get<PinAnswer>(`/pins/${part(name)}`, signal),
  });

export const overlayQuery = (name: string) =>
  queryOptions({
    queryKey: ["overlays", name],
    queryFn: ({ signal }) => get<OverlayView>(`/tools/${part(name)}/overlay`, signal),
    // Whoever edits must not have it changed below their hands.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

export const overlayPreviewQuery = (name: string, overlay: UnknownObject) =>
  queryOptions({
    queryKey: ["overlays", name, "preview", overlay],
    queryFn: ({ signal }) =>
      request<OverlayView>("POST", `/tools/${part(name)}/overlay/preview`, { body: overlay, signal }),
    placeholderData: keepPreviousData,
    retry: false,
  });
