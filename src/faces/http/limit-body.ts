import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { PlaneError } from "../../model/errors.ts";
import { renderProblem } from "./render.ts";

const limitBytes = 4 * 1024 * 1024;
/** Whoever sends more than this has only themselves to thank for a connection that breaks. */
const discardedBytes = 32 * 1024 * 1024;

/** Refuses bodies that are too large, in a way that whoever sent one gets to read it. */
export function limitBody(): MiddlewareHandler {
  return bodyLimit({
    maxSize: limitBytes,
    async onError({ req: { raw } }) {
      if (raw.body && !raw.body.locked) await discard(raw.body);
      const message = `The body is larger than ${limitBytes / 1024 / 1024} MiB.`;
      return renderProblem(new PlaneError("PAYLOAD_TOO_LARGE", message));
    },
  });
}

/** A client that is still sending when the connection closes sees a broken connection and not the answer. */
async function discard(body: ReadableStream<Uint8Array>): Promise<void> {
  let seen = 0;
  try {
    for await (const piece of body) {
      seen += piece.byteLength;
      if (seen > discardedBytes) return;
    }
  } catch {
    // It went away by itself.
  }
}
