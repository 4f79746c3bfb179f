import type { HeldOrder, HeldPart } from "../model/held-order.ts";

/** What both dialects order held calls by. */
export const heldOrders: Record<HeldOrder, string> = {
  oldest: "sequence",
  newest: "sequence DESC",
  pending: "status <> 'pending', sequence DESC",
};

/** The condition for what comes after the call whose id is given. */
export function behindHeld(order: HeldOrder, after: HeldPart["after"]): string {
  const that = "(SELECT sequence FROM held_calls WHERE id = ?)";
  if (order === "oldest") return `sequence > ${that}`;
  if (order === "newest") return `sequence < ${that}`;
  return after?.waits
    ? `(status <> 'pending' OR sequence < ${that})`
    : `(status <> 'pending' AND sequence < ${that})`;
}
