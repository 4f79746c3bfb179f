import type { Query, QueryClient } from "@tanstack/react-query";
import type { Topic } from "./topics.ts";

/** When things were removed. */
const goneAt = new Map<string, number>();
const keyOf = (topic: string, name: unknown) => `${topic}/${name}`;

/** What the input of an operation is about. */
function namesIn(input: unknown): unknown[] {
  const { name, server, id } = (input ?? {}) as Readonly<Record<string, unknown>>;
  return [name, server, id];
}

/** The page of what is being removed stays for a moment; asking again would find nothing. */
export function markGone(topic: Topic, name: string, isGone: boolean): void {
  if (isGone) goneAt.set(keyOf(topic, name), Date.now());
  else goneAt.delete(keyOf(topic, name));
}

/** Asks again for everything of a topic that still exists, or exists again since. */
export async function refresh(client: QueryClient, topic: Topic): Promise<void> {
  const isThere = ({ queryKey: [, , input], state }: Query) =>
    namesIn(input).every((name) => state.dataUpdatedAt > (goneAt.get(keyOf(topic, name)) ?? -1));
  const queries = { queryKey: [topic], predicate: isThere };
  // A first answer that is under way is not asked for twice at once, but it may be from before the change.
  const underWay = client.getQueryCache().findAll({
    ...queries,
    fetchStatus: "fetching",
    predicate: (query) => query.state.data === undefined && isThere(query),
  });
  const later = underWay.map(async ({ queryKey, promise }) => {
    await promise?.catch(() => undefined);
    await client.invalidateQueries({ queryKey, exact: true });
  });
  await Promise.all([client.invalidateQueries(queries), ...later]);
}
