import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import { get } from "../../api/client.ts";
import type { ToolFilter } from "../../api/queries.ts";
import { foundToolsQuery, toolPagesQuery } from "../../api/tool-queries.ts";
import { useAllGroups } from "../../app/session.ts";
import { useRest } from "./use-rest.ts";

const restMs = 150;
/** Beside these only the filters of the list know what is meant. */
const searchable: readonly string[] = ["q", "server"];

/**
 * The tools that are meant: those that fit best first, then everything that has the words in it. What is held back is
 * among the latter only, because the search is the one that models use.
 */
export function useFoundTools(filter: ToolFilter) {
  useReadySearch();
  const q = filter.q?.trim() ?? "";
  const isSearch = q !== "" && Object.keys(filter).every((key) => searchable.includes(key));
  const found = useQuery({ ...foundToolsQuery(q, filter.server), enabled: isSearch });
  const isFoundOld = isSearch && (found.isPlaceholderData || found.isPending);
  // What fits best fills the screen; the rest is asked for when that is there and nobody types any more. Where nothing
  // did fit, as with the first letters of a word, the rest is all that there is.
  const hasNone = found.data === undefined || found.data.tools.length === 0;
  const hasRested = useRest(q, restMs);
  const listed = useInfiniteQuery({
    ...toolPagesQuery({ ...useAllGroups(), ...filter }),
    enabled: !isSearch || found.isError || hasNone || (!isFoundOld && hasRested),
  });
  const isListOld = listed.isPlaceholderData || listed.isPending;
  const tools = useMemo(() => {
    const best = isSearch ? (found.data?.tools ?? []).flatMap(({ row }) => row ?? []) : [];
    const named = isSearch && isListOld ? [] : (listed.data?.pages ?? []).flatMap((page) => page.tools);
    const known = new Set(best.map(({ name }) => name));
    return [...best, ...named.filter(({ name }) => !known.has(name))];
  }, [isSearch, isListOld, found.data, listed.data]);
  const isOld = isFoundOld || (isListOld && (!isSearch || tools.length === 0));
  const total = listed.data?.pages[0]?.total ?? 0;
  const now = {
    tools,
    total: isSearch ? Math.max(tools.length, total) : total,
    note: isSearch ? found.data?.note : undefined,
  };
  // What was there stays until the first of the new ones are known, so that nothing moves twice under somebody's hand.
  const shown = useRef(now);
  if (!isOld) shown.current = now;
  return { ...(isOld ? shown.current : now), isOld, isListOld, listed };
}

/** The first search makes the index, and the first list of words the words, so both are made before somebody types. */
function useReadySearch(): void {
  useQuery({
    queryKey: ["search", "ready"],
    queryFn: async ({ signal }) => [
      await get<unknown>("/search?limit=1", signal),
      await get<unknown>("/tools?limit=1&q=a", signal),
    ],
    staleTime: Number.POSITIVE_INFINITY,
  });
}
