import { setImmediate as nextTurn } from "node:timers/promises";
import { createRecentMap } from "../lib/recent-map.ts";
import type { CallRecord } from "../model/call.ts";
import { PlaneError } from "../model/errors.ts";
import type { EventPage, PlaneEvent, StoredEvent } from "../model/events.ts";
import { noCursor } from "../model/page.ts";
import type { Plane } from "../model/plane.ts";
import { mayDo, type Principal } from "../model/principal.ts";
import type { Store } from "../model/store.ts";
import { spanOf, toSeries } from "./call-minutes.ts";
import type { Memory } from "./memory.ts";

const pageSize = 500;
/** Events that are read for one page of a caller who may not see all of them. */
const maxScanned = 5_000;
/** Calls whose records are not written yet; more than run at a time. */
const maxOwners = 5_000;

type Parts = {
  memory: Pick<Memory, "store" | "on">;
  defaultPrincipal: Principal;
  maySeeServer(principal: Principal, server: string): boolean;
  /** How many tools there are for this caller. */
  countTools(principal: Principal): number;
  /** Somebody reads what happens. */
  onRead?(principal: Principal): void;
};

/** What happened, as much of it as the one who asks may see: their own calls, or everything for admins. */
export function createHistory({
  memory,
  defaultPrincipal,
  maySeeServer,
  countTools,
  onRead,
}: Parts): Pick<Plane, "calls" | "callRecord" | "callSeries" | "events" | "eventPage"> {
  const owners = createRecentMap<string | null>(maxOwners);
  memory.on("tool.call", ({ callId, user }) => owners.set(callId, user));
  /** Who made the calls that these events belong to, with one question to the store. Calls of unknown owners are left out. */
  const ownersIn = async (store: Store, page: readonly StoredEvent[]) => {
    const ids = new Set(page.flatMap(({ event }) => ("callId" in event ? event.callId : [])));
    const unknown = [...ids].filter((id) => !owners.has(id));
    const found = new Map(unknown.length === 0 ? [] : await store.callUsers(unknown));
    for (const id of ids) if (owners.has(id)) found.set(id, owners.get(id) ?? null);
    return found;
  };
  type Owners = ReadonlyMap<string, string | null>;
  const maySee = (principal: Principal, event: PlaneEvent, ownerOf: Owners): boolean => {
    if ("callId" in event) return ownerOf.get(event.callId) === principal.user;
    if ("runId" in event) return event.user === principal.user;
    if ("server" in event) return maySeeServer(principal, event.server);
    // Files, keys and what may be added later is for whoever manages the plane.
    return event.type === "registry.changed";
  };

  /** How many tools others have is theirs to know. */
  const forCaller = (principal: Principal, stored: StoredEvent): StoredEvent =>
    stored.event.type === "registry.changed"
      ? { ...stored, event: { ...stored.event, tools: countTools(principal) } }
      : stored;

  /** For callers who see only a part: what they may not see is passed over, up to a limit for each page. */
  const scan = async (principal: Principal, after: number, limit: number): Promise<EventPage> => {
    const store = await memory.store();
    const events: StoredEvent[] = [];
    let upTo = after;
    for (let scanned = 0; scanned < maxScanned; scanned += pageSize) {
      const page = await store.events(upTo, pageSize);
      const ownerOf = await ownersIn(store, page);
      for (const stored of page) {
        if (events.length === limit) return { events, upTo };
        upTo = stored.id;
        if (maySee(principal, stored.event, ownerOf)) events.push(forCaller(principal, stored));
      }
      if (page.length < pageSize) break;
      // A store in the process answers without a turn of the event loop, and others want theirs.
      await nextTurn();
    }
    return { events, upTo };
  };
  const eventPage: Plane["eventPage"] = async (
    after = 0,
    limit = pageSize,
    { principal = defaultPrincipal } = {},
  ) => {
    onRead?.(principal);
    if (!mayDo(principal, "admin")) return scan(principal, after, limit);
    const events = await (await memory.store()).events(after, limit);
    return { events, upTo: events.at(-1)?.id ?? after };
  };

  return {
    async calls(filter = {}, { principal = defaultPrincipal } = {}) {
      const isAdmin = mayDo(principal, "admin");
      // Whose calls somebody else made is not for them to know, not even whether there are some.
      if (!isAdmin && filter.user !== undefined && filter.user !== principal.user) return [];
      const store = await memory.store();
      const found = await store.calls(isAdmin ? filter : { ...filter, user: principal.user });
      const { before } = filter;
      if (found.length === 0 && before !== undefined && (await store.call(before)) === null)
        throw noCursor(before);
      return found;
    },
    async callRecord(id, { principal = defaultPrincipal } = {}) {
      const record = await (await memory.store()).call(id);
      if (record !== null && isOwn(record, principal)) return record;
      throw new PlaneError(
        "NOT_FOUND",
        `No call '${id}' of yours is recorded. 'calls' lists those that are.`,
      );
    },
    async callSeries(query = {}, { principal = defaultPrincipal } = {}) {
      const isForeign = query.user !== undefined && query.user !== principal.user;
      const span = spanOf(mayDo(principal, "admin") ? query : { ...query, user: principal.user }, Date.now());
      if (isForeign && !mayDo(principal, "admin"))
        return toSeries(span, { steps: [], p50Ms: null, p95Ms: null });
      return toSeries(span, await (await memory.store()).callSeries(span));
    },
    eventPage,
    async events(after = 0, limit = Number.POSITIVE_INFINITY, caller = {}) {
      const found: StoredEvent[] = [];
      for (let from = after; found.length < limit; ) {
        const { events, upTo } = await eventPage(from, Math.min(limit - found.length, pageSize), caller);
        found.push(...events);
        if (upTo === from) break;
        from = upTo;
      }
      return found;
    },
  };
}

function isOwn(record: CallRecord, principal: Principal): boolean {
  return mayDo(principal, "admin") || record.principal.user === principal.user;
}
