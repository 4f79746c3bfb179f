import type { IncomingMessage } from "node:http";
import { backoffMs, pause } from "../../lib/async/pause.ts";
import { steadyNow } from "../../lib/async/steady-time.ts";
import { isObject } from "../../model/json.ts";
import { type ChannelHandlers, type RequestId, TransportError } from "../../protocol/message.ts";
import { findOversizedId } from "../../protocol/oversized-id.ts";
import {
  isEventStream,
  isNothingThere,
  isPassing,
  readEvents,
  refused,
  tooLarge,
} from "./http-response.ts";
import { noiseText, parseMessage } from "./parse-message.ts";

const maxResumptions = 3;
const lingerMs = 5_000;

/** Resolves with true at the answer, with false at the end of the stream. */
export function followStream(
  response: IncomingMessage,
  position: StreamPosition,
  {
    id,
    limitBytes,
    handlers,
  }: { id: RequestId | undefined; limitBytes: number; handlers: ChannelHandlers },
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let linger: NodeJS.Timeout | undefined;
    const takeData = (data: string) => {
      if (data === "") return;
      const message = parseMessage(data);
      if (message === undefined) return handlers.onNoise?.(noiseText(data));
      position.messageCount = (position.messageCount ?? 0) + 1;
      const answer = answerIn(message, id, true);
      deliver(handlers, answer ?? message, id);
      if (answer === undefined) return;
      linger ??= setTimeout(() => response.destroy(), lingerMs).unref();
      resolve(true);
    };
    const ended = readEvents(response, takeData, {
      limitBytes,
      onId(lastId) {
        position.lastId = lastId;
      },
      onRetry(retryMs) {
        position.retryMs = retryMs;
      },
      onTooLarge: (event) => handlers.onTooLarge?.(findOversizedId(event), event.bytes),
      onOverLimit() {
        // After its one answer the rest of a stream is worth nothing.
        if (id === undefined) return;
        reject(tooLarge(limitBytes));
        response.destroy();
      },
    });
    void ended.then(() => {
      clearTimeout(linger);
      resolve(false);
    });
  });
}

type Resumption = {
  signal: AbortSignal | undefined;
  isOver(): boolean;
  open(place: StreamPosition): Promise<IncomingMessage>;
  follow(response: IncomingMessage, position: StreamPosition): Promise<boolean>;
};

/** From the last event id. True when the answer has come. */
export async function resumeStream(
  position: StreamPosition,
  resumption: Resumption,
): Promise<boolean> {
  let silent = 0;
  for (let tries = 0; tries < maxResumptions && position.lastId !== undefined; tries += 1) {
    const { lastId, messageCount: countBefore } = position;
    if (silent > 0 || position.retryMs !== undefined)
      await pause(reopenAfterMs(position, silent), resumption);
    if (resumption.signal?.aborted || resumption.isOver()) return false;
    const response = await reopen(position, resumption);
    if (response === "never") return false;
    if (response !== "later" && (await resumption.follow(response, position))) return true;
    silent = position.messageCount === countBefore ? silent + 1 : 0;
    // A server may close a stream repeatedly; only resuming without news is in vain.
    if (position.lastId !== lastId) tries = -1;
  }
  return false;
}

async function reopen(
  position: StreamPosition,
  { open }: Resumption,
): Promise<IncomingMessage | "later" | "never"> {
  try {
    const response = await open(position);
    if (response.statusCode === 200 && isEventStream(response)) return response;
    response.resume();
    return isPassing(response.statusCode ?? 0) ? "later" : "never";
  } catch (thrown) {
    return thrown instanceof TransportError ? "later" : "never";
  }
}

const defaultRetryMs = 1_000;
const shortestRetryMs = 100;
const maxReopenMs = 30_000;
/** A stream that stood for this time was no failure, also if it brought nothing. */
const longStreamMs = 10_000;
const maxFailures = 3;

/** Where a stream broke off, and the server's retry delay. */
export type StreamPosition = {
  lastId: string | undefined;
  retryMs: number | undefined;
  messageCount?: number;
};

/** What the server asks for, doubled with each stream in a row that brought nothing. */
function reopenAfterMs({ retryMs = defaultRetryMs }: StreamPosition, silent: number): number {
  const firstMs = Math.max(shortestRetryMs, retryMs);
  return backoffMs({ firstMs, maxMs: Math.max(firstMs, maxReopenMs) }, silent + 1);
}

type Listening = {
  url: URL;
  signal: AbortSignal;
  open(position: StreamPosition): Promise<IncomingMessage>;
  follow(response: IncomingMessage, position: StreamPosition): Promise<unknown>;
  onLost(reason: TransportError): void;
};

/** Keeps the server's own stream open, and notices when the server is gone. */
export async function keepListening({
  url,
  signal,
  open,
  follow,
  onLost,
}: Listening): Promise<void> {
  const position: StreamPosition = { lastId: undefined, retryMs: undefined };
  let wasHeard = false;
  let silent = 0;
  for (let failures = 0; !signal.aborted; ) {
    const countBefore = position.messageCount;
    const openedAt = steadyNow();
    const opened = await open(position).catch((thrown: unknown) => thrown);
    if (signal.aborted) return;
    if (isResponse(opened) && opened.statusCode === 200 && isEventStream(opened)) {
      wasHeard = true;
      failures = 0;
      await follow(opened, position);
      const isSilent =
        position.messageCount === countBefore && steadyNow() - openedAt < longStreamMs;
      silent = isSilent ? silent + 1 : 0;
    } else {
      failures += 1;
      const verdict = judge(opened, url, wasHeard, failures > maxFailures);
      if (verdict instanceof TransportError) return onLost(verdict);
      if (verdict === "done") return;
    }
    await pause(reopenAfterMs(position, failures + Math.max(0, silent - 1)), { signal });
  }
}

/** Most servers have no such stream; only one that was heard can be missed. */
function judge(
  opened: unknown,
  url: URL,
  wasHeard: boolean,
  isLast: boolean,
): TransportError | "done" | "again" {
  if (opened instanceof TransportError) return isNothingThere(opened) || isLast ? opened : "again";
  if (!isResponse(opened)) return "done";
  opened.resume();
  const status = opened.statusCode ?? 0;
  if (wasHeard && (status === 404 || status === 400))
    return new TransportError("the server has forgotten the session", { sent: true, status });
  if (!isPassing(status)) return "done";
  if (!isLast) return "again";
  return wasHeard ? refused(opened, url) : "done";
}

function isResponse(opened: unknown): opened is IncomingMessage {
  return typeof opened === "object" && opened !== null && "statusCode" in opened;
}

/** An answer that belongs to no request of this stream is dropped. */
export function deliver(
  handlers: ChannelHandlers,
  message: unknown,
  id: RequestId | undefined,
): void {
  const isStray = (candidate: unknown) =>
    isObject(candidate) && candidate.method === undefined && candidate.id !== id;
  const strays = (Array.isArray(message) ? message : [message]).filter(isStray);
  for (const _ of strays) handlers.onNoise?.("an answer to no request of its stream");
  if (!Array.isArray(message)) {
    if (strays.length === 0) handlers.onMessage(message, id);
    return;
  }
  handlers.onMessage(
    message.filter((candidate) => !isStray(candidate)),
    id,
  );
}

/** With `unnamed`, an error without an id counts too, and gets the id: nothing else can be meant. */
export function answerIn(message: unknown, id: RequestId | undefined, unnamed: boolean): unknown {
  if (id === undefined) return undefined;
  if (Array.isArray(message))
    return message.some((part) => answerIn(part, id, false)) ? message : undefined;
  if (!isObject(message) || message.jsonrpc !== "2.0" || message.method !== undefined)
    return undefined;
  if (message.id === id) return message;
  return unnamed && message.id == null && isObject(message.error) ? { ...message, id } : undefined;
}
