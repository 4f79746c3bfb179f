import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { OverlayView } from "../../../src/model/catalogue/tool.ts";
import type { UnknownObject } from "../../../src/model/json.ts";
import type { AnswerOf } from "../../../src/operations/operations.ts";
import type { ContextStats, PinAnswer, ToolRow, ToolRowsAnswer } from "./answers.ts";
import { get, part, request, withQuery } from "./client.ts";
import type { ToolFilter } from "./queries.ts";

/** A screen and a half, so that typing stays quick. */
const firstPage = 30;
const laterPages = 50;
/** Refetched until the tokens are counted. */
const uncountedMs = 1_500;
const isUncounted = (rows: readonly ToolRow[]) => rows.some(({ tokens }) => tokens === null);

/**
 * Tools by name, by page, after the `best` matches for `q`. A long list is not refetched with every call.
 */
export const toolPagesQuery = (filter: ToolFilter, best?: number) =>
  infiniteQueryOptions({
    queryKey: ["tool-list", filter, best],
    queryFn: ({ pageParam: cursor, signal }) => {
      const limit = cursor === "" ? firstPage : laterPages;
      return get<ToolRowsAnswer>(withQuery("/tools", { ...filter, best, view: "row", limit, cursor }), signal);
    },
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.length === 1 && isUncounted(data.pages[0]?.tools ?? []) ? uncountedMs : false,
  });

/** How good the definition of one tool is. */
export const toolQualityQuery = (tool: string) =>
  queryOptions({
    queryKey: ["tools", "quality", tool],
    queryFn: ({ signal }) => get<AnswerOf<"tools.quality">>(withQuery("/tools/quality", { tool }), signal),
  });

/** What the definition of one tool costs. */
export const toolCostQuery = (tool: string) =>
  queryOptions({
    queryKey: ["tools", "cost", tool],
    queryFn: ({ signal }) => get<ContextStats>(withQuery("/stats", { tool, tools: true }), signal),
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
    // No refetch while the user edits.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

/** What happened to a tool and its overlay, newest first. */
export const toolChangesQuery = (name: string) =>
  queryOptions({
    queryKey: ["tools", "changes", name],
    queryFn: ({ signal }) =>
      get<AnswerOf<"registry.changes">>(withQuery("/tools/changes", { name, limit: 20 }), signal),
  });

export const overlayPreviewQuery = (name: string, overlay: UnknownObject) =>
  queryOptions({
    queryKey: ["overlays", name, "preview", overlay],
    queryFn: ({ signal }) =>
      request<OverlayView>("POST", `/tools/${part(name)}/overlay/preview`, { body: overlay, signal }),
    placeholderData: keepPreviousData,
    retry: false,
  });
