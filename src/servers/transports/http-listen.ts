import type { IncomingMessage } from "node:http";
import { pause } from "../../lib/pause.ts";
import { TransportError } from "../../protocol/message.ts";
import { isEventStream } from "./http-body.ts";
import { isNobodyThere, isPassing, refused } from "./http-failure.ts";

const defaultRetryMs = 1_000;
/** Whatever a server wants: nobody is asked again more often than this. */
export const shortestRetryMs = 100;
const maxFailures = 3;

/** Where a stream broke off and when the server wants to be asked again. */
export type StreamPlace = { lastId: string | undefined; retryMs: number | undefined };

export type Listening = {
  url: URL;
  signal: AbortSignal;
  open(place: StreamPlace): Promise<IncomingMessage>;
  /** Resolves when the stream is over. */
  follow(response: IncomingMessage, place: StreamPlace): Promise<unknown>;
  /** The server is gone, or has forgotten us. */
  onLost(reason: TransportError): void;
};

/** Keeps the stream open on which a server speaks by itself, and notices by it when the server is gone. */
export async function keepListening({ url, signal, open, follow, onLost }: Listening): Promise<void> {
  const place: StreamPlace = { lastId: undefined, retryMs: undefined };
  let heard = false;
  for (let failures = 0; !signal.aborted; ) {
    const opened = await open(place).catch((thrown: unknown) => thrown);
    if (signal.aborted) return;
    if (isResponse(opened) && opened.statusCode === 200 && isEventStream(opened)) {
      heard = true;
      failures = 0;
      await follow(opened, place);
    } else {
      failures += 1;
      const verdict = judge(opened, { url, heard, last: failures > maxFailures });
      if (verdict instanceof TransportError) return onLost(verdict);
      if (verdict === "done") return;
    }
    const waitMs = (place.retryMs ?? defaultRetryMs) * 2 ** failures;
    await pause(Math.max(shortestRetryMs, waitMs), { signal });
  }
}

/** Most servers have no such stream, and some cannot say so; only one that was heard can be missed. */
function judge(
  opened: unknown,
  { url, heard, last }: { url: URL; heard: boolean; last: boolean },
): TransportError | "done" | "again" {
  if (opened instanceof TransportError) return isNobodyThere(opened) || last ? opened : "again";
  if (!isResponse(opened)) return "done";
  opened.resume();
  const status = opened.statusCode ?? 0;
  if (heard && (status === 404 || status === 400)) {
    return new TransportError("the server has forgotten the session", { sent: true, status });
  }
  if (!isPassing(status)) return "done";
  if (!last) return "again";
  return heard ? refused(opened, url) : "done";
}

function isResponse(opened: unknown): opened is IncomingMessage {
  return typeof opened === "object" && opened !== null && "statusCode" in opened;
}
