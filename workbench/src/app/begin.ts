import { sessionQuery, takePass } from "../api/session.ts";
import { queryClient } from "./query-client.ts";

/** Before the first render: nothing shows until the session is known, so it is fetched first. */
export async function begin(): Promise<void> {
  await takePass();
  void queryClient.prefetchQuery(sessionQuery());
}
