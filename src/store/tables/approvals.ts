import { stableJson } from "../../lib/json/stable-json.ts";
import type { HeldFilter, HeldOrder, HeldPart, KeptHeldCall } from "../../model/calls/held-call.ts";
import type { PlanRecord, RememberedApproval } from "../../model/calls/held-schema.ts";
import type { Store } from "../../model/store.ts";
import {
  type Condition,
  changeOne,
  type Database,
  equalOrNull,
  insert,
  parseRecord,
  query,
  replaceRevised,
  select,
  selectFirst,
  selectNumber,
  selectRows,
  type Work,
  where,
} from "./database.ts";
import { type SealedRecords, sealedRecords } from "./sealed.ts";

const heldCalls = "held_calls";

/** Calls that wait for approval. */
export function createHeldCallTable(database: Database) {
  const { read, write } = database;
  const sealed = sealedRecords(database, heldCalls);
  return {
    addHeldCall: (call) => write(() => insertHeldCall(sealed, call), notifyOf(call)),
    heldCall: (id) =>
      read(() =>
        selectFirst(
          sealed.one<KeptHeldCall>,
          "SELECT id, record, revision FROM held_calls WHERE id = ?",
          [id],
        ),
      ),
    heldCalls: (filter = {}, part) =>
      read(function* () {
        const { order = "oldest", limit, after = null }: Partial<HeldPart> = part ?? {};
        const conditions = [
          ...conditionsOf(filter),
          [sequenceAfter(order, after), after?.id] as const,
        ];
        const page = { order: orders[order], limit };
        const columns = "id, record, revision";
        const rows = yield* select((row) => row, columns, heldCalls, conditions, page);
        return sealed.several<KeptHeldCall>(rows);
      }),
    countHeldCalls: (filter) =>
      read(() => {
        const { sql, values } = where(...conditionsOf(filter));
        return selectNumber(`SELECT count(*) FROM held_calls ${sql}`, values);
      }),
    // Of several answers to one call the first wins.
    replaceHeldCall: (call) =>
      write(() => {
        const { id, revision, status } = call;
        return replaceRevised(
          "held_calls",
          { id, revision },
          { status, record: sealed.text(id, call) },
        );
      }, notifyOf(call)),
  } satisfies Partial<Store>;
}

/** Change plans, and answers that hold for more than one call. */
export function createPlanTable(database: Database) {
  const { read, write } = database;
  const sealed = sealedRecords(database, heldCalls);
  const lock = "plans";
  return {
    // Who closes a plan waits for changes that are under way, and they for that. Among themselves they do not wait.
    addChange: (call, plan) =>
      write(() => insertChange(sealed, call, plan), { lock, isShared: true, ...notifyOf(call) }),
    plans: () =>
      read(() =>
        selectRows(parseRecord<PlanRecord>, "SELECT record FROM plans ORDER BY sequence DESC"),
      ),
    closePlan: async (id) =>
      void (await write(() => query("UPDATE plans SET is_open = false WHERE id = ?", [id]), {
        lock,
      })),
    addRemembered: async (remembered) => {
      const { id, user } = remembered;
      await write(() =>
        insert("remembered", { id, user_name: user, record: JSON.stringify(remembered) }),
      );
    },
    remembered: (user) =>
      read(() =>
        select(
          parseRecord<RememberedApproval>,
          "record",
          "remembered",
          [[equalOrNull("user_name"), user]],
          { order: "id" },
        ),
      ),
    forgetRemembered: (id, user) =>
      write(() => {
        const { sql, values } = where(["id = ?", id], [equalOrNull("user_name"), user]);
        return changeOne(`DELETE FROM remembered ${sql}`, values);
      }),
  } satisfies Partial<Store>;
}

function notifyOf({ id }: KeptHeldCall) {
  return { notify: { what: "heldCall", id } } as const;
}

function* insertHeldCall(sealed: SealedRecords, call: KeptHeldCall): Work<void> {
  const { id, plan, principal, status, revision } = call;
  yield* insert("held_calls", {
    id,
    plan,
    user_name: principal.user,
    status,
    revision,
    record: sealed.text(id, call),
  });
}

/** Adds the change to the open plan of its owner, or to this new one. */
function* insertChange(sealed: SealedRecords, call: KeptHeldCall, plan: PlanRecord): Work<string> {
  const owner = stableJson([plan.owner ?? plan.user, plan.conversation]);
  const columns = { id: plan.id, owner, is_open: true, record: JSON.stringify(plan) };
  yield* insert("plans", columns, "ON CONFLICT DO NOTHING");
  const id = yield* selectFirst(
    (row) => String(row.id),
    "SELECT id FROM plans WHERE owner = ? AND is_open = true",
    [owner],
  );
  yield* insertHeldCall(sealed, { ...call, plan: id });
  return String(id);
}

const orders: Record<HeldOrder, string> = {
  oldest: "sequence",
  newest: "sequence DESC",
  pending: "status <> 'pending', sequence DESC",
};

/** The condition for what comes after the held call whose id is given. */
function sequenceAfter(order: HeldOrder, after: HeldPart["after"]): string {
  const lastSequence = "(SELECT sequence FROM held_calls WHERE id = ?)";
  if (order === "oldest") return `sequence > ${lastSequence}`;
  if (order === "newest") return `sequence < ${lastSequence}`;
  return `(status <> 'pending' ${after?.waits ? "OR" : "AND"} sequence < ${lastSequence})`;
}

function conditionsOf({ status, plan, user, shownTo }: HeldFilter): Condition[] {
  return [
    ["status = ?", status],
    [equalOrNull("plan"), plan],
    [equalOrNull("user_name"), user],
    [`(user_name IS NULL OR ${equalOrNull("user_name")})`, shownTo],
  ];
}
