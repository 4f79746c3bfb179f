import type { IncomingMessage } from "node:http";
import { TransportError } from "../../protocol/message.ts";
import { createSseParser, type SseOptions } from "../../protocol/sse-parser.ts";
import { tooLarge } from "./http-failure.ts";

/** The whole body, up to a limit. */
export function readBody(response: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const count = (bytes: number) => {
      size += bytes;
      if (size <= limitBytes) return true;
      reject(tooLarge(limitBytes));
      response.destroy();
      return false;
    };
    // What it announces need not arrive first.
    if (Number(response.headers["content-length"]) > limitBytes) return count(Number.POSITIVE_INFINITY);
    response.on("data", (chunk: Buffer) => count(chunk.length) && chunks.push(chunk));
    response.on("end", () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    response.on("error", (error) =>
      reject(new TransportError(`the answer broke off: ${error.message}`, { sent: true, cause: error })),
    );
  });
}

/** Resolves when the stream is over, for whatever reason. */
export function readEvents(
  response: IncomingMessage,
  onData: (data: string, event: string) => void,
  options: SseOptions,
): Promise<void> {
  return new Promise((resolve) => {
    response.setEncoding("utf8").on("data", createSseParser(onData, options));
    response.on("end", resolve);
    response.on("close", resolve);
    response.on("error", () => resolve());
    if (response.destroyed) resolve();
  });
}

export function isEventStream({ headers }: IncomingMessage): boolean {
  return headers["content-type"]?.includes("text/event-stream") ?? false;
}

/** We ask for plain answers only. */
export function refuseCompressed(response: IncomingMessage): void {
  const encoding = response.headers["content-encoding"]?.trim() ?? "";
  if (/^(identity)?$/i.test(encoding)) return;
  response.destroy();
  const name = /^[\w, -]{1,40}$/.test(encoding) ? encoding : "something unknown";
  throw new TransportError(`its answer is compressed with ${name}, which nobody asked for`, { sent: true });
}
