import { stableJson } from "../../lib/json/stable-json.ts";
import type { HeldFilter, KeptHeldCall, PlanRecord, Remembered } from "../../model/calls/held-call.ts";
import type { Store } from "../../model/store.ts";
import { behindHeld, heldOrders, parseRecord, parseRevised } from "../rows.ts";
import type { Connection } from "./connection.ts";
import { type Condition, type Query, same, where } from "./query.ts";

/** Calls that wait for approval. */
export function createHeldCallTable({ read, write }: Connection) {
  return {
    addHeldCall: (held) => write((query) => insertHeldCall(query, held), notifyOf(held)),
    heldCall: (id) =>
      read(async (query) => {
        const { rows } = await query("SELECT record, revision FROM held_calls WHERE id = $1", [id]);
        return rows[0] ? parseRevised<KeptHeldCall>(rows[0]) : null;
      }),
    heldCalls: (filter = {}, part) =>
      read(async (query) => {
        const { order = "oldest", limit = null, after = null } = part ?? {};
        const { sql, values } = where(...conditionsOf(filter), [behindHeld(order, after), after?.id]);
        const { rows } = await query(
          `SELECT record, revision FROM held_calls ${sql} ORDER BY ${heldOrders[order]} LIMIT $${values.length + 1}::bigint`,
          [...values, limit],
        );
        return rows.map(parseRevised<KeptHeldCall>);
      }),
    countHeldCalls: (filter) =>
      read(async (query) => {
        const { sql, values } = where(...conditionsOf(filter));
        const { rows } = await query(`SELECT count(*) AS count FROM held_calls ${sql}`, values);
        return Number(rows[0]?.count);
      }),
    // Optimistic: of several answers to one call the first wins.
    replaceHeldCall: (held) =>
      write(async (query) => {
        const sql =
          "UPDATE held_calls SET status = $1, record = $2, revision = revision + 1 WHERE id = $3 AND revision = $4";
        const { status, id, revision } = held;
        return (await query(sql, [status, JSON.stringify(held), id, revision])).count === 1;
      }, notifyOf(held)),
  } satisfies Partial<Store>;
}

/** Change plans, and answers that hold for more than one call. */
export function createPlanTable({ read, write }: Connection) {
  return {
    addChange: (held, plan) => write((query) => insertChange(query, held, plan), { lock: "plans", ...notifyOf(held) }),
    plans: () =>
      read(async (query) => {
        const { rows } = await query("SELECT record FROM plans ORDER BY sequence DESC");
        return rows.map(parseRecord<PlanRecord>);
      }),
    closePlan: (id) =>
      write(async (query) => void (await query("UPDATE plans SET is_open = false WHERE id = $1", [id])), {
        lock: "plans",
      }),
    addRemembered: (remembered) =>
      write(async (query) => {
        const { id, user } = remembered;
        const sql = "INSERT INTO remembered (id, user_name, record) VALUES ($1, $2, $3)";
        await query(sql, [id, user, JSON.stringify(remembered)]);
      }),
    remembered: (user) =>
      read(async (query) => {
        const { sql, values } = where([same("user_name"), user]);
        const { rows } = await query(`SELECT record FROM remembered ${sql}`, values);
        return rows.map(parseRecord<Remembered>);
      }),
    forgetRemembered: (id, user) =>
      write(async (query) => {
        const { sql, values } = where(["id = ?", id], [same("user_name"), user]);
        return (await query(`DELETE FROM remembered ${sql}`, values)).count === 1;
      }),
  } satisfies Partial<Store>;
}

function notifyOf({ id }: KeptHeldCall) {
  return { notify: { what: "heldCall", id } } as const;
}

async function insertHeldCall(query: Query, held: KeptHeldCall): Promise<void> {
  await query(
    "INSERT INTO held_calls (id, plan, user_name, status, revision, record) VALUES ($1, $2, $3, $4, $5, $6)",
    [held.id, held.plan, held.principal.user, held.status, held.revision, JSON.stringify(held)],
  );
}

/** Adds the change to the open plan of its owner, or to this new one. */
async function insertChange(query: Query, held: KeptHeldCall, plan: PlanRecord): Promise<string> {
  const owner = stableJson([plan.user, plan.conversation]);
  await query("INSERT INTO plans (id, owner, is_open, record) VALUES ($1, $2, true, $3) ON CONFLICT DO NOTHING", [
    plan.id,
    owner,
    JSON.stringify(plan),
  ]);
  const { rows } = await query("SELECT id FROM plans WHERE owner = $1 AND is_open", [owner]);
  const id = String(rows[0]?.id);
  await insertHeldCall(query, { ...held, plan: id });
  return id;
}

function conditionsOf({ status, plan, user, shownTo }: HeldFilter): Condition[] {
  return [
    ["status = ?", status],
    [same("plan"), plan],
    [same("user_name"), user],
    [`(user_name IS NULL OR ${same("user_name")})`, shownTo],
  ];
}
