import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { type Answered, type HeldAnswer, isAnsweredHere } from "../../api/approval-queries.ts";
import { toast } from "../../parts/toast.ts";
import type { InboxItem } from "./inbox-list.tsx";

/** Every card keeps its place; an event may tell that a call is answered before the answer to it arrives here. */
export function useOrder() {
  const heldById = useRef(new Map<string, HeldAnswer>());
  return (
    approvals: readonly HeldAnswer[],
    answered: ReadonlyMap<string, Answered>,
  ): InboxItem[] => {
    const waiting = new Set(approvals.map(({ id }) => id));
    for (const heldCall of approvals) heldById.current.set(heldCall.id, heldCall);
    return [...heldById.current.values()].flatMap((heldCall) => {
      const answer = answered.get(heldCall.id);
      return waiting.has(heldCall.id) || answer ? [{ id: heldCall.id, heldCall, answer }] : [];
    });
  };
}

/** The time between the clicks of a double click. */
const settleMs = 500;

/**
 * Explains a call that disappeared without an answer here. True while the next one moves into its place, so that a
 * second click does not approve an unread call.
 */
export function useGoneNotice(
  approvals: readonly HeldAnswer[] | undefined,
  answered: number,
): boolean {
  const client = useQueryClient();
  const before = useRef<readonly HeldAnswer[]>([]);
  const [movedAt, setMovedAt] = useState(0);
  useLayoutEffect(() => {
    if (approvals === undefined) return;
    const waitingIds = new Set(approvals.map(({ id }) => id));
    const goneCalls = before.current.filter(({ id }) => !waitingIds.has(id));
    before.current = approvals;
    if (goneCalls.length === 0) return;
    setMovedAt(performance.now());
    const answeredElsewhere = goneCalls.filter(({ id }) => !isAnsweredHere(client, id));
    const [onlyCall] = answeredElsewhere;
    if (onlyCall === undefined) return;
    const subject =
      answeredElsewhere.length === 1
        ? `${onlyCall.tool} no longer waits`
        : `${answeredElsewhere.length} calls no longer wait`;
    toast(`${subject}: answered by another person, or expired.`, "neutral");
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
