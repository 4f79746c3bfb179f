import type { ServerResponse } from "node:http";
import { keepAliveMs, unreadLimitBytes } from "./limits.ts";
import { type Wire, wireBytes, wireText } from "./wire.ts";

const open = new Set<ServerResponse>();
let clock: NodeJS.Timeout | undefined;

/** Begins an event stream, and keeps it alive as long as it is open. */
export function openEvents(response: ServerResponse, headers: Record<string, string> = {}): void {
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
    ...headers,
  });
  response.flushHeaders();
  open.add(response);
  clock ??= setInterval(() => {
    for (const one of open) one.write(": still here\n\n");
  }, keepAliveMs).unref();
  response.once("close", () => {
    open.delete(response);
    if (open.size > 0) return;
    clearInterval(clock);
    clock = undefined;
  });
}

/** Our texts are JSON, so there is no line break in them. */
export function writeEvent(response: ServerResponse, wire: Wire, id?: string): void {
  const text = wireText(wire);
  response.write(id === undefined ? `data: ${text}\n\n` : `id: ${id}\ndata: ${text}\n\n`);
  // Whoever does not read gets no more.
  if (response.writableLength > unreadLimitBytes) response.destroy();
}

export function sendJson(
  response: ServerResponse,
  status: number,
  wire: Wire,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": wireBytes(wire),
    ...headers,
  });
  if (typeof wire === "string") return void response.end(wire);
  // Held back until all parts are there, so that they leave together.
  response.cork();
  for (const part of wire) response.write(part);
  response.end();
}
