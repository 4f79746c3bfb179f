import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import type { z } from "zod";
import { PlaneError } from "../../model/errors.ts";
import type { StoredEvent, TransientEvent } from "../../model/events.ts";
import type { Caller, Plane } from "../../model/plane.ts";
import { createCallerCheck, type Identities, type WhoAsks } from "./callers/identity.ts";
import { keepAliveMs, type RouteRequest } from "./route.ts";

const pageSize = 500;

/** What happens, as it happens; a client that comes back resumes with Last-Event-ID. */
export async function streamEvents(
  identities: Identities,
  { c, caller, query }: RouteRequest<z.ZodObject>,
  closing: AbortSignal,
): Promise<Response> {
  const { plane } = identities;
  const lastEventId = c.req.header("last-event-id") ?? query.after;
  const after = lastEventId === undefined ? await plane.events.lastId() : toId(String(lastEventId));
  const checkCaller = createCallerCheck(identities, c, caller, "read");
  return streamSSE(c, (stream) => follow(plane, stream, { after, caller, checkCaller, closing }));
}

function toId(text: string): number {
  const id = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(id)) return id;
  throw new PlaneError(
    "USAGE",
    `'${text.slice(0, 40)}' is not the id of an event; give a whole number.`,
    {
      data: { parameter: "after" },
    },
  );
}

type FollowOptions = {
  after: number;
  caller: Caller;
  checkCaller: WhoAsks;
  closing: AbortSignal;
};

async function follow(
  plane: Plane,
  stream: SSEStreamingApi,
  options: FollowOptions,
): Promise<void> {
  const { checkCaller, closing } = options;
  let { after } = options;
  let nextEvent = Promise.withResolvers<void>();
  let heard: TransientEvent[] = [];
  const onNews = () => nextEvent.resolve();
  const unsubscribers = [
    plane.events.onStored(onNews),
    plane.events.onTransient((event) => {
      heard.push(event);
      // A slow reader misses the oldest of them.
      if (heard.length > pageSize) heard.shift();
      onNews();
    }, options.caller),
  ];
  stream.onAbort(onNews);
  closing.addEventListener("abort", onNews, { once: true });
  try {
    while (!stream.aborted && !stream.closed && !closing.aborted) {
      nextEvent = Promise.withResolvers();
      const caller = await checkCaller();
      if (caller === null) break;
      // Taken before the page is read, so that the call of each is on a page that was read.
      const passing = heard;
      heard = [];
      const page = await readPage(plane, after, caller);
      const { events, upTo } = page ?? { events: [], upTo: after };
      for (const message of inOrder(events, passing)) await stream.writeSSE(message);
      if (upTo === after && heard.length === 0) await waitOrKeepAlive(stream, nextEvent.promise);
      after = upTo;
    }
  } finally {
    closing.removeEventListener("abort", onNews);
    for (const unsubscribe of unsubscribers) unsubscribe();
  }
}

type Message = { id?: string; event: string; data: string };

/** Those without an id cannot be resumed. In the same millisecond a call comes before its progress, its result after. */
function inOrder(events: readonly StoredEvent[], passing: readonly TransientEvent[]): Message[] {
  const messages: Message[] = [];
  let index = 0;
  const passWhile = (isBefore: (event: TransientEvent) => boolean) => {
    for (
      let event = passing[index];
      event !== undefined && isBefore(event);
      event = passing[++index]
    )
      messages.push({ event: event.type, data: JSON.stringify(event) });
  };
  for (const { id, at: storedAt, event } of events) {
    passWhile(
      (transient) =>
        transient.at < storedAt || (transient.at === storedAt && event.type !== "tool.call"),
    );
    messages.push({
      id: String(id),
      event: event.type,
      data: JSON.stringify({ at: storedAt, ...event }),
    });
  }
  passWhile(() => true);
  return messages;
}

/** Null while the store is unreachable: listeners stay, and get what happened when it is back. */
async function readPage(plane: Plane, after: number, caller: Caller) {
  try {
    return await plane.events.page(after, pageSize, caller);
  } catch (thrown) {
    if (thrown instanceof PlaneError && thrown.data.lost === true) return null;
    throw thrown;
  }
}

/** Returns at the next event, or after a comment that keeps a silent connection open. */
async function waitOrKeepAlive(stream: SSEStreamingApi, nextEvent: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<"silence">((resolve) => {
    timer = setTimeout(resolve, keepAliveMs, "silence");
    timer.unref();
  });
  const first = await Promise.race([nextEvent, silence]);
  clearTimeout(timer);
  if (first === "silence" && !stream.aborted) await stream.write(": still here\n\n");
}
