import { stableJson } from "../../lib/stable-json.ts";
import type { HeldFilter, KeptHeldCall, PlanRecord, Remembered } from "../../model/held-call.ts";
import type { HeldPart } from "../../model/held-order.ts";
import { behindHeld, heldOrders } from "../held-order.ts";
import { type Condition, parseRecord, type Query, type Row, same, where } from "./query.ts";

export async function insertHeldCall(query: Query, held: KeptHeldCall): Promise<void> {
  await query(
    "INSERT INTO held_calls (id, plan, user_name, status, revision, record) VALUES ($1, $2, $3, $4, $5, $6)",
    [held.id, held.plan, held.principal.user, held.status, held.revision, JSON.stringify(held)],
  );
}

/** A change and the plan it belongs to: the open one of its owner, or this new one. */
export async function insertChange(query: Query, held: KeptHeldCall, plan: PlanRecord): Promise<string> {
  const owner = stableJson([plan.user, plan.conversation]);
  await query(
    "INSERT INTO plans (id, owner, is_open, record) VALUES ($1, $2, true, $3) ON CONFLICT DO NOTHING",
    [plan.id, owner, JSON.stringify(plan)],
  );
  const { rows } = await query("SELECT id FROM plans WHERE owner = $1 AND is_open", [owner]);
  const id = String(rows[0]?.id);
  await insertHeldCall(query, { ...held, plan: id });
  return id;
}

export async function selectHeldCall(query: Query, id: string): Promise<KeptHeldCall | null> {
  const { rows } = await query("SELECT record, revision FROM held_calls WHERE id = $1", [id]);
  return rows[0] ? parse(rows[0]) : null;
}

/** In the order in which they were asked, or a part of them in another. */
export async function selectHeldCalls(
  query: Query,
  filter: HeldFilter,
  part?: HeldPart,
): Promise<KeptHeldCall[]> {
  const { order = "oldest", limit = null, after = null } = part ?? {};
  const { sql, values } = where(...conditionsOf(filter), [behindHeld(order, after), after?.id]);
  const { rows } = await query(
    `SELECT record, revision FROM held_calls ${sql} ORDER BY ${heldOrders[order]} LIMIT $${values.length + 1}::bigint`,
    [...values, limit],
  );
  return rows.map(parse);
}

export async function countHeldCalls(query: Query, filter: HeldFilter): Promise<number> {
  const { sql, values } = where(...conditionsOf(filter));
  const { rows } = await query(`SELECT count(*) AS count FROM held_calls ${sql}`, values);
  return Number(rows[0]?.count);
}

function conditionsOf({ status, plan, user, shownTo }: HeldFilter): Condition[] {
  return [
    ["status = ?", status],
    [same("plan"), plan],
    [same("user_name"), user],
    [`(user_name IS NULL OR ${same("user_name")})`, shownTo],
  ];
}

/** Only what is still as it was read: of several who answer, one does. */
export async function updateHeldCall(query: Query, held: KeptHeldCall): Promise<boolean> {
  const { count } = await query(
    "UPDATE held_calls SET status = $1, record = $2, revision = revision + 1 WHERE id = $3 AND revision = $4",
    [held.status, JSON.stringify(held), held.id, held.revision],
  );
  return count === 1;
}

export async function selectPlans(query: Query): Promise<PlanRecord[]> {
  const { rows } = await query("SELECT record FROM plans ORDER BY sequence DESC");
  return rows.map((row) => parseRecord(row));
}

/** What is queued from now on is another plan. */
export async function closePlan(query: Query, id: string): Promise<void> {
  await query("UPDATE plans SET is_open = false WHERE id = $1", [id]);
}

export async function insertRemembered(query: Query, remembered: Remembered): Promise<void> {
  const { id, user } = remembered;
  await query("INSERT INTO remembered (id, user_name, record) VALUES ($1, $2, $3)", [
    id,
    user,
    JSON.stringify(remembered),
  ]);
}

export async function selectRemembered(query: Query, user: string | null): Promise<Remembered[]> {
  const { sql, values } = where([same("user_name"), user]);
  const { rows } = await query(`SELECT record FROM remembered ${sql}`, values);
  return rows.map((row) => parseRecord(row));
}

export async function deleteRemembered(query: Query, id: string, user: string | null): Promise<boolean> {
  const { sql, values } = where(["id = ?", id], [same("user_name"), user]);
  return (await query(`DELETE FROM remembered ${sql}`, values)).count === 1;
}

/** The column knows how often it was changed; the text was written before that. */
function parse(row: Row): KeptHeldCall {
  return { ...parseRecord<KeptHeldCall>(row), revision: Number(row.revision) };
}
