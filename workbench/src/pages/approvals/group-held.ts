import { textOrJson } from "../../../../src/model/json.ts";
import type { HeldAnswer } from "../../api/approval-queries.ts";

export const groupings = {
  none: "By time",
  tool: "By tool",
  conversation: "By conversation",
  caller: "By caller",
} as const;
export type Grouping = keyof typeof groupings;

type Held = Pick<HeldAnswer, "tool" | "options" | "principal" | "shown">;

const nameOf: Record<Grouping, (heldCall: Held) => string> = {
  none: () => "",
  tool: ({ tool }) => tool,
  conversation: ({ options }) => options.conversation ?? "Without a conversation",
  caller: ({ principal }) => principal.user ?? "anonymous",
};

/** In the order of the first of each. */
export function groupHeld<Item extends { heldCall: Held }>(items: readonly Item[], by: Grouping) {
  return [...Map.groupBy(items, ({ heldCall }) => nameOf[by](heldCall))].map(([name, group]) => ({
    name,
    items: group,
  }));
}

/** Every word stands somewhere in the call. */
export function matchesSearch({ tool, principal, options, shown }: Held, query: string): boolean {
  const text = [tool, principal.user, options.conversation, JSON.stringify(shown)]
    .join(" ")
    .toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((term) => text.includes(term));
}

const maxSummary = 140;

/** The arguments on one line. */
export function summaryOf({ shown }: Pick<Held, "shown">): string {
  const namedValues = Object.entries(shown as object).map(
    ([name, value]) => `${name}: ${textOrJson(value)}`,
  );
  return namedValues.join(" · ").slice(0, maxSummary);
}
