import {
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryOptions,
  useInfiniteQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useCallback, useState } from "react";
import type { EventType } from "../../../../src/model/events.ts";
import type { LiveEvent } from "../../api/event-stream.ts";
import { useLiveEvent } from "../../app/live-events.ts";

/** Longer lists are not refetched on events. */
const maxLivePages = 3;

type Options<Page, Key extends QueryKey> = UseInfiniteQueryOptions<
  Page,
  Error,
  InfiniteData<Page>,
  Key,
  string
>;

/**
 * A list that stays up to date while it is short. Refetching a long one with every call costs too much, so new items
 * are counted and shown on request. `newer` is null while the list is up to date.
 */
export function useLongList<Page, Key extends QueryKey>(
  options: Options<Page, Key>,
  added: EventType,
) {
  const client = useQueryClient();
  const [newer, setNewer] = useState(0);
  const list = useInfiniteQuery<Page, Error, InfiniteData<Page>, Key, string>({
    ...options,
    enabled: ({ state }) => (state.data?.pages.length ?? 0) <= maxLivePages,
  });
  const isLong = (list.data?.pages.length ?? 0) > maxLivePages;
  useLiveEvent(
    useCallback(
      ({ type }: LiveEvent["event"]) => {
        if (type === added && isLong) setNewer((before) => before + 1);
      },
      [added, isLong],
    ),
  );
  const showNewest = () => {
    setNewer(0);
    void client.resetQueries({ queryKey: options.queryKey, exact: true });
  };
  return { list, newer: isLong ? newer : null, showNewest };
}
