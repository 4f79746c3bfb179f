import { stableJson } from "../../lib/stable-json.ts";
import type { HeldFilter, KeptHeldCall, PlanRecord, Remembered } from "../../model/held-call.ts";
import type { HeldPart } from "../../model/held-order.ts";
import { behindHeld, heldOrders } from "../held-order.ts";
import type { Prepare } from "./connection.ts";
import { type Condition, where } from "./where.ts";

export function insertHeldCall(prepare: Prepare, held: KeptHeldCall): void {
  prepare("INSERT INTO held_calls (id, plan, user, status, revision, record) VALUES (?, ?, ?, ?, ?, ?)").run(
    held.id,
    held.plan,
    held.principal.user,
    held.status,
    held.revision,
    JSON.stringify(held),
  );
}

/** A change and the plan it belongs to: the open one of its owner, or this new one. */
export function insertChange(prepare: Prepare, held: KeptHeldCall, plan: PlanRecord): string {
  const owner = stableJson([plan.user, plan.conversation]);
  prepare("INSERT INTO plans (id, owner, is_open, record) VALUES (?, ?, 1, ?) ON CONFLICT DO NOTHING").run(
    plan.id,
    owner,
    JSON.stringify(plan),
  );
  const row = prepare("SELECT id FROM plans WHERE owner = ? AND is_open = 1").get(owner);
  const id = String(row?.id);
  insertHeldCall(prepare, { ...held, plan: id });
  return id;
}

export function selectHeldCall(prepare: Prepare, id: string): KeptHeldCall | null {
  const row = prepare("SELECT record, revision FROM held_calls WHERE id = ?").get(id);
  return row ? parse(row) : null;
}

/** In the order in which they were asked, or a part of them in another. */
export function selectHeldCalls(prepare: Prepare, filter: HeldFilter, part?: HeldPart): KeptHeldCall[] {
  const { order = "oldest", limit = -1, after = null } = part ?? {};
  const { sql, values } = where(...conditionsOf(filter), [behindHeld(order, after), after?.id]);
  return prepare(`SELECT record, revision FROM held_calls ${sql} ORDER BY ${heldOrders[order]} LIMIT ?`)
    .all(...values, limit)
    .map(parse);
}

export function countHeldCalls(prepare: Prepare, filter: HeldFilter): number {
  const { sql, values } = where(...conditionsOf(filter));
  return Number(prepare(`SELECT count(*) AS count FROM held_calls ${sql}`).get(...values)?.count);
}

function conditionsOf({ status, plan, user, shownTo }: HeldFilter): Condition[] {
  return [
    ["status = ?", status],
    ["plan IS ?", plan],
    ["user IS ?", user],
    ["(user IS NULL OR user IS ?)", shownTo],
  ];
}

/** Only what is still as it was read: of several who answer, one does. */
export function updateHeldCall(prepare: Prepare, held: KeptHeldCall): boolean {
  const { changes } = prepare(
    "UPDATE held_calls SET status = ?, record = ?, revision = revision + 1 WHERE id = ? AND revision = ?",
  ).run(held.status, JSON.stringify(held), held.id, held.revision);
  return Number(changes) === 1;
}

export function selectPlans(prepare: Prepare): PlanRecord[] {
  return prepare("SELECT record FROM plans ORDER BY sequence DESC")
    .all()
    .map(({ record }) => JSON.parse(String(record)) as PlanRecord);
}

/** What is queued from now on is another plan. */
export function closePlan(prepare: Prepare, id: string): void {
  prepare("UPDATE plans SET is_open = 0 WHERE id = ?").run(id);
}

export function insertRemembered(prepare: Prepare, remembered: Remembered): void {
  const { id, user } = remembered;
  prepare("INSERT INTO remembered (id, user, record) VALUES (?, ?, ?)").run(
    id,
    user,
    JSON.stringify(remembered),
  );
}

export function selectRemembered(prepare: Prepare, user: string | null): Remembered[] {
  return prepare("SELECT record FROM remembered WHERE user IS ?")
    .all(user)
    .map(({ record }) => JSON.parse(String(record)) as Remembered);
}

export function deleteRemembered(prepare: Prepare, id: string, user: string | null): boolean {
  const { changes } = prepare("DELETE FROM remembered WHERE id = ? AND user IS ?").run(id, user);
  return Number(changes) === 1;
}

function parse({ record, revision }: { [column: string]: unknown }): KeptHeldCall {
  return { ...(JSON.parse(String(record)) as KeptHeldCall), revision: Number(revision) };
}
