import assert from "node:assert/strict";
import { test } from "node:test";
import {
  readServerSentEvents,
  type SentEvent,
} from "../../workbench/src/api/server-sent-events.ts";

test("server-sent events are read wherever the stream is cut, without comments and without a last half", async () => {
  const text =
    ': hello\n\nid: 1\nevent: progress\ndata: {"n":12345678901234567890}\n\ndata: ä\r\ndata: b\r\n\r\nid: 3\n\ndata: half';
  const bytes = new TextEncoder().encode(text);
  const found: SentEvent[] = [];
  await readServerSentEvents(
    ReadableStream.from([...bytes].map((byte) => Uint8Array.of(byte))),
    (event) => found.push(event),
  );
  assert.deepEqual(found, [
    { id: "1", name: "progress", data: '{"n":12345678901234567890}' },
    { id: "", name: "message", data: "ä\nb" },
  ]);
});
