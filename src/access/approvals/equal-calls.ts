import { withExactNumbers } from "../../lib/json/exact-numbers.ts";
import { hash } from "../../lib/json/stable-json.ts";
import type { Injected } from "../../model/calls/call.ts";
import type { Delivery, HeldOpen, KeptHeldCall, PutBack } from "../../model/calls/held-call.ts";
import type { ToolResult } from "../../model/calls/result.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import { PlaneError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";
import { ownerOf, type Principal } from "../../model/principal.ts";
import type { Store } from "../../model/store.ts";
import {
  callerWaits,
  collectMs,
  endErrorOf,
  isCollectable,
  keptOf,
  lease,
  resultIn,
  withDelivery,
} from "./held-call.ts";
import type { HeldCalls } from "./held-calls.ts";

/** More equal calls of one caller than these do not wait in earnest. */
const maxEqual = 50;
/** The newest held calls that are looked through at the start. */
const recentHeld = 200;

/** Who makes a call, as far as it decides whose outcome it may collect. */
export type Collector = Pick<Delivery, "conversation" | "client">;

/** What an earlier equal call came to. */
export type Collected = {
  /** The earlier call, and when it ended. */
  of: { call: string; at: string };
  result: ToolResult | null;
  error: PlaneError | null;
  putBack: PutBack;
};

type EqualCallPorts = {
  store(): Promise<Store>;
  heldCalls: Pick<HeldCalls, "get" | "change" | "list" | "part" | "instance" | "onNews">;
  /** Of a conversation that is a session: does the store know it no longer? */
  isSessionOver(session: string): Promise<boolean>;
};

/**
 * Whose outcome it is: of the same conversation, or of the same client where there is none, or where it has ended. The
 * principal is the same, because it is part of the hash that both were found by.
 */
export async function isOutcomeOf(
  { conversation, client, isOver, isSession }: Delivery,
  collector: Collector,
  isSessionOver: EqualCallPorts["isSessionOver"],
): Promise<boolean> {
  if (conversation !== null && conversation === collector.conversation) return true;
  if (client !== collector.client) return false;
  if (conversation === null || isOver) return true;
  return isSession === true && (await isSessionOver(conversation));
}

/** Equal are the caller, the tool, and the arguments as they were sent: before edits and injection. */
function equalityOf({ tool, asked, principal }: Injected): string {
  return hash([ownerOf(principal), tool.id, withExactNumbers(asked.arguments ?? {})]);
}

export function deliveryOf(call: Injected, client: string | null, heldOpen: HeldOpen): Delivery {
  return {
    equal: equalityOf(call),
    conversation: call.options.conversation ?? null,
    client,
    ...(heldOpen.isSession ? { isSession: true } : {}),
    state: "open",
  };
}

function keyOf(equal: string) {
  return `equal-call:${equal}`;
}

export type EqualCalls = ReturnType<typeof createEqualCalls>;

/** Held calls whose outcome an equal call collects: each outcome once. */
export function createEqualCalls({ store, heldCalls, isSessionOver }: EqualCallPorts) {
  /** Those that may still be collected, as far as this plane has heard of them. */
  const uncollected = new Map<
    string,
    { tool: string; conversation: string | null; until: number }
  >();
  const { change, instance } = heldCalls;

  function note({ id, tool, delivery, expiresAt }: KeptHeldCall): void {
    if (delivery === undefined || delivery.state === "collected")
      return void uncollected.delete(id);
    const endsAt = Date.parse(delivery.endedAt ?? expiresAt ?? "") || Date.now();
    const { conversation } = delivery;
    uncollected.set(id, { tool, conversation, until: endsAt + collectMs });
    for (const [otherId, { until }] of uncollected)
      if (until < Date.now()) uncollected.delete(otherId);
  }

  const stopHearing = heldCalls.onNews(note);

  /** Null where the revision that was read no longer fits. */
  async function tryChange(
    id: string,
    how: (newest: KeptHeldCall) => KeptHeldCall | null,
  ): Promise<KeptHeldCall | null> {
    const unfit = new PlaneError("CONFLICT", "it has changed");
    try {
      return await change(id, (newest) => {
        const changed = how(newest);
        if (changed === null) throw unfit;
        return changed;
      });
    } catch (thrown) {
      if (thrown === unfit) return null;
      throw thrown;
    }
  }

  function putBackFor(
    id: string,
    by: string | undefined,
    restored: () => Partial<Delivery>,
  ): PutBack {
    return async () => {
      const caller = { state: "left", at: new Date().toISOString() } as const;
      await tryChange(id, (newest) => {
        if (newest.delivery?.state !== "collected" || newest.collectedBy !== by) return null;
        const { collectedBy: _, ...uncollected } = newest;
        return withDelivery({ ...uncollected, caller }, { ...restored(), state: "uncollected" });
      });
      return async () => (await markCollected(id, by ?? "", by)) !== null;
    };
  }

  /** Marked before it is answered, so that one of several planes has it. */
  async function markCollected(id: string, by: string, collectedBy: string | undefined = by) {
    let keptDelivery: Delivery | undefined;
    const takenCall = await tryChange(id, (newest) => {
      if (!isCollectable(newest, by, Date.now())) return null;
      keptDelivery = newest.delivery;
      const { outcome: _, ...delivery } = newest.delivery as Delivery;
      const marked = { ...newest, delivery: { ...delivery, state: "collected" as const } };
      if (collectedBy === undefined) return marked;
      return { ...marked, collectedBy };
    });
    return takenCall && { held: takenCall, kept: keptDelivery };
  }

  return {
    note,
    /** May a call of this tool be equal to one whose outcome was not collected? */
    hasOpen({ name }: Tool): boolean {
      if (uncollected.size === 0) return false;
      return [...uncollected.values()].some(({ tool }) => tool === name);
    },
    async add(heldCall: KeptHeldCall): Promise<void> {
      note(heldCall);
      if (heldCall.delivery === undefined) return;
      const lifeMs = Date.parse(heldCall.expiresAt ?? heldCall.at) - Date.now();
      await remember(await store(), heldCall.delivery.equal, heldCall.id, Math.max(0, lifeMs));
    },
    /** An outcome that was not collected, or else a call that waits and whose caller does not. */
    async find(call: Injected, collector: Collector): Promise<KeptHeldCall | null> {
      const value = await (await store()).sharedValue(keyOf(equalityOf(call)));
      let waiting: KeptHeldCall | null = null;
      for (const id of idsIn(value)) {
        const heldCall = await heldCalls.get(id);
        if (
          !heldCall?.delivery ||
          !(await isOutcomeOf(heldCall.delivery, collector, isSessionOver))
        )
          continue;
        if (isCollectable(heldCall, call.id, Date.now())) return heldCall;
        if (isUnanswered(heldCall) && !callerWaits(heldCall, Date.now())) waiting ??= heldCall;
      }
      return waiting;
    },
    async collect(id: string, by: string): Promise<Collected | null> {
      const takenCall = await markCollected(id, by);
      if (takenCall === null) return null;
      const { held: heldCall, kept: keptDelivery } = takenCall;
      const { outcome, endedAt = heldCall.at } = keptDelivery ?? {};
      const { error } = outcome ?? {};
      const result = outcome === undefined ? null : resultIn(outcome);
      const failure = error
        ? new PlaneError(error.code, error.message, { data: error.data })
        : null;
      return {
        of: { call: heldCall.callId, at: endedAt },
        result,
        error: result === null ? (failure ?? endErrorOf(heldCall)) : null,
        putBack: putBackFor(id, by, () => (outcome === undefined ? {} : { outcome })),
      };
    },
    /** Of the caller who waited for the outcome itself. */
    putBack:
      (id: string): PutBack =>
      (outcome) =>
        putBackFor(id, undefined, () => ({ outcome: keptOf(outcome) }))(outcome),
    /** The call waits in the place of the earlier caller; null where that is not free any more. */
    takePlace: (id: string, by: string) =>
      tryChange(id, (newest) => {
        const now = Date.now();
        if (!isUnanswered(newest) || callerWaits(newest, now)) return null;
        const caller = { state: "waits", at: new Date(now).toISOString(), by } as const;
        const claim = newest.status === "running" ? newest.claim : lease(instance, now);
        return { ...newest, caller, claim };
      }),
    /** Their clients find what is left of it by another conversation. */
    async conversationEnded(conversation: string, { user }: Principal): Promise<void> {
      const openCalls = [...uncollected].filter(
        ([, openCall]) => openCall.conversation === conversation,
      );
      for (const [id] of openCalls) {
        const leftAt = new Date().toISOString();
        await tryChange(id, (newest) => {
          if (newest.principal.user !== user || newest.delivery === undefined) return null;
          return withDelivery(
            { ...newest, caller: { state: "left", at: leftAt } },
            { isOver: true },
          );
        });
      }
    },
    /** What earlier planes have left. */
    async start(): Promise<void> {
      const part = { order: "newest", limit: recentHeld, after: null } as const;
      for (const heldCall of await heldCalls.list({ status: "pending" })) note(heldCall);
      for (const heldCall of (await heldCalls.part({ plan: null }, part)).held) note(heldCall);
    },
    stop: stopHearing,
  };
}

export function isUnanswered({ status }: KeptHeldCall): boolean {
  return status === "pending" || status === "approved" || status === "running";
}

function idsIn(value: JsonObject | null): string[] {
  if (!Array.isArray(value?.ids)) return [];
  return value.ids.map(String);
}

/** As long as its question lives, and its outcome after that. */
async function remember(store: Store, equal: string, id: string, lifeMs: number): Promise<void> {
  await store.changeShared(keyOf(equal), lifeMs + 2 * collectMs, (value) => {
    const ids = [...idsIn(value).filter((otherId) => otherId !== id), id];
    return { value: { ids: ids.slice(-maxEqual) }, answer: null };
  });
}
