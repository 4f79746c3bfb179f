import type { Cost, Routed } from "../../model/call.ts";
import type { Budgets } from "../../model/config.ts";
import { PlaneError } from "../../model/errors.ts";
import type { ConversationBudget } from "../../model/plane.ts";
import type { Principal } from "../../model/principal.ts";
import { costOf } from "../cost.ts";
import { createMeter, type Meter } from "./meter.ts";
import { createPurse, limitIn, type Purse, rest } from "./purse.ts";

/** So many conversations, and so many personas, are kept in mind; the longest unused are forgotten first. */
const mostKept = 10_000;

type Conversation = { spentMs: number; purse: Purse; running: Set<Meter> };

export type ConversationBudgets = {
  /** Undefined where there is nothing to count. */
  meter(call: Routed): Meter | undefined;
  of(conversation: string, principal: Principal): ConversationBudget;
  forget(conversation: string, principal: Principal): void;
};

/** What conversations and personas have used of their budgets, in memory only. */
export function createBudgets(
  setting: () => Budgets,
  now: () => number = () => performance.now(),
): ConversationBudgets {
  const conversations = new Map<string, Conversation>();
  const personas = new Map<string, Purse>();
  const newConversation = (): Conversation => ({ spentMs: 0, purse: createPurse(), running: new Set() });

  function checkTime(conversation: Conversation | undefined, tool: string): void {
    const limit = setting().maxToolDurationMs;
    if (conversation === undefined || limit === 0) return;
    const spent = Math.round(spentMs(conversation));
    if (spent < limit) return;
    const text = `the tools of this conversation have run for ${spent / 1000} s of ${limit / 1000} s`;
    throw exceeded(tool, text, { budget: "time", spent, limit, key: "budgets.maxToolDurationMs" });
  }

  /** Takes the money out of every purse, or out of none. */
  function pay(cost: Cost, purses: readonly Paid[], tool: string): void {
    for (const { purse, whose, maxCost, key } of purses) {
      const limit = limitIn(cost.unit, maxCost);
      const spent = purse.spent(cost.unit);
      if (limit === null || spent + cost.amount <= limit + rest) continue;
      const text = `it costs ${cost.amount} ${cost.unit}, and ${whose} has spent ${spent} of ${limit}`;
      throw exceeded(tool, text, { budget: "cost", spent, limit, unit: cost.unit, key });
    }
    for (const { purse } of purses) purse.add(cost);
  }

  return {
    meter({ tool, principal, options }) {
      const cost = costOf(tool, 1);
      if (options.conversation === undefined && cost === undefined) return undefined;
      const conversation =
        options.conversation === undefined
          ? undefined
          : recall(conversations, keyOf(options.conversation, principal), newConversation);
      const { persona } = principal;
      const ofPersona = persona === null ? undefined : recall(personas, persona, createPurse);
      const purses = (): Paid[] => {
        const { maxCost, perPersona } = setting();
        return [
          ...(conversation
            ? [{ purse: conversation.purse, whose: "this conversation", maxCost, key: "budgets.maxCost" }]
            : []),
          ...(ofPersona ? [{ purse: ofPersona, ...personaBudget(persona ?? "", perPersona) }] : []),
        ];
      };
      const meter = createMeter(now, {
        check: () => checkTime(conversation, tool.name),
        pay: () => cost && pay(cost, purses(), tool.name),
        payBack() {
          if (cost === undefined) return;
          const back = { ...cost, amount: -cost.amount };
          conversation?.purse.add(back);
          ofPersona?.add(back);
        },
        started: () => conversation?.running.add(meter),
        ended(ms) {
          conversation?.running.delete(meter);
          if (conversation) conversation.spentMs += ms;
        },
      });
      return meter;
    },
    of(conversation, principal) {
      const { maxToolDurationMs, maxCost, perPersona } = setting();
      const found = conversations.get(keyOf(conversation, principal)) ?? newConversation();
      const { persona } = principal;
      return {
        spentMs: Math.round(spentMs(found)),
        limitMs: maxToolDurationMs === 0 ? null : maxToolDurationMs,
        cost: found.purse.all(),
        maxCost,
        persona:
          persona === null
            ? null
            : {
                name: persona,
                cost: personas.get(persona)?.all() ?? {},
                maxCost: personaBudget(persona, perPersona).maxCost,
              },
      };
    },
    forget: (conversation, principal) => void conversations.delete(keyOf(conversation, principal)),
  };
}

type Paid = { purse: Purse; whose: string; maxCost: Budgets["maxCost"]; key: string };

function personaBudget(persona: string, perPersona: Budgets["perPersona"]) {
  const maxCost = Object.hasOwn(perPersona, persona) ? (perPersona[persona]?.maxCost ?? null) : null;
  return { whose: `persona '${persona}'`, maxCost, key: `budgets.perPersona.${persona}.maxCost` };
}

/** What runs counts too, so that many at once cannot all be let in by the same rest. */
function spentMs({ spentMs: done, running }: Conversation): number {
  let sum = done;
  for (const meter of running) sum += meter.elapsedMs();
  return sum;
}

/** Two users may call their conversations the same. */
function keyOf(conversation: string, { user }: Principal): string {
  return JSON.stringify([user, conversation]);
}

function recall<T>(kept: Map<string, T>, key: string, create: () => T): T {
  const found = kept.get(key) ?? create();
  kept.delete(key);
  kept.set(key, found);
  const [oldest] = kept.size > mostKept ? kept.keys() : [];
  if (oldest !== undefined) kept.delete(oldest);
  return found;
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
