import { createSemaphore, SemaphoreFull } from "../../lib/async/semaphore.ts";
import { steadyNow } from "../../lib/async/steady-time.ts";
import { uniqueId } from "../../lib/ids-and-time.ts";
import { PlaneError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";
import type { SharedCounts } from "./shared-budgets.ts";

/** A plane that is killed holds its slots for this long. */
export const leaseMs = 10_000;
const renewMs = 3_000;
const tickMs = 1_000;
/** Slots of a plane without calls go back after this. */
const idleMs = 2_000;
/** Calls of one server that may wait on one plane. */
const maxWaiting = 1_000;

/** What each plane holds and would use, by the store's clock. */
type Lease = { slots: number; wanted: number; until: number };
type Leases = Record<string, Lease>;
/** `isNews`: other planes wait for it. */
type Granted = { slots: number; fair: number; othersWait: boolean; isNews: boolean };

type Ports = {
  shared: SharedCounts | undefined;
  /** Other planes look at it now. */
  tell(key: string): Promise<unknown>;
  onTold(listener: (key: string) => void): () => void;
};

type Slots = {
  take(signal: AbortSignal): Promise<void> | undefined;
  release(): void;
  reconsider(): void;
  stop(): Promise<void>;
};

export type SharedSlots = ReturnType<typeof createSharedSlots>;

/** A concurrency limit for all planes on one store together. Each leases slots, so that a busy plane asks no one. */
export function createSharedSlots({ shared, tell, onTold }: Ports) {
  /** By server and limit: under a new limit calls that run return their slots to where they got them. */
  const pools = new Map<string, { key: string; slots: Slots }>();
  onTold((key) => {
    for (const pool of pools.values()) if (pool.key === key) pool.slots.reconsider();
  });

  function slotsOf(server: string, total: number): Slots {
    const pool = pools.get(`${total} ${server}`);
    if (pool) return pool.slots;
    const key = `slots:${server}`;
    const slots = shared
      ? leasedSlots({ key, total, shared, tell: () => tell(key) })
      : ownSlots(total);
    pools.set(`${total} ${server}`, { key, slots });
    return slots;
  }

  return {
    /** Undefined when there is a slot; otherwise it waits. `release` is what gives the slot back. */
    take(
      server: string,
      total: number,
      signal: AbortSignal,
    ): { acquired: Promise<void> | undefined; release(): void } {
      const slots = slotsOf(server, total);
      try {
        return { acquired: slots.take(signal), release: slots.release };
      } catch (thrown) {
        if (thrown instanceof SemaphoreFull) throw tooMany(server, total);
        throw thrown;
      }
    },
    /** Slots go back to other planes. */
    async stop(): Promise<void> {
      await Promise.all([...pools.values()].map(({ slots }) => slots.stop()));
    },
  };
}

function tooMany(server: string, total: number): PlaneError {
  const text = `Server '${server}' is busy: all planes together send ${total} calls at once ('sharedConcurrency'), and ${maxWaiting} wait.`;
  return new PlaneError("BUSY", text, { data: { server, sent: false, retryAt: null } });
}

function ownSlots(total: number): Slots {
  const { acquire, release } = createSemaphore(total, maxWaiting);
  return { take: acquire, release, reconsider: () => undefined, stop: async () => undefined };
}

type LeasedOptions = { key: string; total: number; shared: SharedCounts; tell(): Promise<unknown> };

function leasedSlots({ key, total, shared, tell }: LeasedOptions): Slots {
  const plane = uniqueId();
  const waiting = new Set<() => void>();
  let active = 0;
  let slots = 0;
  let fair = total;
  let peak = 0;
  let askedAt = 0;
  let usedAt = 0;
  let othersWait = false;
  let gaveWay = false;
  let asking: Promise<void> | null = null;
  let isAskedAgain = false;
  let timer: NodeJS.Timeout | undefined;

  const demand = () => Math.min(total, active + waiting.size);

  /** While others wait, no new call begins beyond the fair share. */
  function mayEnter() {
    return !gaveWay && active < (othersWait ? Math.min(slots, Math.ceil(fair)) : slots);
  }

  function admit(): void {
    for (const enter of waiting) {
      if (!mayEnter()) return;
      waiting.delete(enter);
      active += 1;
      enter();
    }
  }

  /** What is given up is given up before others can read it, what is got counts when it is stored. */
  function step(value: JsonObject | null, now: number) {
    const { [plane]: before, ...otherLeases } = leasesIn(value, now);
    const needs = { active, demand: demand(), peak: Math.max(peak, demand()), gaveWay };
    const granted = grant({ total, otherLeases: Object.values(otherLeases), before, ...needs });
    slots = Math.min(slots, granted.slots);
    const lease: Lease = { slots: granted.slots, wanted: needs.demand, until: now + leaseMs };
    const isGone = lease.slots === 0 && lease.wanted === 0;
    return {
      value: (isGone ? otherLeases : { ...otherLeases, [plane]: lease }) as JsonObject,
      answer: granted,
    };
  }

  async function askOnce(): Promise<void> {
    askedAt = steadyNow();
    try {
      const granted = await shared.change(key, 2 * leaseMs, step);
      ({ slots, fair, othersWait } = granted);
      peak = demand();
      if (granted.isNews) await tell();
    } catch {
      // Without the store a plane goes on with what it had, and with one slot at least.
      slots = Math.max(1, slots);
      othersWait = false;
      gaveWay = false;
    }
    admit();
  }

  function ask(): Promise<void> {
    isAskedAgain = asking !== null;
    asking ??= askOnce().finally(() => {
      asking = null;
      if (isAskedAgain) void ask();
    });
    return asking;
  }

  function tick(): void {
    const now = steadyNow();
    gaveWay = false;
    if (demand() === 0 && now - usedAt >= idleMs) {
      peak = 0;
      timer = undefined;
      if (slots > 0) void ask();
      return;
    }
    timer = setTimeout(tick, tickMs).unref();
    if (waiting.size > 0 || now - askedAt >= renewMs) void ask();
  }

  function use(): void {
    usedAt = steadyNow();
    peak = Math.max(peak, demand());
    timer ??= setTimeout(tick, tickMs).unref();
  }

  function wait(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (waiting.size >= maxWaiting) throw new SemaphoreFull();
    return new Promise((resolve, reject) => {
      function enter() {
        signal.removeEventListener("abort", giveUp);
        resolve();
      }

      function giveUp() {
        waiting.delete(enter);
        reject(signal.reason);
      }

      waiting.add(enter);
      signal.addEventListener("abort", giveUp, { once: true });
      use();
      void ask();
    });
  }

  return {
    take(signal) {
      if (!mayEnter()) return wait(signal);
      active += 1;
      use();
      return undefined;
    },
    release() {
      active -= 1;
      usedAt = steadyNow();
      // Others wait, and this plane has more than its share: or there are fewer slots than planes, and they take turns.
      if (othersWait && (slots > Math.ceil(fair) || fair < 1)) {
        gaveWay = fair < 1;
        void ask();
      } else admit();
    },
    reconsider() {
      gaveWay = false;
      if (waiting.size > 0 || slots > 0) void ask();
    },
    async stop() {
      clearTimeout(timer);
      await asking;

      function leave(value: JsonObject | null, now: number) {
        const { [plane]: _, ...otherLeases } = leasesIn(value, now);
        return { value: otherLeases as JsonObject, answer: null };
      }

      if (slots > 0) await shared.change(key, 2 * leaseMs, leave).then(tell, () => undefined);
    },
  };
}

/** Without those of planes that were killed, or are cut off from the store. */
function leasesIn(value: JsonObject | null, now: number): Leases {
  const leases = Object.entries((value ?? {}) as Leases);
  return Object.fromEntries(leases.filter(([, { until }]) => until > now));
}

type Needs = { active: number; demand: number; peak: number; gaveWay: boolean };
type GrantRequest = Needs & {
  total: number;
  otherLeases: readonly Lease[];
  before: Lease | undefined;
};

function grant(request: GrantRequest): Granted {
  const { total, otherLeases, before, active, demand } = request;
  const leasedElsewhere = otherLeases.reduce((sum, lease) => sum + lease.slots, 0);
  const othersWait = otherLeases.some((lease) => lease.wanted > lease.slots);
  const users = otherLeases.filter((lease) => lease.wanted > 0).length + (demand > 0 ? 1 : 0);
  const fair = total / Math.max(1, users);
  const goal = slotGoal(request, fair, othersWait);
  const slots = Math.max(active, Math.min(goal, total - leasedElsewhere));
  const waits = demand > slots;
  const waited = before !== undefined && before.wanted > before.slots;
  const gives = othersWait && slots < (before?.slots ?? 0);
  const isNews = gives || (waits && !(waited && before?.slots === slots));
  return { slots, fair, othersWait, isNews };
}

/** More than is needed where there is room, and no more than a fair share where others wait. */
function slotGoal(
  { total, active, demand, peak, gaveWay }: GrantRequest,
  fair: number,
  othersWait: boolean,
): number {
  if (gaveWay) return active;
  if (othersWait) return Math.min(demand, Math.max(Math.ceil(fair), active));
  return Math.min(total, peak + Math.ceil(peak / 4));
}
