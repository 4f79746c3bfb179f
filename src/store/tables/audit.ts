import type { AuditRecord } from "../../model/audit.ts";
import type { Store } from "../../model/store.ts";
import { hashAfter } from "../call-chain.ts";
import { type Chained, deleteBefore, lastHash, verify } from "./chained.ts";
import { type Database, first, newestFirst, parseRecord, same, type Work } from "./database.ts";

const chained: Chained<AuditRecord> = {
  table: "audit",
  checkpoints: "audit_checkpoints",
  columns: {
    operation: ({ operation }) => operation,
    target: ({ target }) => target,
    user_name: ({ user }) => user,
  },
};

/** What changed something, in a hash chain of its own. */
export function createAuditTable(database: Database) {
  const { read, write } = database;
  return {
    audited: (id) => read(() => first(parseRecord<AuditRecord>, "SELECT record FROM audit WHERE id = ?", [id])),
    audit: (filter = {}) =>
      read(() =>
        newestFirst(
          parseRecord<AuditRecord>,
          "audit",
          [
            ["operation = ?", filter.operation],
            ["target = ?", filter.target],
            [same("user_name"), filter.user],
          ],
          filter,
        ),
      ),
    verifyAudit: (head) => verify(database, chained, head),
    forgetAudit: (before) => write(() => deleteBefore(chained, before), { lock: "journal" }),
  } satisfies Partial<Store>;
}

export function* insertAudit(database: Database, records: readonly AuditRecord[]): Work<void> {
  if (records.length === 0) return;
  let hash = yield* lastHash(chained);
  const rows = records.map((one) => {
    const { id, at, operation, target, user } = one;
    const record = JSON.stringify(one);
    hash = hashAfter(hash, record);
    return { id, at, operation, target, user_name: user, record, hash };
  });
  yield* database.insertRows("audit", rows);
}
