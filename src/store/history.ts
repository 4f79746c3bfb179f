import { setImmediate as nextTurn } from "node:timers/promises";
import { pause } from "../lib/async/pause.ts";
import { firstIdOf, nowText } from "../lib/ids-and-time.ts";
import { withoutUndefined } from "../lib/json/plain-data.ts";
import type { Grants } from "../model/access/grants.ts";
import type { CallRecord } from "../model/calls/call-schema.ts";
import { PlaneError } from "../model/errors.ts";
import {
  type EventOf,
  type EventPage,
  type EventType,
  type PlaneEvent,
  type StoredEvent,
  type TransientEvent,
  transientEvents,
} from "../model/events.ts";
import { collectPages, noCursor } from "../model/page.ts";
import type { PlaneCalls, PlaneEvents } from "../model/plane-history.ts";
import {
  type Inside,
  isOwner,
  mayDo,
  ownsRecord,
  type Principal,
  requireScope,
} from "../model/principal.ts";
import type { Store } from "../model/store.ts";
import { countSteps, spanOf, toSeries } from "./call-minutes.ts";
import type { RunningCall } from "./running-calls.ts";

const pageSize = 500;
/** Events that are read for one page of a caller who may not see all of them. */
const maxScanned = 5_000;

/** Looks for a call that began this long ago, with a margin for clocks that differ. */
const recentMs = 60_000;
const maxLookups = 6;
const lookupPauseMs = 100;

type HistoryRecorder = {
  /** Other planes may write into the store. */
  tells: boolean;
  /** For what a caller reads. */
  storeOf(principal: Principal): Promise<Store>;
  on<T extends EventType>(type: T, listener: (event: EventOf<T>) => void): () => void;
  /** Undefined once there is a record. */
  ownerOf(callId: string): Principal | undefined;
  runningCalls(): RunningCall[];
};

type HistoryContext = {
  readonly recorder: HistoryRecorder;
  readonly access: { grants: Pick<Grants, "maySeeServer"> };
  readonly catalogue: { visibleTo(principal: Principal): readonly unknown[] };
  readonly answers: { questions: { noteListener(principal: Principal): void } };
};

/** Calls and events that a caller may see: their own, or all for admins. */
export function createHistory(context: HistoryContext): {
  calls: Pick<Inside<PlaneCalls>, "list" | "running" | "usage" | "get" | "series">;
  events: Pick<Inside<PlaneEvents>, "list" | "page" | "onTransient">;
} {
  const { recorder } = context;
  const page = createEventPages(context);
  return {
    calls: {
      async list(filter = {}, { principal }) {
        const isAdmin = mayDo(principal, "admin");
        // Callers do not learn whether other users have calls.
        if (!isAdmin && filter.user !== undefined && filter.user !== principal.user) return [];
        const store = await recorder.storeOf(principal);
        const { before, limit, ...conditions } = filter;
        const records = isAdmin
          ? await store.calls(filter)
          : await collectPages(
              (page) => store.calls({ ...conditions, ...page, user: principal.user }),
              (record) => isOwn(record, principal),
              withoutUndefined({ before, limit }),
            );
        if (records.length === 0 && before !== undefined && (await store.call(before)) === null)
          throw noCursor(before);
        return records;
      },
      async running({ principal }) {
        const visible = recorder.runningCalls().filter((call) => isOwn(call, principal));
        return visible.map(({ at, event: { callId: id, tool, user } }) => ({ id, at, tool, user }));
      },
      async usage({ principal }) {
        requireScope(principal, "admin", "see what was used");
        return (await recorder.storeOf(principal)).lastUses();
      },
      async get(id, { principal }) {
        const record = await findCall(recorder, id, principal);
        if (record !== null && isOwn(record, principal)) return record;
        throw new PlaneError(
          "NOT_FOUND",
          `No call '${id}' of yours is recorded. 'calls' lists those that are.`,
        );
      },
      async series(query = {}, { principal }) {
        const isAdmin = mayDo(principal, "admin");
        const isForeign = query.user !== undefined && query.user !== principal.user;
        const span = spanOf(isAdmin ? query : { ...query, user: principal.user }, Date.now());
        if (isForeign && !isAdmin) return toSeries(span, { steps: [], p50Ms: null, p95Ms: null });
        const store = await recorder.storeOf(principal);
        // Counts are kept by user, and other keys of a user are others, as is a token for some servers.
        if (!isAdmin && (principal.key || principal.within))
          return toSeries(span, countSteps(span, await ownSince(store, principal, span)));
        return toSeries(span, await store.callSeries(span));
      },
    },
    events: {
      page,
      onTransient(listener, { principal }) {
        const isAdmin = mayDo(principal, "admin");
        const notify = (event: EventOf<TransientEvent["type"]>) => {
          if (isAdmin || maySee(context, principal, event, recorder.ownerOf))
            listener({ at: nowText(), ...event });
        };
        const unsubscribers = transientEvents.map((type) => recorder.on(type, notify));
        return () => {
          for (const unsubscribe of unsubscribers) unsubscribe();
        };
      },
      async list(after = 0, limit = Number.POSITIVE_INFINITY, caller) {
        const collected: StoredEvent[] = [];
        for (let from = after; collected.length < limit; ) {
          const { events, upTo } = await page(
            from,
            Math.min(limit - collected.length, pageSize),
            caller,
          );
          collected.push(...events);
          if (upTo === from) break;
          from = upTo;
        }
        return collected;
      },
    },
  };
}

/** A call that another plane has answered just now: its record is in the database with the next batch. */
async function findCall(
  recorder: HistoryRecorder,
  id: string,
  principal: Principal,
): Promise<CallRecord | null> {
  const store = await recorder.storeOf(principal);
  for (let attempt = 1; ; attempt += 1) {
    const record = await store.call(id);
    const isOnItsWay =
      recorder.tells && attempt < maxLookups && id >= firstIdOf(Date.now() - recentMs);
    if (record !== null || !isOnItsWay) return record;
    await pause(lookupPauseMs);
  }
}

function createEventPages(context: HistoryContext): Inside<PlaneEvents>["page"] {
  const { recorder } = context;
  /** For callers who see a part of the events; a page reads at most `maxScanned`. */
  async function scan(principal: Principal, after: number, limit: number): Promise<EventPage> {
    const store = await recorder.storeOf(principal);
    const events: StoredEvent[] = [];
    let upTo = after;
    for (let scanned = 0; scanned < maxScanned; scanned += pageSize) {
      const page = await store.events(upTo, pageSize);
      const ownerOf = await ownersIn(store, page, recorder.ownerOf);
      for (const stored of page) {
        if (events.length === limit) return { events, upTo };
        upTo = stored.id;
        if (maySee(context, principal, stored.event, ownerOf))
          events.push(forCaller(context, principal, stored));
      }
      if (page.length < pageSize) break;
      // SQLite answers within the turn; other work gets one in between.
      await nextTurn();
    }
    return { events, upTo };
  }

  return async (after = 0, limit = pageSize, { principal }) => {
    context.answers.questions.noteListener(principal);
    if (!mayDo(principal, "admin")) return scan(principal, after, limit);
    const events = await (await recorder.storeOf(principal)).events(after, limit);
    return { events, upTo: events.at(-1)?.id ?? after };
  };
}

type OwnerOf = (callId: string) => Principal | undefined;

/** The owners of the calls on a page of events, with one query. */
async function ownersIn(
  store: Store,
  page: readonly StoredEvent[],
  runningOwner: OwnerOf,
): Promise<OwnerOf> {
  const running = new Map<string, Principal>();
  const recorded = new Set<string>();
  for (const { event } of page) {
    if (!("callId" in event)) continue;
    const owner = runningOwner(event.callId);
    if (owner) running.set(event.callId, owner);
    else recorded.add(event.callId);
  }
  const owners = recorded.size === 0 ? null : await store.callOwners([...recorded]);
  return (callId) => running.get(callId) ?? owners?.get(callId);
}

type Visibility = Pick<HistoryContext, "access" | "catalogue">;

function maySee(
  { access }: Visibility,
  principal: Principal,
  event: PlaneEvent,
  ownerOf: OwnerOf,
): boolean {
  if ("callId" in event) {
    const owner = ownerOf(event.callId);
    return owner !== undefined && isOwner(principal, owner);
  }
  if ("runId" in event) return ownsRecord(principal, event) && event.key === principal.key;
  if ("server" in event)
    return isForAll(event, principal) && access.grants.maySeeServer(principal, event.server);
  // All other events are for admins.
  return event.type === "registry.changed";
}

/** What a server lists for one user alone is not for others. */
function isForAll(event: PlaneEvent, { user }: Principal): boolean {
  const isOfList = event.type === "tool.suspicious" || event.type === "tool.definition";
  return !isOfList || event.user === undefined || event.user === user;
}

/** Each caller gets the number of their own tools. */
function forCaller(
  { catalogue }: Visibility,
  principal: Principal,
  stored: StoredEvent,
): StoredEvent {
  const { event } = stored;
  if (event.type !== "registry.changed") return stored;
  return { ...stored, event: { ...event, tools: catalogue.visibleTo(principal).length } };
}

/** Of the key that asks, newest first, as far as a chart is read. */
async function ownSince(
  store: Store,
  principal: Principal,
  { since }: { since: number },
): Promise<CallRecord[]> {
  const ownRecords: CallRecord[] = [];
  for (let before: string | undefined; ownRecords.length < maxScanned; ) {
    const page = await store.calls({
      user: principal.user,
      limit: pageSize,
      ...withoutUndefined({ before }),
    });
    const recent = page.filter(({ at }) => Date.parse(at) >= since);
    ownRecords.push(...recent.filter((record) => isOwn(record, principal)));
    before = page.at(-1)?.id;
    if (recent.length < pageSize) break;
  }
  return ownRecords;
}

function isOwn(record: Pick<CallRecord, "principal">, principal: Principal): boolean {
  return mayDo(principal, "admin") || isOwner(principal, record.principal);
}
