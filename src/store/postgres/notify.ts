import type { StoreNews } from "../../model/store.ts";
import type { Query } from "./query.ts";

/** Postgres takes less than 8,000 bytes. */
const maxBytes = 7_900;

type Place = { schema: string };

/** Planes on different schemas of one database do not meet. */
export function channelOf({ schema }: Place): string {
  return `toolplane_${schema}`.slice(0, 63);
}

/** As SQL; the name is one of ours and the schema's is plain. */
export function lockKey({ schema }: Place, name: string): string {
  return `hashtextextended('toolplane/${schema}/${name.replaceAll("'", "''")}', 0)`;
}

/** Sent when the transaction is committed, and not when it is not. What is too long is found by looking. */
export async function notify(query: Query, place: Place, instance: string, news: StoreNews): Promise<void> {
  const payload = JSON.stringify({ from: instance, ...news });
  if (Buffer.byteLength(payload) > maxBytes) return;
  await query("SELECT pg_notify($1, $2)", [channelOf(place), payload]);
}

/** Nothing where it comes from ourselves, or from a version that says what we do not understand. */
export function readNews(payload: string | undefined, instance: string): StoreNews | null {
  try {
    const { from, ...news } = JSON.parse(payload ?? "") as { from: string } & StoreNews;
    return from === instance || typeof news.what !== "string" ? null : (news as StoreNews);
  } catch {
    return null;
  }
}
