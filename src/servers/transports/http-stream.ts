import type { IncomingMessage } from "node:http";
import { pause } from "../../lib/pause.ts";
import { type ChannelHandlers, type RequestId, TransportError } from "../../protocol/message.ts";
import { findOversizedId } from "../../protocol/oversized-id.ts";
import { answerIn } from "./http-answer.ts";
import { isEventStream, readEvents } from "./http-body.ts";
import { isPassing, tooLarge } from "./http-failure.ts";
import { type StreamPlace, shortestRetryMs } from "./http-listen.ts";
import { noiseText, parseMessage } from "./noise.ts";

const maxResumptions = 3;
const betweenResumptionsMs = 1_000;
/** How long a stream may stay open after its answer, which should be the last it brings. */
const lingerMs = 5_000;

/** Hands on what a stream brings. Resolves when the answer has come, or, with false, when the stream is over. */
export function followStream(
  response: IncomingMessage,
  place: StreamPlace,
  { id, limitBytes, handlers }: { id?: RequestId; limitBytes: number; handlers: ChannelHandlers },
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let linger: NodeJS.Timeout | undefined;
    const takeData = (data: string) => {
      if (data === "") return;
      const message = parseMessage(data);
      if (message === undefined) return handlers.onNoise?.(noiseText(data));
      const answer = answerIn(message, id, true);
      handlers.onMessage(answer ?? message, id);
      if (answer === undefined) return;
      linger ??= setTimeout(() => response.destroy(), lingerMs).unref();
      resolve(true);
    };
    const over = readEvents(response, takeData, {
      limitBytes,
      onId(lastId) {
        place.lastId = lastId;
      },
      onRetry(retryMs) {
        place.retryMs = retryMs;
      },
      onTooLarge: (event) => handlers.onTooLarge?.(findOversizedId(event), event.bytes),
      onOverLimit() {
        // Of a stream that is only for one answer the rest is worth nothing.
        if (id === undefined) return;
        reject(tooLarge(limitBytes));
        response.destroy();
      },
    });
    void over.then(() => {
      clearTimeout(linger);
      resolve(false);
    });
  });
}

export type Resumption = {
  signal: AbortSignal | undefined;
  isOver(): boolean;
  open(place: StreamPlace): Promise<IncomingMessage>;
  follow(response: IncomingMessage, place: StreamPlace): Promise<boolean>;
};

/** Goes on with a stream that broke off where it told a place to go on from. True when the answer has come. */
export async function resumeStream(place: StreamPlace, resumption: Resumption): Promise<boolean> {
  for (let tries = 0; tries < maxResumptions && place.lastId !== undefined; tries += 1) {
    const { lastId } = place;
    if (tries > 0 || place.retryMs !== undefined)
      await pause(Math.max(shortestRetryMs, place.retryMs ?? betweenResumptionsMs), resumption);
    if (resumption.signal?.aborted || resumption.isOver()) return false;
    const response = await reopen(place, resumption);
    if (response === "never") return false;
    if (response !== "later" && (await resumption.follow(response, place))) return true;
    // A server may close a stream again and again while it works; only going on without news is in vain.
    if (place.lastId !== lastId) tries = -1;
  }
  return false;
}

async function reopen(
  place: StreamPlace,
  { open }: Resumption,
): Promise<IncomingMessage | "later" | "never"> {
  try {
    const response = await open(place);
    if (response.statusCode === 200 && isEventStream(response)) return response;
    response.resume();
    return isPassing(response.statusCode ?? 0) ? "later" : "never";
  } catch (thrown) {
    return thrown instanceof TransportError ? "later" : "never";
  }
}
