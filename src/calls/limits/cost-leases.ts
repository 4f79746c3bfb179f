import { serialized } from "../../lib/async/once.ts";
import { steadyNow } from "../../lib/async/steady-time.ts";
import type { Cost } from "../../model/calls/call-schema.ts";
import { rest, roundedCost } from "./cost.ts";

/** A lease is the price of so many calls, and at most this part of what is left: near its limit a budget is exact. */
const leasedCalls = 20;
const leasedPart = 0.1;
/** A lease that is not used goes back after this time. */
const idleMs = 2_000;

/** What all planes have spent or leased. `change` works on it in place. */
export type Ledger = <T>(key: string, change: (cost: Record<string, number>) => T) => Promise<T>;

type Lease = {
  key: string;
  unit: string;
  left: number;
  usedAt: number;
  isRenewing: boolean;
  ask(amount: number, limit: number, isAhead: boolean): Promise<number | null>;
};

/**
 * Money is taken from the budget of all planes in leases, so that a call seldom waits for the store. What is leased counts as
 * spent: planes together never spend more than the limit.
 */
export function createCostLeases(ledger: Ledger) {
  const leases = new Map<string, Lease>();
  const writing = new Set<Promise<unknown>>();
  let clock: NodeJS.Timeout | undefined;

  function leaseOf(key: string, unit: string): Lease {
    const name = JSON.stringify([key, unit]);
    const found = leases.get(name);
    if (found) return found;
    const ask: Lease["ask"] = serialized((amount, limit, isAhead) =>
      next(lease, amount, limit, isAhead),
    );
    const lease: Lease = { key, unit, left: 0, usedAt: 0, isRenewing: false, ask };
    leases.set(name, lease);
    clock ??= setInterval(look, idleMs).unref();
    return lease;
  }

  function takeHere(lease: Lease, amount: number): boolean {
    if (lease.left + rest < amount) return false;
    lease.left = roundedCost(lease.left - amount);
    lease.usedAt = steadyNow();
    return true;
  }

  /** Null when it is paid, otherwise what is spent already. */
  async function next(
    lease: Lease,
    amount: number,
    limit: number,
    isAhead: boolean,
  ): Promise<number | null> {
    if (!isAhead && takeHere(lease, amount)) return null;
    const { got, spent } = await ledger(lease.key, (cost) => {
      const before = cost[lease.unit] ?? 0;
      const free = limit - before;
      const wanted = Math.min(leasedCalls * amount, free * leasedPart);
      const needed = isAhead ? 0 : amount - lease.left;
      const taken =
        needed > free + rest ? 0 : Math.max(needed, isAhead && wanted < amount ? 0 : wanted);
      cost[lease.unit] = roundedCost(before + taken);
      return { got: taken, spent: before };
    });
    lease.left = roundedCost(lease.left + got);
    return isAhead || takeHere(lease, amount) ? null : spent;
  }

  /** Before it has run out. */
  function renewInTime(lease: Lease, amount: number, limit: number): void {
    if (lease.isRenewing || lease.left > (leasedCalls * amount) / 2 || lease.left + rest < amount)
      return;
    lease.isRenewing = true;
    lease
      .ask(amount, limit, true)
      .catch(() => undefined)
      .finally(() => {
        lease.isRenewing = false;
      });
  }

  /** No one waits for it. */
  function add(key: string, { amount, unit }: Cost): Promise<void> {
    const written = ledger(key, (cost) => {
      cost[unit] = roundedCost(Math.max(0, (cost[unit] ?? 0) + amount));
    });
    writing.add(written);
    return written.finally(() => writing.delete(written));
  }

  async function giveBack(lease: Lease): Promise<void> {
    const { key, unit, left } = lease;
    lease.left = 0;
    leases.delete(JSON.stringify([key, unit]));
    if (left > 0) await add(key, { amount: -left, unit }).catch(() => undefined);
  }

  function look(): void {
    for (const lease of leases.values())
      if (!lease.isRenewing && steadyNow() - lease.usedAt >= idleMs) void giveBack(lease);
    if (leases.size > 0) return;
    clearInterval(clock);
    clock = undefined;
  }

  return {
    /** Null when paid, otherwise what is spent already. A `limit` of null is none: nothing is waited for. */
    async pay(key: string, cost: Cost, limit: number | null): Promise<number | null> {
      if (limit === null || cost.amount <= 0) {
        add(key, cost).catch(() => undefined);
        return null;
      }
      const lease = leaseOf(key, cost.unit);
      if (!takeHere(lease, cost.amount)) {
        // It is in use, and does not go back meanwhile.
        lease.usedAt = steadyNow();
        return lease.ask(cost.amount, limit, false);
      }
      renewInTime(lease, cost.amount, limit);
      return null;
    },
    /** What this plane has leased of a budget and not spent. */
    unused(key: string): Record<string, number> {
      const own = [...leases.values()].filter((lease) => lease.key === key);
      return Object.fromEntries(own.map(({ unit, left }) => [unit, left]));
    },
    written: async () => void (await Promise.allSettled(writing)),
    forget(key: string): void {
      for (const [name, lease] of leases) if (lease.key === key) leases.delete(name);
    },
    async release(): Promise<void> {
      clearInterval(clock);
      clock = undefined;
      await Promise.all([...leases.values()].map(giveBack));
      await Promise.allSettled(writing);
    },
  };
}
