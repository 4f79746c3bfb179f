import { createRecentMap } from "../lib/recent-map.ts";
import type { CallRecord } from "../model/call.ts";
import { PlaneError } from "../model/errors.ts";
import type { PlaneEvent, StoredEvent } from "../model/events.ts";
import { noCursor } from "../model/page.ts";
import type { Plane } from "../model/plane.ts";
import { mayDo, type Principal } from "../model/principal.ts";
import { spanOf, toSeries } from "./call-series.ts";
import type { Memory } from "./memory.ts";

const pageSize = 500;
/** Calls whose records are not written yet; more than run at a time. */
const mostOwners = 5_000;

type Parts = {
  memory: Pick<Memory, "store" | "on">;
  everybody: Principal;
  maySeeServer(principal: Principal, server: string): boolean;
  /** How many tools there are for this caller. */
  countTools(principal: Principal): number;
  /** Somebody reads what happens. */
  onRead?(principal: Principal): void;
};

/** What happened, as much of it as the one who asks may see: their own calls, or everything for admins. */
export function createHistory({
  memory,
  everybody,
  maySeeServer,
  countTools,
  onRead,
}: Parts): Pick<Plane, "calls" | "callRecord" | "callSeries" | "events"> {
  const owners = createRecentMap<string | null>(mostOwners);
  memory.on("tool.call", ({ callId, user }) => owners.set(callId, user));
  /** Undefined when nobody knows; then it is shown to nobody but admins. */
  const ownerOf = async (callId: string): Promise<string | null | undefined> => {
    if (owners.has(callId)) return owners.get(callId);
    const record = await (await memory.store()).call(callId);
    return record === null ? undefined : record.principal.user;
  };
  const maySee = async (principal: Principal, event: PlaneEvent): Promise<boolean> => {
    if ("callId" in event) return (await ownerOf(event.callId)) === principal.user;
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

  return {
    async calls(filter = {}, { principal = everybody } = {}) {
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
    async callRecord(id, { principal = everybody } = {}) {
      const record = await (await memory.store()).call(id);
      if (record !== null && isOwn(record, principal)) return record;
      throw new PlaneError(
        "NOT_FOUND",
        `No call '${id}' of yours is recorded. 'calls' lists those that are.`,
      );
    },
    async callSeries(query = {}, { principal = everybody } = {}) {
      const isForeign = query.user !== undefined && query.user !== principal.user;
      const span = spanOf(mayDo(principal, "admin") ? query : { ...query, user: principal.user }, Date.now());
      if (isForeign && !mayDo(principal, "admin"))
        return toSeries(span, { steps: [], p50Ms: null, p95Ms: null });
      return toSeries(span, await (await memory.store()).callSeries(span));
    },
    async events(after = 0, limit, { principal = everybody } = {}) {
      onRead?.(principal);
      const store = await memory.store();
      if (mayDo(principal, "admin")) return store.events(after, limit);
      const visible: StoredEvent[] = [];
      let from = after;
      for (;;) {
        const page = await store.events(from, pageSize);
        for (const stored of page) {
          if (visible.length === limit) return visible;
          if (await maySee(principal, stored.event)) visible.push(forCaller(principal, stored));
        }
        if (page.length < pageSize) return visible;
        from = page.at(-1)?.id ?? from;
      }
    },
  };
}

function isOwn(record: CallRecord, principal: Principal): boolean {
  return mayDo(principal, "admin") || record.principal.user === principal.user;
}
