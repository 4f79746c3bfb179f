import type { Budgets } from "../../model/budgets.ts";
import type { Cost } from "../../model/call.ts";
import { exceeded } from "./exceeded.ts";
import { type CostLedger, limitIn, rest } from "./purse.ts";
import type { SharedBudgets } from "./shared-budgets.ts";

/** Who pays, and how that is told. */
export type Payer = {
  purse: CostLedger;
  key: string;
  whose: string;
  maxCost: Budgets["maxCost"];
  setting: string;
};

/** Takes the money out of every purse, or out of none. */
export function payHere(cost: Cost, payers: readonly Payer[], tool: string): void {
  for (const payer of payers) {
    const limit = limitIn(cost.unit, payer.maxCost);
    const spent = payer.purse.spent(cost.unit);
    if (limit !== null && spent + cost.amount > limit + rest) throw tooDear(cost, payer, spent, limit, tool);
  }
  for (const { purse } of payers) purse.add(cost);
}

/** The same where all planes pay from the same purses. What this one has paid is kept in mind for when the store is away. */
export async function payTogether(
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
  for (const { purse } of payers) purse.add(cost);
  return paid;
}

export function payBack(cost: Cost, payers: readonly Payer[], shared: SharedBudgets): void {
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
