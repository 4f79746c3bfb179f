import type { PlaneEvent } from "../../../src/model/events.ts";
import { readProblem } from "./client.ts";
import { sendOperation } from "./operations.ts";
import { readServerSentEvents } from "./server-sent-events.ts";

export type LiveEvent = { id: string; event: PlaneEvent & { at: string } };

/** Follows the events after `after`, until they end or `signal` aborts. With `fetch`, because it can send credentials. */
export async function followEvents(
  after: string,
  signal: AbortSignal,
  onOpen: () => void,
  onEvent: (event: LiveEvent) => void,
): Promise<void> {
  const headers = { accept: "text/event-stream", "last-event-id": after };
  const response = await sendOperation("events.page", {}, { signal, headers });
  if (!response.ok || !response.body) throw await readProblem(response);
  onOpen();
  await readServerSentEvents(response.body, ({ id, data }) =>
    onEvent({ id, event: JSON.parse(data) as LiveEvent["event"] }),
  );
}
