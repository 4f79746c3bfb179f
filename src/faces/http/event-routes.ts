import { Hono } from "hono";
import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import { PlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";

const pageSize = 500;
/** Proxies close what is silent for too long. */
const keepAliveMs = 15_000;

/** Everything that happens, as it happens; whoever comes back says with Last-Event-ID how far they have read. */
export function eventRoutes(plane: Plane, closing: AbortSignal): Hono {
  const routes = new Hono();
  routes.get("/events", async (c) => {
    const said = c.req.header("last-event-id") ?? c.req.query("after");
    const after = said === undefined ? await plane.lastEventId() : toId(said);
    return streamSSE(c, (stream) => follow(plane, stream, after, closing));
  });
  return routes;
}

function toId(text: string): number {
  const id = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(id)) return id;
  throw new PlaneError("USAGE", `'${text.slice(0, 40)}' is not the id of an event; give a whole number.`);
}

async function follow(
  plane: Plane,
  stream: SSEStreamingApi,
  from: number,
  closing: AbortSignal,
): Promise<void> {
  let after = from;
  let wake = Promise.withResolvers<void>();
  const onNews = () => wake.resolve();
  const leave = plane.onStored(onNews);
  stream.onAbort(onNews);
  closing.addEventListener("abort", onNews, { once: true });
  try {
    while (!stream.aborted && !stream.closed && !closing.aborted) {
      wake = Promise.withResolvers();
      const events = await plane.events(after, pageSize);
      for (const { id, at, event } of events) {
        await stream.writeSSE({ id: String(id), event: event.type, data: JSON.stringify({ at, ...event }) });
        after = id;
      }
      if (events.length === 0) await orKeepAlive(stream, wake.promise);
    }
  } finally {
    closing.removeEventListener("abort", onNews);
    leave();
  }
}

async function orKeepAlive(stream: SSEStreamingApi, woken: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<"silence">((resolve) => {
    timer = setTimeout(resolve, keepAliveMs, "silence");
    timer.unref();
  });
  const ended = await Promise.race([woken, silence]);
  clearTimeout(timer);
  if (ended === "silence" && !stream.aborted) await stream.write(": still here\n\n");
}
