import type { AuditRecord } from "../../model/audit-schema.ts";
import type { ChainHeads, Store } from "../../model/store.ts";
import { hashAfter } from "../call-chain.ts";
import { type Chained, deleteBefore, lastHash } from "./chained.ts";
import {
  type Database,
  equalOrNull,
  newestFirst,
  parseRecord,
  selectFirst,
  selectNumber,
  type Work,
} from "./database.ts";
import { sealRemoval } from "./removal-seals.ts";
import { verify } from "./verify-chain.ts";

export const changesChain: Chained<AuditRecord> = {
  table: "audit",
  checkpoints: "audit_checkpoints",
  stream: "0",
  columns: {
    operation: ({ operation }) => operation,
    target: ({ target }) => target,
    user_name: ({ user }) => user,
  },
};

/** What changed something, in a hash chain of its own. */
export function createAuditTable(database: Database) {
  const { read, write } = database;
  const chain = changesChain as Chained<never>;
  return {
    audited: (id) =>
      read(() =>
        selectFirst(parseRecord<AuditRecord>, "SELECT record FROM audit WHERE id = ?", [id]),
      ),
    audit: (filter = {}) =>
      read(() =>
        newestFirst(
          parseRecord<AuditRecord>,
          "audit",
          [
            ["operation = ?", filter.operation],
            ["target = ?", filter.target],
            [equalOrNull("user_name"), filter.user],
          ],
          filter,
        ),
      ),
    verifyAudit: (options) => verify(database, changesChain, options),
    forgetAudit: (before) =>
      write(() => sealRemoval(database, chain, deleteBefore(chain, before)), { lock: "journal" }),
  } satisfies Partial<Store>;
}

export function* insertAudit(
  database: Database,
  records: readonly AuditRecord[],
): Work<ChainHeads> {
  const newest = records.at(-1);
  if (newest === undefined) return {};
  let hash = yield* lastHash(changesChain);
  const rows = records.map((change) => {
    const { id, at, operation, target, user } = change;
    const record = JSON.stringify(change);
    hash = hashAfter(hash, record);
    return { id, at, operation, target, user_name: user, record, hash };
  });
  yield* database.insertRows("audit", rows);
  const sequence = yield* selectNumber("SELECT max(sequence) FROM audit");
  return { changes: { sequence, hash, at: newest.at } };
}
