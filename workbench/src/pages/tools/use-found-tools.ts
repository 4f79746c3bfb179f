import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ToolRow } from "../../api/answers.ts";
import { get } from "../../api/client.ts";
import type { ToolFilter } from "../../api/queries.ts";
import { toolPagesQuery } from "../../api/tool-queries.ts";

/** So many of those that fit best come first. */
const maxFound = 25;
/** Beside these only the filters of the list know what is meant. */
const searchable: readonly string[] = ["q", "server", "group"];

/**
 * The tools that are meant: those that fit best first, then everything that has the words in it. What is held back is
 * among the latter only, because the search is the one that models use.
 */
export function foundToolsQuery(filter: ToolFilter) {
  const { q, ...rest } = filter;
  const words = q?.trim() ?? "";
  if (words === "") return toolPagesQuery(rest);
  const isSearch = Object.keys(rest).every((name) => searchable.includes(name));
  return toolPagesQuery({ ...rest, q: words }, isSearch ? maxFound : undefined);
}

/** Personas have tools in the place of shared ones, by the same name. */
const placeOf = ({ name, persona }: ToolRow) => `${persona ?? ""}/${name}`;

export function useFoundTools(filter: ToolFilter) {
  useReadySearch();
  const listed = useInfiniteQuery(foundToolsQuery(filter));
  const { data } = listed;
  const tools = useMemo(() => {
    const [first, ...others] = data?.pages ?? [];
    const known = new Set(first?.tools.map(placeOf));
    const later = others.flatMap((page) => page.tools).filter((tool) => !known.has(placeOf(tool)));
    return [...(first?.tools ?? []), ...later];
  }, [data]);
  const { total, note } = data?.pages[0] ?? {};
  // What was there stays until what is meant now is known, so that nothing moves twice under somebody's hand.
  return { tools, total, note, isOld: listed.isPlaceholderData || listed.isPending, listed };
}

/** The first search makes the index, and the first list of words the words, so both are made before somebody types. */
function useReadySearch(): void {
  useQuery({
    queryKey: ["search", "ready"],
    queryFn: ({ signal }) => get<unknown>("/tools?q=a&best=1&limit=1", signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
