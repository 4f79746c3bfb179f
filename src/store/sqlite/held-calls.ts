import { stableJson } from "../../lib/stable-json.ts";
import type { HeldFilter, KeptHeldCall, PlanRecord, Remembered } from "../../model/held-call.ts";
import type { Store } from "../../model/store.ts";
import { behindHeld, heldOrders, parseRecord, parseRevised } from "../rows.ts";
import { type Condition, type Connection, didChange, type Prepare, where } from "./connection.ts";

/** Calls that wait for approval. */
export function createHeldCallTable({ read, write }: Connection) {
  return {
    addHeldCall: (held) => write((prepare) => insertHeldCall(prepare, held)),
    heldCall: (id) =>
      read((prepare) => {
        const row = prepare("SELECT record, revision FROM held_calls WHERE id = ?").get(id);
        return row ? parseRevised<KeptHeldCall>(row) : null;
      }),
    heldCalls: (filter = {}, part) =>
      read((prepare) => {
        const { order = "oldest", limit = -1, after = null } = part ?? {};
        const { sql, values } = where(...conditionsOf(filter), [behindHeld(order, after), after?.id]);
        return prepare(`SELECT record, revision FROM held_calls ${sql} ORDER BY ${heldOrders[order]} LIMIT ?`)
          .all(...values, limit)
          .map(parseRevised<KeptHeldCall>);
      }),
    countHeldCalls: (filter) =>
      read((prepare) => {
        const { sql, values } = where(...conditionsOf(filter));
        return Number(prepare(`SELECT count(*) AS count FROM held_calls ${sql}`).get(...values)?.count);
      }),
    // Optimistic: of several answers to one call the first wins.
    replaceHeldCall: (held) =>
      write((prepare) => {
        const sql =
          "UPDATE held_calls SET status = ?, record = ?, revision = revision + 1 WHERE id = ? AND revision = ?";
        return didChange(prepare(sql).run(held.status, JSON.stringify(held), held.id, held.revision));
      }),
  } satisfies Partial<Store>;
}

/** Change plans, and answers that hold for more than one call. */
export function createPlanTable({ read, write }: Connection) {
  return {
    addChange: (held, plan) => write((prepare) => insertChange(prepare, held, plan)),
    plans: () =>
      read((prepare) =>
        prepare("SELECT record FROM plans ORDER BY sequence DESC")
          .all()
          .map(parseRecord<PlanRecord>),
      ),
    closePlan: (id) => write((prepare) => void prepare("UPDATE plans SET is_open = 0 WHERE id = ?").run(id)),
    addRemembered: (remembered) =>
      write((prepare) => {
        const insert = prepare("INSERT INTO remembered (id, user, record) VALUES (?, ?, ?)");
        insert.run(remembered.id, remembered.user, JSON.stringify(remembered));
      }),
    remembered: (user) =>
      read((prepare) =>
        prepare("SELECT record FROM remembered WHERE user IS ?")
          .all(user)
          .map(parseRecord<Remembered>),
      ),
    forgetRemembered: (id, user) =>
      write((prepare) =>
        didChange(prepare("DELETE FROM remembered WHERE id = ? AND user IS ?").run(id, user)),
      ),
  } satisfies Partial<Store>;
}

function insertHeldCall(prepare: Prepare, held: KeptHeldCall): void {
  const { id, plan, principal, status, revision } = held;
  prepare("INSERT INTO held_calls (id, plan, user, status, revision, record) VALUES (?, ?, ?, ?, ?, ?)").run(
    ...[id, plan, principal.user, status, revision, JSON.stringify(held)],
  );
}

/** Adds the change to the open plan of its owner, or to this new one. */
function insertChange(prepare: Prepare, held: KeptHeldCall, plan: PlanRecord): string {
  const owner = stableJson([plan.user, plan.conversation]);
  const insert = "INSERT INTO plans (id, owner, is_open, record) VALUES (?, ?, 1, ?) ON CONFLICT DO NOTHING";
  prepare(insert).run(plan.id, owner, JSON.stringify(plan));
  const row = prepare("SELECT id FROM plans WHERE owner = ? AND is_open = 1").get(owner);
  const id = String(row?.id);
  insertHeldCall(prepare, { ...held, plan: id });
  return id;
}

function conditionsOf({ status, plan, user, shownTo }: HeldFilter): Condition[] {
  return [
    ["status = ?", status],
    ["plan IS ?", plan],
    ["user IS ?", user],
    ["(user IS NULL OR user IS ?)", shownTo],
  ];
}
