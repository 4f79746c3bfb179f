import { replaceEqualDeep, useInfiniteQuery } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import { useOperation } from "../../api/operations.ts";
import { type ToolFilter, type ToolRow, toolPagesQuery } from "../../api/tool-queries.ts";

/** The number of best matches that come first. */
const maxFound = 25;
/** Search supports these filters; others need the list. */
const searchable: readonly string[] = ["q", "server", "group"];

/**
 * Matching tools: the best search results first, then every tool that contains the words. Quarantined tools are only
 * among the latter, because models use the same search.
 */
export function foundToolsQuery(filter: ToolFilter) {
  const { q, ...otherFilters } = filter;
  const trimmedQuery = q?.trim() ?? "";
  if (trimmedQuery === "") return toolPagesQuery(otherFilters);
  const isSearch = Object.keys(otherFilters).every((name) => searchable.includes(name));
  return toolPagesQuery({ ...otherFilters, q: trimmedQuery }, isSearch ? maxFound : undefined);
}

/** Persona tools override shared ones of the same name. */
const keyOf = ({ name, persona }: ToolRow) => `${persona ?? ""}/${name}`;

export function useFoundTools(filter: ToolFilter) {
  useReadySearch();
  const listed = useInfiniteQuery(foundToolsQuery(filter));
  const { data } = listed;
  const shownTools = useRef<ToolRow[]>([]);
  const tools = useMemo(() => {
    const [firstPage, ...laterPages] = data?.pages ?? [];
    const firstKeys = new Set(firstPage?.tools.map(keyOf));
    const laterTools = laterPages
      .flatMap((page) => page.tools)
      .filter((tool) => !firstKeys.has(keyOf(tool)));
    // A row that another letter left as it was is not rendered again.
    shownTools.current = replaceEqualDeep(shownTools.current, [
      ...(firstPage?.tools ?? []),
      ...laterTools,
    ]);
    return shownTools.current;
  }, [data]);
  const { total, note } = data?.pages[0] ?? {};
  // Keep the old rows until the new ones arrive, so that the list moves once.
  return { tools, total, note, isOld: listed.isPlaceholderData || listed.isPending, listed };
}

/** Warms up the search index and the word list before the first query. */
function useReadySearch(): void {
  const readyOptions = { topic: "search", staleTime: Number.POSITIVE_INFINITY } as const;
  useOperation("tools.page", { q: "a", best: 1, limit: 1 }, readyOptions);
}
