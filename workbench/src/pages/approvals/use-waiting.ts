import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { type Answered, type HeldAnswer, isAnsweredHere } from "../../api/approval-queries.ts";
import { toast } from "../../parts/toast.ts";
import type { Item } from "./inbox-list.tsx";

/** Every card keeps its place; an event may tell that a call is answered before the answer to it arrives here. */
export function useOrder() {
  const known = useRef(new Map<string, HeldAnswer>());
  return (approvals: readonly HeldAnswer[], answered: ReadonlyMap<string, Answered>): Item[] => {
    const waiting = new Set(approvals.map(({ id }) => id));
    for (const held of approvals) known.current.set(held.id, held);
    return [...known.current.values()].flatMap((held) => {
      const answer = answered.get(held.id);
      return waiting.has(held.id) || answer ? [{ id: held.id, held, answer }] : [];
    });
  };
}

/** The time between the clicks of a double click. */
const settleMs = 500;

/**
 * Explains a call that disappeared without an answer here. True while the next one moves into its place, so that a
 * second click does not approve an unread call.
 */
export function useTellGone(
  approvals: readonly HeldAnswer[] | undefined,
  answered: number,
): boolean {
  const client = useQueryClient();
  const before = useRef<readonly HeldAnswer[]>([]);
  const [movedAt, setMovedAt] = useState(0);
  useLayoutEffect(() => {
    if (approvals === undefined) return;
    const here = new Set(approvals.map(({ id }) => id));
    const gone = before.current.filter(({ id }) => !here.has(id));
    before.current = approvals;
    if (gone.length === 0) return;
    setMovedAt(performance.now());
    const elsewhere = gone.filter(({ id }) => !isAnsweredHere(client, id));
    const [only] = elsewhere;
    if (only === undefined) return;
    const what =
      elsewhere.length === 1
        ? `${only.tool} no longer waits`
        : `${elsewhere.length} calls no longer wait`;
    toast(`${what}: answered by another person, or expired.`, "neutral");
  }, [approvals, client]);
  // The outcome is smaller than its card was.
  useLayoutEffect(() => {
    if (answered > 0) setMovedAt(performance.now());
  }, [answered]);
  useEffect(() => {
    if (movedAt === 0) return;
    const timer = setTimeout(() => setMovedAt(0), settleMs);
    return () => clearTimeout(timer);
  }, [movedAt]);
  return movedAt !== 0;
}
