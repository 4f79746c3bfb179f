import type { CallRecord } from "./calls/call.ts";
import type { ActivityEntry, CallChain, CallSeries, SeriesQuery } from "./calls/call-history.ts";
import type { ResultList, ResultPage, ResultQuery } from "./calls/stored-result.ts";
import type { ClientHandle, ClientSource } from "./client-context.ts";
import type { Budgets } from "./config/config.ts";
import type { EventPage, StoredEvent } from "./events.ts";
import type { Caller } from "./principal.ts";
import type { KeptSessions } from "./servers/client-sessions.ts";
import type { CallFilter } from "./store.ts";

/** What the tools of a conversation have used of what they may use; `null` is no limit. */
export type ConversationBudget = {
  spentMs: number;
  limitMs: number | null;
  /** By unit. */
  cost: Record<string, number>;
  maxCost: Budgets["maxCost"];
  /** The same for the caller's persona, in all its conversations. */
  persona: { name: string; cost: Record<string, number>; maxCost: Budgets["maxCost"] } | null;
};

/** The record of calls. */
export interface PlaneCalls {
  /** The last calls in short, newest first: the caller's own, or everybody's for who may manage the plane. */
  activity(caller?: Caller): Promise<ActivityEntry[]>;
  /**
   * The caller's own calls, newest first; everybody's for admins.
   *
   * @example
   * const failed = await plane.calls.list({ tool: "demo.add", status: "failed", limit: 20 });
   */
  list(filter?: CallFilter, caller?: Caller): Promise<CallRecord[]>;
  /** The record of one call. */
  get(id: string, caller?: Caller): Promise<CallRecord>;
  /** How many calls there were lately, how they went and how long they took: the caller's own, everybody's for admins. */
  series(query?: SeriesQuery, caller?: Caller): Promise<CallSeries>;
  /** Is the record of calls as it was written? For admins. `head` is a hash that was kept elsewhere. */
  verify(options?: { head?: string }, caller?: Caller): Promise<CallChain>;
}

/** Results that were too large to be given whole. */
export interface PlaneResults {
  /**
   * A part of a result that was too large to be given whole; the caller's own, or anybody's for admins.
   *
   * @example
   * const { text, nextOffset } = await plane.results.get(outcome.stored.id, { path: "items.0" });
   */
  get(id: string, query?: ResultQuery, caller?: Caller): Promise<ResultPage>;
  /** The results that are kept, newest first. */
  page(page?: { limit?: number; cursor?: string }, caller?: Caller): Promise<ResultList>;
}

/** What happened. */
export interface PlaneEvents {
  /** What happened, oldest first, with ids above `after`: as much of it as the caller may see. */
  list(after?: number, limit?: number, caller?: Caller): Promise<StoredEvent[]>;
  /** The same in pages: how much of the past is read for one page is limited. Go on behind `upTo`, until it stays. */
  page(after?: number, limit?: number, caller?: Caller): Promise<EventPage>;
  /** The id of the newest stored event. */
  lastId(): Promise<number>;
  /** Called when there are new events to be read. */
  onStored(listener: () => void): () => void;
}

/** What belongs to one conversation. */
export interface PlaneConversations {
  /** What this conversation of the caller has used of its budget. */
  budget(conversation: string, caller?: Caller): Promise<ConversationBudget>;
  /** Ends the sessions that were kept for this conversation and forgets what it used; tells how many were open. */
  end(
    conversation: string,
    /** `goesOn` on another plane: only what is kept here is let go. */
    options?: Caller & { goesOn?: boolean },
  ): Promise<number>;
}

/** MCP clients that are connected to the plane. */
export interface PlaneClients {
  /** Sessions of MCP clients, as every plane on the same store knows them. */
  readonly sessions: KeptSessions;
  /** Tells the plane of a client, until its handle is closed. */
  watch(source: ClientSource): ClientHandle;
}
