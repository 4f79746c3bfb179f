import type { QueryClient } from "@tanstack/react-query";
import type { Topic } from "./queries.ts";

/** When things were removed. */
const goneAt = new Map<string, number>();
const keyOf = (topic: string, name: unknown) => `${topic}/${name}`;

/** The page of what is being removed stays for a moment; asking again would find nothing. */
export function markGone(topic: Topic, name: string, isGone: boolean): void {
  if (isGone) goneAt.set(keyOf(topic, name), Date.now());
  else goneAt.delete(keyOf(topic, name));
}

/** Asks again for everything of a topic that still exists, or exists again since. */
export const refresh = (client: QueryClient, topic: Topic): Promise<void> =>
  client.invalidateQueries({
    queryKey: [topic],
    predicate: ({ queryKey: [, name], state }) => state.dataUpdatedAt > (goneAt.get(keyOf(topic, name)) ?? -1),
  });
