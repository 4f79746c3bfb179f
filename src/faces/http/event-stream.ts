import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import type { z } from "zod";
import { PlaneError } from "../../model/errors.ts";
import type { Caller, Plane } from "../../model/plane.ts";
import { askAgain, type Identities, type WhoAsks } from "./identity.ts";
import { type Asked, keepAliveMs } from "./route.ts";

const pageSize = 500;

/** What happens, as it happens; a client that comes back resumes with Last-Event-ID. */
export async function streamEvents(
  identities: Identities,
  { c, caller, query }: Asked<z.ZodObject>,
  closing: AbortSignal,
): Promise<Response> {
  const { plane } = identities;
  const said = c.req.header("last-event-id") ?? query.after;
  const after = said === undefined ? await plane.events.lastId() : toId(String(said));
  const again = askAgain(identities, c, caller, "read");
  return streamSSE(c, (stream) => follow(plane, stream, { after, again, closing }));
}

function toId(text: string): number {
  const id = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(id)) return id;
  throw new PlaneError("USAGE", `'${text.slice(0, 40)}' is not the id of an event; give a whole number.`, {
    data: { parameter: "after" },
  });
}

type Following = {
  after: number;
  again: WhoAsks;
  closing: AbortSignal;
};

async function follow(plane: Plane, stream: SSEStreamingApi, from: Following): Promise<void> {
  const { again, closing } = from;
  let { after } = from;
  let wake = Promise.withResolvers<void>();
  const onNews = () => wake.resolve();
  const leave = plane.events.onStored(onNews);
  stream.onAbort(onNews);
  closing.addEventListener("abort", onNews, { once: true });
  try {
    while (!stream.aborted && !stream.closed && !closing.aborted) {
      wake = Promise.withResolvers();
      const caller = await again();
      if (caller === null) break;
      const page = await readPage(plane, after, caller);
      if (page === null) {
        await orKeepAlive(stream, wake.promise);
        continue;
      }
      const { events, upTo } = page;
      for (const { id, at, event } of events) {
        await stream.writeSSE({ id: String(id), event: event.type, data: JSON.stringify({ at, ...event }) });
      }
      if (upTo === after) await orKeepAlive(stream, wake.promise);
      after = upTo;
    }
  } finally {
    closing.removeEventListener("abort", onNews);
    leave();
  }
}

/** Null while the store is away: listeners stay, and get what happened when it is back. */
async function readPage(plane: Plane, after: number, caller: Caller) {
  try {
    return await plane.events.page(after, pageSize, caller);
  } catch (thrown) {
    if (thrown instanceof PlaneError && thrown.data.lost === true) return null;
    throw thrown;
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
