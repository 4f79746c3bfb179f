import { createParser } from "eventsource-parser";

export type SentEvent = { id: string; name: string; data: string };

/** Parses server-sent events. Comments only keep the connection alive. */
export async function readServerSentEvents(
  body: ReadableStream<Uint8Array>,
  onEvent: (event: SentEvent) => void,
): Promise<void> {
  const parser = createParser({
    onEvent({ id = "", event: name = "message", data }) {
      if (data !== "") onEvent({ id, name, data });
    },
  });
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    parser.feed(value);
  }
}
