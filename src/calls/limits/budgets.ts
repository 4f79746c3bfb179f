import { namedConversation } from "../../access/access.ts";
import { andThen } from "../../lib/async/and-then.ts";
import type { Routed } from "../../model/calls/call.ts";
import type { Cost } from "../../model/calls/call-schema.ts";
import type { Budgets } from "../../model/config/config.ts";
import { PlaneError } from "../../model/errors.ts";
import type { ConversationBudget } from "../../model/plane-history.ts";
import type { Principal } from "../../model/principal.ts";
import { costOf, limitIn, roundedCost, tolerance } from "./cost.ts";
import { createTimeShares, type SharedBudgets, type Timed } from "./shared-budgets.ts";

/** Conversations and personas in memory, least recently used first out. */
const maxInMemory = 10_000;

/** What was spent in each unit. */
type Ledger = Map<string, number>;
type Conversation = Timed & {
  spentMs: number;
  ledger: Ledger;
  running: Set<{ elapsedMs(): number }>;
};
type Payer = {
  ledger: Ledger;
  key: string;
  whose: string;
  maxCost: Budgets["maxCost"];
  setting: string;
};

export type ConversationBudgets = ReturnType<typeof createBudgets>;

/** In memory, or together with other planes. */
export function createBudgets(
  setting: () => Budgets,
  now = () => performance.now(),
  shared?: SharedBudgets,
) {
  const shares = shared && createTimeShares(shared);
  const conversations = new Map<string, Conversation>();
  const personas = new Map<string, Ledger>();

  function budgetHere(conversation: string, principal: Principal): ConversationBudget {
    const usage = conversations.get(keyOf(conversation, principal));
    const personaLedger = personas.get(principal.persona ?? "");
    return render(
      usage?.usedMs() ?? 0,
      costIn(usage?.ledger),
      principal.persona,
      costIn(personaLedger),
      setting(),
    );
  }

  function usageOf(conversation: string | undefined, principal: Principal) {
    if (conversation === undefined) return undefined;
    return recall(conversations, keyOf(conversation, principal), newConversation);
  }

  function ledgerOf(persona: string | null): Ledger | undefined {
    if (persona === null) return undefined;
    return recall(personas, persona, () => new Map());
  }

  return {
    spentHere: budgetHere,
    /** Undefined where nothing is counted. */
    meter({ tool, principal, options, face }: Routed): Meter | undefined {
      const cost = costOf(tool, 1);
      // A gateway connection lasts as long as its client; time counts only for named conversations.
      const isTimed = options.conversation !== undefined && face !== "mcp";
      if (!isTimed && cost === undefined) return undefined;
      const conversation = usageOf(options.conversation, principal);
      const { persona } = principal;
      const ledger = ledgerOf(persona);
      const payersNow = (): Payer[] => {
        const { maxCost, perPersona } = setting();
        const payers: Payer[] = [];
        if (conversation) payers.push(conversationPayer(conversation, maxCost));
        if (ledger) payers.push({ ledger, ...personaBudget(persona ?? "", perPersona) });
        return payers;
      };
      const timed = isTimed ? conversation : undefined;
      return createMeter(tool.name, cost, timed, payersNow, { setting, now, shared, shares });
    },
    async everywhere(conversation: string, principal: Principal): Promise<ConversationBudget> {
      if (shared === undefined) return budgetHere(conversation, principal);
      const key = keyOf(conversation, principal);
      const { persona } = principal;
      const [total, personaTotal] = await Promise.all([
        shared.read(key),
        persona === null ? undefined : shared.read(personaKey(persona)),
      ]);
      // Time in hand is not used yet.
      const usage = conversations.get(key);
      const unusedMs = usage ? usage.heldMs - usage.usedMs() : 0;
      return render(
        total.takenMs - unusedMs,
        total.cost,
        persona,
        personaTotal?.cost ?? {},
        setting(),
      );
    },
    async forget(conversation: string, principal: Principal): Promise<void> {
      const key = keyOf(conversation, principal);
      conversations.delete(key);
      // What cannot be forgotten now expires by itself.
      await shared?.forget(key).catch(() => undefined);
    },
    release: async () => void (await Promise.all([shares?.release(), shared?.release()])),
  };
}

type Counting = {
  setting(): Budgets;
  now(): number;
  shared: SharedBudgets | undefined;
  shares: ReturnType<typeof createTimeShares> | undefined;
};

export type Meter = ReturnType<typeof createMeter>;

/** Counts a call's attempts. Awaits where several planes count together. */
function createMeter(
  tool: string,
  cost: Cost | undefined,
  timed: Conversation | undefined,
  payersNow: () => Payer[],
  { setting, now, shared, shares }: Counting,
) {
  let payers: readonly Payer[] = [];
  let paidTogether: readonly Payer[] = [];
  const clock = createClock(now);

  function check(): void | Promise<void> {
    const limit = setting().maxToolDurationMs;
    if (timed === undefined || limit === 0) return;
    const checkHere = () => {
      const spent = Math.round(timed.usedMs());
      if (spent >= limit) throw outOfTime(tool, spent, limit);
    };
    if (shares === undefined) return checkHere();
    return shares.take(timed, limit)?.then((takenMs) => {
      if (takenMs !== null) throw outOfTime(tool, Math.round(takenMs), limit);
    }, checkHere);
  }

  function pay(): void | Promise<void> {
    if (cost === undefined) return;
    payers = payersNow();
    if (shared === undefined) return payHere(cost, payers, tool);
    return payTogether(cost, payers, tool, shared).then((paid) => {
      paidTogether = paid;
    });
  }

  return {
    check,
    /** The cost of an attempt, or throws. */
    reserve: () => andThen(check(), pay),
    start(): void {
      clock.start();
      timed?.running.add(clock);
    },
    /** While a person is asked. */
    pause: clock.pause,
    /** A request that was not received costs nothing. */
    settle(wasReceived: boolean): void {
      const ranMs = clock.stop();
      if (timed && ranMs !== null) {
        timed.running.delete(clock);
        timed.spentMs += ranMs;
        shares?.settle(timed);
      }
      if (wasReceived || cost === undefined) return;
      for (const { ledger } of payers) add(ledger, { ...cost, amount: -cost.amount });
      if (shared) payBack(cost, paidTogether, shared);
    },
  };
}

/** A stopwatch that any number of questions may pause. */
function createClock(now: () => number) {
  let startedAt: number | null = null;
  let pausedAt: number | null = null;
  let pauses = 0;
  let pausedMs = 0;
  const elapsedMs = () => (startedAt === null ? 0 : (pausedAt ?? now()) - startedAt - pausedMs);
  return {
    elapsedMs,
    start(): void {
      startedAt = now();
      pausedAt = null;
      pausedMs = 0;
    },
    pause(): () => void {
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
    /** Null where it did not run. */
    stop(): number | null {
      const ms = startedAt === null ? null : elapsedMs();
      startedAt = null;
      return ms;
    },
  };
}

type Costs = Record<string, number>;

function render(
  ms: number,
  cost: Costs,
  persona: string | null,
  personaCost: Costs,
  budgets: Budgets,
) {
  const { maxToolDurationMs, maxCost, perPersona } = budgets;
  return {
    spentMs: Math.round(ms),
    limitMs: maxToolDurationMs || null,
    cost,
    maxCost,
    persona:
      persona === null
        ? null
        : { name: persona, cost: personaCost, maxCost: maxCostOf(persona, perPersona) },
  };
}

function maxCostOf(persona: string, perPersona: Budgets["perPersona"]) {
  return Object.hasOwn(perPersona, persona) ? (perPersona[persona]?.maxCost ?? null) : null;
}

function personaKey(persona: string) {
  return `persona:${persona}`;
}

function conversationPayer({ ledger, key }: Conversation, maxCost: Budgets["maxCost"]): Payer {
  return { ledger, key, whose: "this conversation", maxCost, setting: "budgets.maxCost" };
}

function personaBudget(persona: string, perPersona: Budgets["perPersona"]) {
  const setting = `budgets.perPersona.${persona}.maxCost`;
  return {
    key: personaKey(persona),
    whose: `persona '${persona}'`,
    maxCost: maxCostOf(persona, perPersona),
    setting,
  };
}

function newConversation(key: string): Conversation {
  const running: Conversation["running"] = new Set();
  return {
    key,
    spentMs: 0,
    heldMs: 0,
    ledger: new Map(),
    running,
    isRunning: () => running.size > 0,
    // Running calls count, so that many at once cannot share the same rest.
    usedMs() {
      let sum = this.spentMs;
      for (const clock of running) sum += clock.elapsedMs();
      return sum;
    },
  };
}

function keyOf(conversation: string, principal: Principal): string {
  return namedConversation(conversation, principal).key;
}

function recall<T>(recent: Map<string, T>, key: string, create: (key: string) => T): T {
  const recalled = recent.get(key) ?? create(key);
  recent.delete(key);
  recent.set(key, recalled);
  if (recent.size <= maxInMemory) return recalled;
  const [oldest] = recent.keys();
  if (oldest !== undefined) recent.delete(oldest);
  return recalled;
}

function add(ledger: Ledger, { amount, unit }: Cost): void {
  const sum = roundedCost((ledger.get(unit) ?? 0) + amount);
  if (sum === 0) ledger.delete(unit);
  else ledger.set(unit, sum);
}

function costIn(ledger: Ledger | undefined): Costs {
  return Object.fromEntries(ledger ?? []);
}

/** From every ledger, or from none. */
function payHere(cost: Cost, payers: readonly Payer[], tool: string): void {
  for (const payer of payers) {
    const limit = limitIn(cost.unit, payer.maxCost);
    const spent = payer.ledger.get(cost.unit) ?? 0;
    if (limit !== null && spent + cost.amount > limit + tolerance)
      throw tooDear(cost, payer, spent, limit, tool);
  }
  for (const { ledger } of payers) add(ledger, cost);
}

/** From shared ledgers. Payments of this plane are remembered for a time without the store. */
async function payTogether(
  cost: Cost,
  payers: readonly Payer[],
  tool: string,
  shared: SharedBudgets,
) {
  const paid: Payer[] = [];
  for (const payer of payers) {
    const limit = limitIn(cost.unit, payer.maxCost);
    const spent = await shared.pay(payer.key, cost, limit).catch(() => undefined);
    if (spent === null) {
      paid.push(payer);
      continue;
    }
    payBack(cost, paid, shared);
    if (spent !== undefined) throw tooDear(cost, payer, spent, limit ?? 0, tool);
    payHere(cost, payers, tool);
    return [];
  }
  for (const { ledger } of payers) add(ledger, cost);
  return paid;
}

/** An unreachable store forgets the debt in time. */
function payBack(cost: Cost, payers: readonly Payer[], shared: SharedBudgets): void {
  const back = { ...cost, amount: -cost.amount };
  for (const { key } of payers) void shared.pay(key, back, null).catch(() => undefined);
}

function tooDear(
  { amount, unit }: Cost,
  { whose, setting }: Payer,
  spent: number,
  limit: number,
  tool: string,
) {
  const text = `it costs ${amount} ${unit}, and ${whose} has spent ${spent} of ${limit}`;
  return exceeded(tool, text, { budget: "cost", spent, limit, unit, key: setting });
}

function outOfTime(tool: string, spent: number, limit: number): PlaneError {
  const text = `the tools of this conversation have run for ${spent / 1000} s of ${limit / 1000} s`;
  return exceeded(tool, text, { budget: "time", spent, limit, key: "budgets.maxToolDurationMs" });
}

type Exceeded = {
  budget: "time" | "cost";
  spent: number;
  limit: number;
  unit?: string;
  key: string;
};

function exceeded(tool: string, why: string, data: Exceeded): PlaneError {
  const isOfConversation =
    data.key === "budgets.maxToolDurationMs" || data.key === "budgets.maxCost";
  const remedy = isOfConversation ? "Start another conversation, or raise" : "Raise";
  return new PlaneError(
    "BUDGET_EXCEEDED",
    `'${tool}' was not run: ${why}. ${remedy} '${data.key}'.`,
    {
      data: { tool, sent: false, retryAt: null, ...data },
    },
  );
}
