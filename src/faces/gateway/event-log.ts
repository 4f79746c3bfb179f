import { keptEventBytes, keptEvents } from "./limits.ts";

export type Event = { id: string; stream: number; text: string };

export type EventLog = {
  /** Keeps it, and gives it the id under which it can be asked for. */
  add(stream: number, text: string): Event;
  /** What came after this event on its stream; undefined when nobody knows any more. */
  after(id: string): { stream: number; events: Event[] } | undefined;
};

/** The last events of one session, so that a stream that broke off can go on. */
export function createEventLog(): EventLog {
  const kept: Event[] = [];
  let bytes = 0;
  let last = 0;
  return {
    add(stream, text) {
      last += 1;
      const event = { id: `${stream}-${last}`, stream, text };
      kept.push(event);
      bytes += text.length;
      while (kept.length > keptEvents || (bytes > keptEventBytes && kept.length > 1))
        bytes -= kept.shift()?.text.length ?? 0;
      return event;
    },
    after(id) {
      const [, stream, number] = /^(\d{1,9})-(\d{1,15})$/.exec(id) ?? [];
      const from = Number(number);
      if (stream === undefined || from > last) return undefined;
      const oldest = Number(kept[0]?.id.split("-")[1] ?? last + 1);
      if (from + 1 < oldest) return undefined;
      const events = kept.filter(
        (event) => event.stream === Number(stream) && Number(event.id.split("-")[1]) > from,
      );
      return { stream: Number(stream), events };
    },
  };
}
