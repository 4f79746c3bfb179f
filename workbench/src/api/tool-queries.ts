import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import type { UnknownObject } from "../../../src/model/json.ts";
import type { AnswerOf, InputOf } from "../../../src/operations/operations.ts";
import { callOperation, operationQuery } from "./operations.ts";

export type ToolAnswer = AnswerOf<"tools.get">;
type Listed = AnswerOf<"tools.page">["tools"][number];
/** A tool in a list. */
export type ToolRow = Exclude<Listed, ToolAnswer>;

/** The filters of the list, as addresses spell them; lists are written with commas. */
export const toolFilterNames = [
  ...([
    "q",
    "server",
    "side_effects",
    "safety_level",
    "capability",
    "provider",
    "persona",
  ] as const),
  ...(["version", "min_success_rate", "include_unused", "group", "state"] as const),
  ...(["impact", "quarantined", "overlaid", "unused", "max_quality", "sort"] as const),
] as const;
export type ToolFilterName = (typeof toolFilterNames)[number];
export type ToolFilter = {
  [Name in ToolFilterName]?: Extract<InputOf<"tools.page">[Name], string>;
};

/** A screen and a half, so that typing stays quick. */
const firstPage = 30;
const laterPages = 50;
/** Refetched until the tokens are counted. */
const uncountedMs = 1_500;
const isUncounted = (rows: readonly ToolRow[]) => rows.some(({ tokens }) => tokens === null);
const isRow = (tool: Listed): tool is ToolRow => "tokens" in tool;

/** Tools as a list shows them. */
export async function listTools(input: InputOf<"tools.page">, signal: AbortSignal) {
  const { tools, ...page } = await callOperation(
    "tools.page",
    { ...input, view: "row" },
    { signal },
  );
  return { ...page, tools: tools.filter(isRow) };
}

/**
 * Tools by name, by page, after the `best` matches for `q`. A long list is not refetched with every call.
 */
export const toolPagesQuery = (filter: ToolFilter, best?: number) =>
  infiniteQueryOptions({
    queryKey: ["tool-list", "tools.page", { ...filter, best }],
    queryFn: ({ pageParam: cursor, signal }) => {
      const limit = cursor === "" ? firstPage : laterPages;
      return listTools({ ...filter, best, limit, cursor }, signal);
    },
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.length === 1 && isUncounted(data.pages[0]?.tools ?? []) ? uncountedMs : false,
  });

export const overlayQuery = (name: string) =>
  // No refetch while the user edits.
  operationQuery("tools.overlay", { name }, { staleTime: Number.POSITIVE_INFINITY, gcTime: 0 });

export const overlayPreviewQuery = (name: string, overlay: UnknownObject) =>
  operationQuery(
    "tools.previewOverlay",
    { name, overlay },
    { placeholderData: keepPreviousData, retry: false },
  );
