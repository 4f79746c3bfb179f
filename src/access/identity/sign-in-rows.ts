import { createHash } from "node:crypto";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import type { KeptSignIn, SignInPlaces, SignInRows } from "../../model/access/sign-in.ts";
import { PlaneError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";
import type { SignInRow, Store } from "../../model/store.ts";
import type { Vault } from "../../servers/servers.ts";

/** Others may be quicker so often. */
const maxTurns = 20;

type Ports = { store(): Promise<Store>; vault(): Promise<Vault>; now?(): number };

/** Codes and tokens are their own ids, so the store has the hash of an id, and the rest sealed under it. */
export function createSignInRows({ store, vault, now = Date.now }: Ports): SignInRows {
  const nameOf = (kind: string, id: string) => `sign-in/${kind}/${id}`;

  async function unseal<T>(row: SignInRow | null): Promise<KeptSignIn<T> | null> {
    if (row === null) return null;
    const opened = await (await vault()).open(nameOf(row.kind, row.id), row.sealed);
    // Sealed with another key: as good as none.
    if (opened === null) return null;
    const { id, value } = opened.value as { id: string; value: T };
    const { grant, account, madeAt, usedAt, consumedAt } = row;
    return { id, value, grant, account, madeAt, usedAt, consumedAt };
  }

  return {
    async put(kind, id, value, { grant = null, uid = null, account = null, seconds, tells } = {}) {
      const hashed = hash(id);
      const sealed = await (await vault()).seal(nameOf(kind, hashed), { id, value });
      const expiresAt = seconds === undefined ? null : Math.ceil(now() + seconds * 1_000);
      const row = {
        kind,
        id: hashed,
        grant,
        uid: uid === null ? null : hash(uid),
        account,
        madeAt: now(),
      };
      await (await store()).putSignIn({ ...row, expiresAt, sealed }, tells);
    },
    async change<T extends object>(
      kind: string,
      id: string,
      edit: (before: T | null) => T | null,
      about: (value: T) => SignInPlaces = () => ({}),
    ) {
      const hashed = hash(id);
      for (let turn = 0; turn < maxTurns; turn += 1) {
        const row = await (await store()).signIn(kind, hashed, now());
        const value = edit((await unseal<T>(row))?.value ?? null);
        if (value === null) return null;
        const { grant = null, uid = null, account = null } = about(value);
        const sealed = await (await vault()).seal(nameOf(kind, hashed), { id, value });
        const places = { grant, uid: uid === null ? null : hash(uid), account };
        const replacement = { kind, id: hashed, madeAt: now(), expiresAt: null, ...places, sealed };
        if (await (await store()).replaceSignIn(replacement, row?.sealed ?? null)) return value;
      }
      throw new PlaneError(
        "CONFLICT",
        "It is being changed from elsewhere all the time. Try again.",
      );
    },
    get: async <T = JsonObject>(kind: string, id: string) =>
      unseal<T>(await (await store()).signIn(kind, hash(id), now())),
    async list<T = JsonObject>(
      kind: string,
      { grant, uid, account }: Parameters<SignInRows["list"]>[1] = {},
    ) {
      const filter = {
        kind,
        ...withoutUndefined({ grant: grant ?? undefined, account: account ?? undefined }),
        ...(uid == null ? {} : { uid: hash(uid) }),
      };
      const rows = await (await store()).signIns(filter, now());
      return (await Promise.all(rows.map((row) => unseal<T>(row)))).filter((row) => row !== null);
    },
    consume: async (kind, id) => (await store()).consumeSignIn(kind, hash(id), now()),
    touch: async (kind, id) => (await store()).touchSignIn(kind, hash(id), now()),
    remove: async (kind, id) => (await store()).removeSignIn(kind, hash(id)),
    removeGrant: async (grant) => (await store()).removeGrant(grant),
    count: async (key, seconds, by = 1) =>
      (await store()).changeShared(`sign-in/${hash(key)}`, seconds * 1_000, (before, now) => {
        // The time of what is kept begins again with each change; that of a pause does not, or tries would hold it up.
        const isOver = before === null || now >= Number(before.endsAt);
        const running = isOver ? { endsAt: now + seconds * 1_000, count: 0 } : before;
        const endsAt = Number(running.endsAt);
        const count = Math.max(0, Number(running.count) + by);
        const leftSeconds = Math.max(1, Math.ceil((endsAt - now) / 1_000));
        return { value: count === 0 ? null : { count, endsAt }, answer: { count, leftSeconds } };
      }),
  };
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
