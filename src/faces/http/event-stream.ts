import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import type { z } from "zod";
import { PlaneError } from "../../model/errors.ts";
import type { StoredEvent, TransientEvent } from "../../model/events.ts";
import type { Caller, Plane } from "../../model/plane.ts";
import { askAgain, type Identities, type WhoAsks } from "./callers/identity.ts";
import { keepAliveMs, type RouteRequest } from "./route.ts";

const pageSize = 500;

/** What happens, as it happens; a client that comes back resumes with Last-Event-ID. */
export async function streamEvents(
  identities: Identities,
  { c, caller, query }: RouteRequest<z.ZodObject>,
  closing: AbortSignal,
): Promise<Response> {
  const { plane } = identities;
  const said = c.req.header("last-event-id") ?? query.after;
  const after = said === undefined ? await plane.events.lastId() : toId(String(said));
  const again = askAgain(identities, c, caller, "read");
  return streamSSE(c, (stream) => follow(plane, stream, { after, caller, again, closing }));
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

type Following = {
  after: number;
  caller: Caller;
  again: WhoAsks;
  closing: AbortSignal;
};

async function follow(plane: Plane, stream: SSEStreamingApi, from: Following): Promise<void> {
  const { again, closing } = from;
  let { after } = from;
  let wake = Promise.withResolvers<void>();
  let heard: TransientEvent[] = [];
  const onNews = () => wake.resolve();
  const leave = [
    plane.events.onStored(onNews),
    plane.events.onTransient((event) => {
      heard.push(event);
      // Of a slow reader's only the last ones are kept.
      if (heard.length > pageSize) heard.shift();
      onNews();
    }, from.caller),
  ];
  stream.onAbort(onNews);
  closing.addEventListener("abort", onNews, { once: true });
  try {
    while (!stream.aborted && !stream.closed && !closing.aborted) {
      wake = Promise.withResolvers();
      const caller = await again();
      if (caller === null) break;
      // Taken before the page is read, so that the call of each is on a page that was read.
      const passing = heard;
      heard = [];
      const page = await readPage(plane, after, caller);
      const { events, upTo } = page ?? { events: [], upTo: after };
      for (const message of inOrder(events, passing)) await stream.writeSSE(message);
      if (upTo === after && heard.length === 0) await orKeepAlive(stream, wake.promise);
      after = upTo;
    }
  } finally {
    closing.removeEventListener("abort", onNews);
    for (const one of leave) one();
  }
}

type Message = { id?: string; event: string; data: string };

/** Those without an id cannot be resumed. In the same millisecond a call comes before its progress, its result after. */
function inOrder(events: readonly StoredEvent[], passing: readonly TransientEvent[]): Message[] {
  const messages: Message[] = [];
  let next = 0;
  const pass = (isBefore: (one: TransientEvent) => boolean) => {
    for (let one = passing[next]; one !== undefined && isBefore(one); one = passing[++next])
      messages.push({ event: one.type, data: JSON.stringify(one) });
  };
  for (const { id, at, event } of events) {
    pass((one) => one.at < at || (one.at === at && event.type !== "tool.call"));
    messages.push({ id: String(id), event: event.type, data: JSON.stringify({ at, ...event }) });
  }
  pass(() => true);
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
