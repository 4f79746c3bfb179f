import type { CallsMethods, ResultsMethods } from "../../generated/plane-methods.ts";
import type { CallFilter, SeriesQuery, VerifyOptions } from "./calls/call-history.ts";
import type { CallChain, CallPayload, CallRecord, CallSeries } from "./calls/call-schema.ts";
import type { ResultPage } from "./calls/result-schema.ts";
import type { ResultList, ResultQuery } from "./calls/stored-result.ts";
import type { ClientHandle, ClientSource } from "./client-context.ts";
import type { Budgets } from "./config/config.ts";
import type { EventPage, StoredEvent, TransientEvent } from "./events.ts";
import type { Caller } from "./principal.ts";
import type { SessionStore } from "./servers/client-sessions.ts";

/** What a conversation has used of its budget; `null` is no limit. */
export type ConversationBudget = {
  spentMs: number;
  limitMs: number | null;
  cost: Record<string, number>;
  maxCost: Budgets["maxCost"];
  /** All conversations of the caller's persona together. */
  persona: { name: string; cost: Record<string, number>; maxCost: Budgets["maxCost"] } | null;
};

/** The record of calls. */
export interface PlaneCalls extends CallsMethods {
  /**
   * Newest first; those of all callers for admins.
   * @example
   * const failed = await plane.calls.list({ tool: "demo.add", status: "failed", limit: 20 });
   */
  list(filter?: CallFilter, caller?: Caller): Promise<CallRecord[]>;
  /** Arguments and results, redacted; null where `observability.keepPayloads` is off. */
  payloads(ids: readonly string[], caller?: Caller): Promise<CallPayload[] | null>;
  /** Counts and durations by time; those of all callers for admins. */
  series(query?: SeriesQuery, caller?: Caller): Promise<CallSeries>;
  /** Checks the hash chain of the records. `head` is a hash kept elsewhere. For admins. */
  verify(options?: VerifyOptions, caller?: Caller): Promise<CallChain>;
}

export interface PlaneResults extends ResultsMethods {
  /**
   * A part of a large result; those of all callers for admins.
   * @example
   * const outcome = await plane.call("crm.export", {}, { maxResultBytes: 10_000 });
   * if (outcome.ok && outcome.stored) console.log(await plane.results.get(outcome.stored.id, { path: "items.0" }));
   */
  get(id: string, query?: ResultQuery, caller?: Caller): Promise<ResultPage>;
  /** Newest first. */
  page(page?: { limit?: number; cursor?: string }, caller?: Caller): Promise<ResultList>;
}

export interface PlaneEvents {
  /**
   * Events the caller may see, oldest first, with ids above `after`.
   * @example
   * const latest = await plane.events.lastId();
   * for (const { event } of await plane.events.list(latest - 10)) console.log(event.type);
   */
  list(after?: number, limit?: number, caller?: Caller): Promise<StoredEvent[]>;
  /** In pages: continue after `upTo` until it stays the same. */
  page(after?: number, limit?: number, caller?: Caller): Promise<EventPage>;
  lastId(): Promise<number>;
  /** Called when there are new events. */
  onStored(listener: () => void): () => void;
  /** Called with events that are not stored: progress, tasks and log messages, where the caller may see them. */
  onTransient(listener: (event: TransientEvent) => void, caller?: Caller): () => void;
}

export interface PlaneConversations {
  /**
   * What the caller's conversation has used.
   * @example
   * const { spentMs, limitMs } = await plane.conversations.budget("conversation-1");
   * if (limitMs !== null) console.log(`${limitMs - spentMs} ms are left`);
   */
  budget(conversation: string, caller?: Caller): Promise<ConversationBudget>;
  /** Closes the conversation's sessions and forgets its budget; returns how many were open. */
  end(
    conversation: string,
    /** The conversation continues on another plane. */
    options?: Caller & { goesOn?: boolean },
  ): Promise<number>;
}

/** Connected MCP clients. */
export interface PlaneClients {
  /**
   * Shared by all planes on one store.
   * @example
   * const { sessions, watch } = plane.clients; // for a face of your own
   */
  readonly sessions: SessionStore;
  /** Counts the client until its handle is closed. */
  watch(source: ClientSource): ClientHandle;
}
