import type { HeldCall } from "./held-call.ts";

/** `pending` is what waits first, then the rest; both newest first. */
export const heldOrders = ["oldest", "newest", "pending"] as const;
export type HeldOrder = (typeof heldOrders)[number];

/** A part of a list: so many behind the one that was told last. */
export type HeldPart = { order: HeldOrder; limit: number; after: { id: string; waits: boolean } | null };

/** Later than any time there is, so that what is left of it counts down. */
const endOfTime = 8_640_000_000_000_000;

/** Where a held call stands in a list: texts that sort as the list does. */
export function heldPlace({ id, at, status }: HeldCall, order: HeldOrder): string {
  if (order === "oldest") return `${at} ${id}`;
  const fromTheEnd = String(endOfTime - Date.parse(at)).padStart(16, "0");
  const rank = order === "pending" && status !== "pending" ? 1 : 0;
  return `${rank} ${fromTheEnd} ${id}`;
}

/** The one that stands at a place. `waits` tells in which half of the order `pending` it stood. */
export function readHeldPlace(place: string): { id: string; waits: boolean } {
  return { id: place.slice(place.lastIndexOf(" ") + 1), waits: place.startsWith("0 ") };
}
