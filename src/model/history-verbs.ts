import type { CallRecord } from "./call.ts";
import type { CallChain } from "./call-chain.ts";
import type { CallSeries, SeriesQuery } from "./call-series.ts";
import type { EventOf, EventPage, EventType, StoredEvent } from "./events.ts";
import type { Caller } from "./principal.ts";
import type { CallFilter } from "./store.ts";
import type { ResultList, ResultPage, ResultQuery } from "./stored-result.ts";

/** What has happened, and what came of it. */
export interface HistoryVerbs {
  /**
   * The caller's own calls, newest first; everybody's for admins.
   *
   * @example
   * const failed = await plane.calls({ tool: "demo.add", status: "failed", limit: 20 });
   */
  calls(filter?: CallFilter, caller?: Caller): Promise<CallRecord[]>;
  /** The record of one call. */
  callRecord(id: string, caller?: Caller): Promise<CallRecord>;
  /** How many calls there were lately, how they went and how long they took: the caller's own, everybody's for admins. */
  callSeries(query?: SeriesQuery, caller?: Caller): Promise<CallSeries>;
  /** Is the record of calls as it was written? For admins. `head` is a hash that was kept elsewhere. */
  verifyCalls(options?: { head?: string }, caller?: Caller): Promise<CallChain>;
  /**
   * A part of a result that was too large to be given whole; the caller's own, or anybody's for admins.
   *
   * @example
   * const { text, nextOffset } = await plane.result(outcome.stored.id, { path: "items.0" });
   */
  result(id: string, query?: ResultQuery, caller?: Caller): Promise<ResultPage>;
  /** The results that are kept, newest first. */
  results(page?: { limit?: number; cursor?: string }, caller?: Caller): Promise<ResultList>;
  /** What happened, oldest first, with ids above `after`: as much of it as the caller may see. */
  events(after?: number, limit?: number, caller?: Caller): Promise<StoredEvent[]>;
  /** The same in pages: how much of the past is read for one page is limited. Go on behind `upTo`, until it stays. */
  eventPage(after?: number, limit?: number, caller?: Caller): Promise<EventPage>;
  /** The id of the newest stored event. */
  lastEventId(): Promise<number>;
  /** Called when there are new events to be read. */
  onStored(listener: () => void): () => void;
  /**
   * Calls the listener for each event of this name, until the returned function is called.
   *
   * @example
   * const stop = plane.on("tool.result", ({ tool, success, durationMs }) => console.log(tool, success, durationMs));
   * stop();
   */
  on<T extends EventType>(type: T, listener: (event: EventOf<T>) => void): () => void;
}
