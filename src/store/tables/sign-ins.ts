import type { SignInRow, SignInStore } from "../../model/store.ts";
import {
  change,
  changeOne,
  type Database,
  insert,
  query,
  type Row,
  select,
  selectFirst,
  textOrNull,
} from "./database.ts";

const columns =
  "kind, id, grant_id, uid, account, made_at, used_at, consumed_at, expires_at, sealed";
const isAlive = "(expires_at IS NULL OR expires_at > ?)";
/** Rows that are removed in one statement. */
const removedAtOnce = 1_000;

/** What the authorization server keeps; see `SignInStore`. */
export function createSignInTable({ read, write }: Database): SignInStore {
  const changed = { notify: { what: "signIns" } } as const;
  return {
    putSignIn: async (
      { kind, id, grant, uid, account, madeAt, expiresAt, sealed },
      tells = false,
    ) => {
      const row = {
        kind,
        id,
        grant_id: grant,
        uid,
        account,
        made_at: madeAt,
        expires_at: expiresAt,
        sealed,
      };
      const onConflict =
        "ON CONFLICT (kind, id) DO UPDATE SET grant_id = excluded.grant_id, uid = excluded.uid, account = excluded.account, expires_at = excluded.expires_at, sealed = excluded.sealed";
      await write(() => insert("sign_ins", row, onConflict), tells ? changed : {});
    },
    replaceSignIn: ({ kind, id, grant, uid, account, madeAt, expiresAt, sealed }, sealedBefore) =>
      write(() => {
        const columns = { grant_id: grant, uid, account, expires_at: expiresAt, sealed };
        if (sealedBefore === null)
          return insert(
            "sign_ins",
            { kind, id, made_at: madeAt, ...columns },
            "ON CONFLICT (kind, id) DO NOTHING",
          );
        const set = Object.keys(columns).map((name) => `${name} = ?`);
        const sql = `UPDATE sign_ins SET ${set.join(", ")} WHERE kind = ? AND id = ? AND sealed = ?`;
        return changeOne(sql, [...Object.values(columns), kind, id, sealedBefore]);
      }),
    signIn: (kind, id, now) =>
      read(() =>
        selectFirst(
          parse,
          `SELECT ${columns} FROM sign_ins WHERE kind = ? AND id = ? AND ${isAlive}`,
          [kind, id, now],
        ),
      ),
    signIns: ({ kind, grant, account, uid }, now) =>
      read(() =>
        select(
          parse,
          columns,
          "sign_ins",
          [
            ["kind = ?", kind],
            ["grant_id = ?", grant],
            ["account = ?", account],
            ["uid = ?", uid],
            [isAlive, now],
          ],
          { order: "made_at, id" },
        ),
      ),
    consumeSignIn: (kind, id, at) =>
      write(() =>
        changeOne(
          "UPDATE sign_ins SET consumed_at = ? WHERE kind = ? AND id = ? AND consumed_at IS NULL",
          [at, kind, id],
        ),
      ),
    touchSignIn: async (kind, id, at) => {
      const sql =
        "UPDATE sign_ins SET used_at = ? WHERE kind = ? AND id = ? AND (used_at IS NULL OR used_at < ?)";
      await write(() => query(sql, [at, kind, id, at]), { survives: "process" });
    },
    removeSignIn: (kind, id) =>
      write(() => changeOne("DELETE FROM sign_ins WHERE kind = ? AND id = ?", [kind, id])),
    removeGrant: async (grant) => {
      await write(() => query("DELETE FROM sign_ins WHERE grant_id = ?", [grant]));
    },
    forgetSignIns: (now) =>
      write(
        () =>
          change(
            `DELETE FROM sign_ins WHERE (kind, id) IN (SELECT kind, id FROM sign_ins WHERE expires_at <= ? LIMIT ${removedAtOnce})`,
            [now],
          ),
        { survives: "process" },
      ),
  };
}

function parse(row: Row): SignInRow {
  const timeOf = (value: unknown) => (value === null ? null : Number(value));
  return {
    kind: String(row.kind),
    id: String(row.id),
    grant: textOrNull(row.grant_id),
    uid: textOrNull(row.uid),
    account: textOrNull(row.account),
    madeAt: Number(row.made_at),
    usedAt: timeOf(row.used_at),
    consumedAt: timeOf(row.consumed_at),
    expiresAt: timeOf(row.expires_at),
    sealed: row.sealed as Uint8Array,
  };
}
