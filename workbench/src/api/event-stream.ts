import type { PlaneEvent } from "../../../src/model/events.ts";
import { readProblem, send } from "./client.ts";
import { readServerSentEvents } from "./server-sent-events.ts";

export type LiveEvent = { id: string; event: PlaneEvent & { at: string } };

/** Follows `/events` after `after`, until it ends or `signal` aborts. With `fetch`, because it can send credentials. */
export async function followEvents(
  after: string,
  signal: AbortSignal,
  onOpen: () => void,
  onEvent: (event: LiveEvent) => void,
): Promise<void> {
  const headers = { accept: "text/event-stream", "last-event-id": after };
  const response = await send("GET", "/events", { signal, headers });
  if (!response.ok || !response.body) throw await readProblem(response);
  onOpen();
  await readServerSentEvents(response.body, ({ id, data }) =>
    onEvent({ id, event: JSON.parse(data) as LiveEvent["event"] }),
  );
}
