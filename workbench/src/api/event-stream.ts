import type { PlaneEvent } from "../../../src/model/events.ts";
import { readProblem, send } from "./client.ts";

export type LiveEvent = { id: string; event: PlaneEvent & { at: string } };

/** Follows `/events` behind `after`, until it ends or `signal` says so. With `fetch`, because it can say who asks. */
export async function followEvents(
  after: string | null,
  signal: AbortSignal,
  onOpen: () => void,
  onEvent: (event: LiveEvent) => void,
): Promise<void> {
  const headers: Record<string, string> = {
    accept: "text/event-stream",
    ...(after === null ? {} : { "last-event-id": after }),
  };
  const response = await send("GET", "/events", { signal, headers });
  if (!response.ok || !response.body) throw await readProblem(response);
  onOpen();
  await readServerSentEvents(response.body, ({ id, data }) =>
    onEvent({ id, event: JSON.parse(data) as LiveEvent["event"] }),
  );
}

export type SentEvent = { id: string; name: string; data: string };

/** Server-sent events, as they come in. Comments keep a connection alive and say nothing. */
export async function readServerSentEvents(
  body: ReadableStream<Uint8Array>,
  onEvent: (event: SentEvent) => void,
): Promise<void> {
  let rest = "";
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event.data !== "") onEvent(event);
    }
  }
}

function parseBlock(block: string): SentEvent {
  const event: SentEvent = { id: "", name: "message", data: "" };
  for (const line of block.split("\n")) {
    const [, field = "", value = ""] = /^([a-z]+): ?(.*)$/.exec(line) ?? [];
    if (field === "id") event.id = value;
    if (field === "event") event.name = value;
    if (field === "data") event.data = event.data === "" ? value : `${event.data}\n${value}`;
  }
  return event;
}
