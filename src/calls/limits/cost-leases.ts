import { serialized } from "../../lib/async/once.ts";
import { steadyNow } from "../../lib/async/steady-time.ts";
import type { Cost } from "../../model/calls/call-schema.ts";
import { roundedCost, tolerance } from "./cost.ts";

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
  unspent: number;
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
  const pendingWrites = new Set<Promise<unknown>>();
  let idleTimer: NodeJS.Timeout | undefined;

  function leaseOf(key: string, unit: string): Lease {
    const name = JSON.stringify([key, unit]);
    const existing = leases.get(name);
    if (existing) return existing;
    const ask: Lease["ask"] = serialized((amount, limit, isAhead) =>
      payOrLease(lease, amount, limit, isAhead),
    );
    const lease: Lease = { key, unit, unspent: 0, usedAt: 0, isRenewing: false, ask };
    leases.set(name, lease);
    idleTimer ??= setInterval(returnIdleLeases, idleMs).unref();
    return lease;
  }

  function takeHere(lease: Lease, amount: number): boolean {
    if (lease.unspent + tolerance < amount) return false;
    lease.unspent = roundedCost(lease.unspent - amount);
    lease.usedAt = steadyNow();
    return true;
  }

  /** Null when it is paid, otherwise what is spent already. */
  async function payOrLease(
    lease: Lease,
    amount: number,
    limit: number,
    isAhead: boolean,
  ): Promise<number | null> {
    if (!isAhead && takeHere(lease, amount)) return null;
    const { leased, spent } = await ledger(lease.key, (cost) => {
      const before = cost[lease.unit] ?? 0;
      const leasedAmount = amountToLease(lease, amount, limit - before, isAhead);
      cost[lease.unit] = roundedCost(before + leasedAmount);
      return { leased: leasedAmount, spent: before };
    });
    lease.unspent = roundedCost(lease.unspent + leased);
    return isAhead || takeHere(lease, amount) ? null : spent;
  }

  /** At least what is needed now. */
  function amountToLease(
    { unspent }: Lease,
    amount: number,
    unleased: number,
    isAhead: boolean,
  ): number {
    const full = Math.min(leasedCalls * amount, unleased * leasedPart);
    if (isAhead) return unleased + tolerance < 0 || full < amount ? 0 : full;
    const needed = amount - unspent;
    if (needed > unleased + tolerance) return 0;
    return Math.max(needed, full);
  }

  /** Before it has run out. */
  function renewInTime(lease: Lease, amount: number, limit: number): void {
    if (
      lease.isRenewing ||
      lease.unspent > (leasedCalls * amount) / 2 ||
      lease.unspent + tolerance < amount
    )
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
    const write = ledger(key, (cost) => {
      cost[unit] = roundedCost(Math.max(0, (cost[unit] ?? 0) + amount));
    });
    pendingWrites.add(write);
    return write.finally(() => pendingWrites.delete(write));
  }

  async function giveBack(lease: Lease): Promise<void> {
    const { key, unit, unspent } = lease;
    lease.unspent = 0;
    leases.delete(JSON.stringify([key, unit]));
    if (unspent > 0) await add(key, { amount: -unspent, unit }).catch(() => undefined);
  }

  function returnIdleLeases(): void {
    for (const lease of leases.values())
      if (!lease.isRenewing && steadyNow() - lease.usedAt >= idleMs) void giveBack(lease);
    if (leases.size > 0) return;
    clearInterval(idleTimer);
    idleTimer = undefined;
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
      const budgetLeases = [...leases.values()].filter((lease) => lease.key === key);
      return Object.fromEntries(budgetLeases.map(({ unit, unspent }) => [unit, unspent]));
    },
    written: async () => void (await Promise.allSettled(pendingWrites)),
    forget(key: string): void {
      for (const [name, lease] of leases) if (lease.key === key) leases.delete(name);
    },
    async release(): Promise<void> {
      clearInterval(idleTimer);
      idleTimer = undefined;
      await Promise.all([...leases.values()].map(giveBack));
      await Promise.allSettled(pendingWrites);
    },
  };
}
