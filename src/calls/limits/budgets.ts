import type { Cost, Routed } from "../../model/calls/call.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import type { Budgets } from "../../model/config/config.ts";
import { PlaneError } from "../../model/errors.ts";
import type { ConversationBudget } from "../../model/plane-history.ts";
import type { Principal } from "../../model/principal.ts";
import { type CostLedger, costOf, createCostLedger, limitIn, rest } from "./cost.ts";
import { createTimeShares, type SharedBudgets, type Timed } from "./shared-budgets.ts";

/** Conversations and personas in memory, least recently used first out. */
const maxKept = 10_000;

type Conversation = Timed & { spentMs: number; ledger: CostLedger; running: Set<Meter> };

export type ConversationBudgets = {
  /** Undefined where nothing is counted. */
  meter(call: Routed): Meter | undefined;
  of(conversation: string, principal: Principal): ConversationBudget;
  everywhere(conversation: string, principal: Principal): Promise<ConversationBudget>;
  forget(conversation: string, principal: Principal): Promise<void>;
  release(): Promise<void>;
};

/** In memory, or together with other planes. */
export function createBudgets(
  setting: () => Budgets,
  now: () => number = () => performance.now(),
  shared?: SharedBudgets,
): ConversationBudgets {
  const shares = shared && createTimeShares(shared);
  const conversations = new Map<string, Conversation>();
  const personas = new Map<string, CostLedger>();

  function checkTime(conversation: Conversation | undefined, tool: string): void | Promise<void> {
    const limit = setting().maxToolDurationMs;
    if (conversation === undefined || limit === 0) return;
    const checkHere = () => {
      const spent = Math.round(conversation.usedMs());
      if (spent >= limit) throw outOfTime(tool, spent, limit);
    };
    if (shares === undefined) return checkHere();
    return shares.take(conversation, limit)?.then((taken) => {
      if (taken !== null) throw outOfTime(tool, Math.round(taken), limit);
    }, checkHere);
  }

  return {
    meter({ tool, principal, options, face }) {
      const cost = costOf(tool, 1);
      // A gateway connection lasts as long as its client; time counts only for named conversations.
      const isTimed = options.conversation !== undefined && face !== "mcp";
      if (!isTimed && cost === undefined) return undefined;
      const conversation =
        options.conversation === undefined
          ? undefined
          : recall(conversations, keyOf(options.conversation, principal), newConversation);
      const { persona } = principal;
      const ofPersona = persona === null ? undefined : recall(personas, persona, createCostLedger);
      const own = { conversation, ofPersona, persona, isTimed };
      return createCallMeter(tool, cost, own, { setting, now, shared, shares, checkTime });
    },
    of(conversation, principal) {
      const found = conversations.get(keyOf(conversation, principal));
      const { persona } = principal;
      const cost = (persona === null ? undefined : personas.get(persona)?.all()) ?? {};
      return render({ spentMs: found?.usedMs() ?? 0, cost: found?.ledger.all() ?? {} }, persona, cost, setting());
    },
    async everywhere(conversation, principal) {
      if (shared === undefined) return this.of(conversation, principal);
      const key = keyOf(conversation, principal);
      const { persona } = principal;
      const [all, ofPersona] = await Promise.all([
        shared.read(key),
        persona === null ? undefined : shared.read(personaKey(persona)),
      ]);
      // Time in hand is not used yet.
      const found = conversations.get(key);
      const unusedMs = found ? found.heldMs - found.usedMs() : 0;
      return render({ spentMs: all.takenMs - unusedMs, cost: all.cost }, persona, ofPersona?.cost ?? {}, setting());
    },
    async forget(conversation, principal) {
      const key = keyOf(conversation, principal);
      conversations.delete(key);
      await shared?.forget(key).catch(() => undefined);
    },
    release: async () => shares?.release(),
  };
}

type Budgeting = {
  setting(): Budgets;
  now(): number;
  shared: SharedBudgets | undefined;
  shares: ReturnType<typeof createTimeShares> | undefined;
  checkTime(conversation: Conversation | undefined, tool: string): void | Promise<void>;
};

type Owners = {
  conversation: Conversation | undefined;
  ofPersona: CostLedger | undefined;
  persona: string | null;
  isTimed: boolean;
};

function createCallMeter(
  tool: Tool,
  cost: Cost | undefined,
  { conversation, ofPersona, persona, isTimed }: Owners,
  { setting, now, shared, shares, checkTime }: Budgeting,
): Meter {
  let paid: readonly Payer[] = [];
  const payers = (): Payer[] => {
    const { maxCost, perPersona } = setting();
    const own = { whose: "this conversation", maxCost, setting: "budgets.maxCost" };
    return [
      ...(conversation ? [{ ledger: conversation.ledger, key: conversation.key, ...own }] : []),
      ...(ofPersona ? [{ ledger: ofPersona, ...personaBudget(persona ?? "", perPersona) }] : []),
    ];
  };
  const meter = createMeter(now, {
    check: () => (isTimed ? checkTime(conversation, tool.name) : undefined),
    pay(): void | Promise<void> {
      if (cost === undefined) return;
      if (shared === undefined) return payHere(cost, payers(), tool.name);
      return payTogether(cost, payers(), tool.name, shared).then((by) => {
        paid = by;
      });
    },
    payBack() {
      if (cost === undefined) return;
      const back = { ...cost, amount: -cost.amount };
      conversation?.ledger.add(back);
      ofPersona?.add(back);
      if (shared) payBack(cost, paid, shared);
    },
    started: () => isTimed && conversation?.running.add(meter),
    ended(ms) {
      if (conversation === undefined || !isTimed) return;
      conversation.running.delete(meter);
      conversation.spentMs += ms;
      shares?.settle(conversation);
    },
  });
  return meter;
}

type Used = { spentMs: number; cost: Record<string, number> };

function render(
  { spentMs, cost }: Used,
  persona: string | null,
  costOfPersona: Record<string, number>,
  { maxToolDurationMs, maxCost, perPersona }: Budgets,
): ConversationBudget {
  const ofPersona = (name: string) => ({
    name,
    cost: costOfPersona,
    maxCost: personaBudget(name, perPersona).maxCost,
  });
  return {
    spentMs: Math.round(spentMs),
    limitMs: maxToolDurationMs === 0 ? null : maxToolDurationMs,
    cost,
    maxCost,
    persona: persona === null ? null : ofPersona(persona),
  };
}

function personaBudget(persona: string, perPersona: Budgets["perPersona"]) {
  const maxCost = Object.hasOwn(perPersona, persona) ? (perPersona[persona]?.maxCost ?? null) : null;
  const setting = `budgets.perPersona.${persona}.maxCost`;
  return { key: personaKey(persona), whose: `persona '${persona}'`, maxCost, setting };
}

function personaKey(persona: string): string {
  return `persona:${persona}`;
}

function newConversation(key: string): Conversation {
  const conversation: Conversation = {
    ...{ key, spentMs: 0, heldMs: 0, ledger: createCostLedger(), running: new Set<Meter>() },
    isRunning: () => conversation.running.size > 0,
    // Running calls count, so that many at once cannot share the same rest.
    usedMs() {
      let sum = conversation.spentMs;
      for (const meter of conversation.running) sum += meter.elapsedMs();
      return sum;
    },
  };
  return conversation;
}

/** Two users may choose the same name. */
function keyOf(conversation: string, { user }: Principal): string {
  return JSON.stringify([user, conversation]);
}

function recall<T>(kept: Map<string, T>, key: string, create: (key: string) => T): T {
  const found = kept.get(key) ?? create(key);
  kept.delete(key);
  kept.set(key, found);
  const [oldest] = kept.size > maxKept ? kept.keys() : [];
  if (oldest !== undefined) kept.delete(oldest);
  return found;
}

type Payer = {
  ledger: CostLedger;
  key: string;
  whose: string;
  maxCost: Budgets["maxCost"];
  setting: string;
};

/** From every ledger, or from none. */
function payHere(cost: Cost, payers: readonly Payer[], tool: string): void {
  for (const payer of payers) {
    const limit = limitIn(cost.unit, payer.maxCost);
    const spent = payer.ledger.spent(cost.unit);
    if (limit !== null && spent + cost.amount > limit + rest) throw tooDear(cost, payer, spent, limit, tool);
  }
  for (const { ledger } of payers) ledger.add(cost);
}

/** From shared ledgers. Payments of this plane are remembered for a time without the store. */
async function payTogether(
  cost: Cost,
  payers: readonly Payer[],
  tool: string,
  shared: SharedBudgets,
): Promise<readonly Payer[]> {
  const paid: Payer[] = [];
  for (const payer of payers) {
    const limit = limitIn(cost.unit, payer.maxCost);
    const spent = await shared.pay(payer.key, cost, limit).catch(() => undefined);
    if (spent === undefined) {
      payBack(cost, paid, shared);
      payHere(cost, payers, tool);
      return [];
    }
    if (spent !== null) {
      payBack(cost, paid, shared);
      throw tooDear(cost, payer, spent, limit ?? 0, tool);
    }
    paid.push(payer);
  }
  for (const { ledger } of payers) ledger.add(cost);
  return paid;
}

function payBack(cost: Cost, payers: readonly Payer[], shared: SharedBudgets): void {
  const back = { ...cost, amount: -cost.amount };
  for (const { key } of payers) void shared.pay(key, back, null).catch(() => undefined);
}

function tooDear({ amount, unit }: Cost, { whose, setting }: Payer, spent: number, limit: number, tool: string) {
  const text = `it costs ${amount} ${unit}, and ${whose} has spent ${spent} of ${limit}`;
  return exceeded(tool, text, { budget: "cost", spent, limit, unit, key: setting });
}

type Exceeded = { budget: "time" | "cost"; spent: number; limit: number; unit?: string; key: string };

function exceeded(tool: string, why: string, data: Exceeded): PlaneError {
  const remedy =
    data.key === "budgets.maxToolDurationMs" || data.key === "budgets.maxCost"
      ? "Start another conversation, or raise"
      : "Raise";
  return new PlaneError("BUDGET_EXCEEDED", `'${tool}' was not run: ${why}. ${remedy} '${data.key}'.`, {
    data: { tool, sent: false, retryAt: null, ...data },
  });
}

function outOfTime(tool: string, spent: number, limit: number): PlaneError {
  const text = `the tools of this conversation have run for ${spent / 1000} s of ${limit / 1000} s`;
  return exceeded(tool, text, { budget: "time", spent, limit, key: "budgets.maxToolDurationMs" });
}

/** Counts a call's attempts. Awaits where several planes count together. */
export type Meter = {
  check(): void | Promise<void>;
  /** The cost of an attempt, or throws. */
  reserve(): void | Promise<void>;
  start(): void;
  /** While a person is asked. */
  pause(): () => void;
  /** A request that was not received costs nothing. */
  settle(wasReceived: boolean): void;
  elapsedMs(): number;
};

type MeterParts = {
  check(): void | Promise<void>;
  pay(): void | Promise<void>;
  payBack(): void;
  started(): void;
  ended(ms: number): void;
};

function createMeter(now: () => number, parts: MeterParts): Meter {
  let startedAt: number | null = null;
  let pausedAt: number | null = null;
  let pauses = 0;
  let pausedMs = 0;
  const elapsedMs = () => (startedAt === null ? 0 : (pausedAt ?? now()) - startedAt - pausedMs);

  return {
    check: parts.check,
    reserve() {
      const checked = parts.check();
      return checked ? checked.then(parts.pay) : parts.pay();
    },
    start() {
      startedAt = now();
      pausedAt = null;
      pausedMs = 0;
      parts.started();
    },
    pause() {
      pauses += 1;
      pausedAt ??= now();
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        pauses -= 1;
        if (pauses > 0 || pausedAt === null) return;
        pausedMs += now() - pausedAt;
        pausedAt = null;
      };
    },
    settle(wasReceived) {
      if (startedAt !== null) parts.ended(elapsedMs());
      startedAt = null;
      if (!wasReceived) parts.payBack();
    },
    elapsedMs,
  };
}
