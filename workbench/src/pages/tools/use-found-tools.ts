import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ToolAnswer } from "../../api/answers.ts";
import type { ToolFilter } from "../../api/queries.ts";
import { foundToolsQuery, toolPagesQuery } from "../../api/tool-queries.ts";

/** Beside these only the filters of the list know what is meant. */
const searchable: readonly string[] = ["q", "server"];

/**
 * The tools that are meant: those that fit best first, then everything that has the words in it. What is held back is
 * among the latter only, because the search is the one that models use.
 */
export function useFoundTools(filter: ToolFilter) {
  const q = filter.q?.trim() ?? "";
  const isSearch = q !== "" && Object.keys(filter).every((key) => searchable.includes(key));
  const listed = useInfiniteQuery(toolPagesQuery(filter));
  const found = useQuery({ ...foundToolsQuery(q, filter.server), enabled: isSearch });
  const tools = useMemo(() => {
    const best = isSearch ? (found.data?.tools ?? []).flatMap(({ tool }) => tool ?? []) : [];
    const named = (listed.data?.pages ?? []).flatMap((page) => page.tools);
    const known = new Set(best.map(({ name }) => name));
    return [...best, ...named.filter(({ name }) => !known.has(name))];
  }, [isSearch, found.data, listed.data]);
  return {
    tools: tools as readonly ToolAnswer[],
    total: isSearch
      ? Math.max(tools.length, listed.data?.pages[0]?.total ?? 0)
      : (listed.data?.pages[0]?.total ?? 0),
    note: isSearch ? found.data?.note : undefined,
    listed,
  };
}
