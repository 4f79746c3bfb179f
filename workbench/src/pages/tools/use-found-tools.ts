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
  const { q, ...rest } = filter;
  const words = q?.trim() ?? "";
  if (words === "") return toolPagesQuery(rest);
  const isSearch = Object.keys(rest).every((name) => searchable.includes(name));
  return toolPagesQuery({ ...rest, q: words }, isSearch ? maxFound : undefined);
}

/** Persona tools override shared ones of the same name. */
const placeOf = ({ name, persona }: ToolRow) => `${persona ?? ""}/${name}`;

export function useFoundTools(filter: ToolFilter) {
  useReadySearch();
  const listed = useInfiniteQuery(foundToolsQuery(filter));
  const { data } = listed;
  const shown = useRef<ToolRow[]>([]);
  const tools = useMemo(() => {
    const [first, ...others] = data?.pages ?? [];
    const known = new Set(first?.tools.map(placeOf));
    const later = others.flatMap((page) => page.tools).filter((tool) => !known.has(placeOf(tool)));
    // A row that another letter left as it was is not rendered again.
    shown.current = replaceEqualDeep(shown.current, [...(first?.tools ?? []), ...later]);
    return shown.current;
  }, [data]);
  const { total, note } = data?.pages[0] ?? {};
  // Keep the old rows until the new ones arrive, so that the list moves once.
  return { tools, total, note, isOld: listed.isPlaceholderData || listed.isPending, listed };
}

/** Warms up the search index and the word list before the first query. */
function useReadySearch(): void {
  const once = { topic: "search", staleTime: Number.POSITIVE_INFINITY } as const;
  useOperation("tools.page", { q: "a", best: 1, limit: 1 }, once);
}
