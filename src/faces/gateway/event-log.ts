import { keptEventBytes, keptEvents } from "./limits.ts";

export type Event = { id: string; stream: number; text: string };

export type EventLog = {
  /** Keeps it, and gives it the id under which it can be asked for. */
  add(stream: number, text: string): Event;
  /** What came after this event on its stream; undefined when nobody knows any more. */
  after(id: string): { stream: number; events: Event[] } | undefined;
  /** The stream of an event that another plane has told; undefined for our own, and for what is no event. */
  streamElsewhere(id: string): number | undefined;
};

/** The last events of one session, so that a stream that broke off can go on. `mark` tells those of other planes apart. */
export function createEventLog(mark = "0"): EventLog {
  const kept: Event[] = [];
  let bytes = 0;
  let last = 0;
  return {
    add(stream, text) {
      last += 1;
      const event = { id: `${stream}-${last}-${mark}`, stream, text };
      kept.push(event);
      bytes += text.length;
      while (kept.length > keptEvents || (bytes > keptEventBytes && kept.length > 1))
        bytes -= kept.shift()?.text.length ?? 0;
      return event;
    },
    after(id) {
      const { stream, from, isOwn } = readId(id, mark);
      if (stream === undefined || from > last || !isOwn) return undefined;
      const oldest = Number(kept[0]?.id.split("-")[1] ?? last + 1);
      if (from + 1 < oldest) return undefined;
      const events = kept.filter((event) => event.stream === stream && Number(event.id.split("-")[1]) > from);
      return { stream, events };
    },
    streamElsewhere(id) {
      const { stream, isOwn } = readId(id, mark);
      return isOwn ? undefined : stream;
    },
  };
}

function readId(id: string, mark: string): { stream?: number; from: number; isOwn: boolean } {
  const [, stream, from, whose] = /^(\d{1,9})-(\d{1,15})-([\w-]{1,36})$/.exec(id) ?? [];
  return {
    ...(stream === undefined ? {} : { stream: Number(stream) }),
    from: Number(from),
    isOwn: whose === mark,
  };
}
