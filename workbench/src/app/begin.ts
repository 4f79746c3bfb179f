import { takePass } from "../api/client.ts";
import { sessionQuery } from "../api/queries.ts";
import { queryClient } from "./query-client.ts";

/** Before anything is rendered: nothing is shown until it is known who asks, so nothing else is waited for first. */
export async function begin(): Promise<void> {
  await takePass();
  void queryClient.prefetchQuery(sessionQuery());
}
