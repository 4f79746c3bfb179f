import assert from "node:assert/strict";
import type { SignInRow } from "../../src/model/store.ts";
import type { Promises } from "./opened-store.ts";

type Put = Omit<SignInRow, "usedAt" | "consumedAt">;

const now = 1_800_000_000_000;
const row = (id: string, more: Partial<Put> = {}): Put => ({
  kind: "Code",
  id,
  grant: null,
  uid: null,
  account: null,
  madeAt: now,
  expiresAt: now + 60_000,
  sealed: Uint8Array.from([0, 255, 7]),
  ...more,
});

export const signInPromises: Promises = {
  "gives a record of a sign-in back until it is over": async ({ store, reopen }) => {
    await store.putSignIn(row("a", { grant: "g", uid: "u", account: "ann" }));
    const again = await reopen();
    const found = await again.signIn("Code", "a", now);
    assert.deepEqual(found && { ...found, sealed: [...found.sealed] }, {
      ...row("a", { grant: "g", uid: "u", account: "ann" }),
      sealed: [0, 255, 7],
      usedAt: null,
      consumedAt: null,
    });
    assert.equal(await again.signIn("Token", "a", now), null);
    assert.equal(await again.signIn("Code", "a", now + 60_000), null);
  },

  "lets one of several use a record up, and keeps that when it is written again": async ({
    store,
  }) => {
    await store.putSignIn(row("a"));
    const used = await Promise.all([1, 2, 3].map(() => store.consumeSignIn("Code", "a", now + 1)));
    assert.deepEqual(used.toSorted(), [false, false, true]);
    await store.putSignIn(row("a", { account: "ann" }));
    assert.equal((await store.signIn("Code", "a", now))?.consumedAt, now + 1);
    assert.equal(await store.consumeSignIn("Code", "never", now), false);
  },

  "replaces a record only where it is as it was read": async ({ store }) => {
    const [first, second] = [Uint8Array.from([1]), Uint8Array.from([2])];
    assert.deepEqual(
      [
        await store.replaceSignIn(row("a", { sealed: first }), null),
        await store.replaceSignIn(row("a"), null),
      ],
      [true, false],
    );
    const changed = await Promise.all(
      [1, 2, 3].map(() => store.replaceSignIn(row("a", { sealed: second, uid: "u" }), first)),
    );
    assert.deepEqual(changed.toSorted(), [false, false, true]);
    assert.equal((await store.signIn("Code", "a", now))?.uid, "u");
    await store.removeSignIn("Code", "a");
    assert.equal(
      await store.replaceSignIn(row("a"), second),
      false,
      "what was removed does not come back",
    );
  },

  "lists records by what they belong to, oldest first, and notes when one was used": async ({
    store,
  }) => {
    await store.putSignIn(row("b", { account: "ann", madeAt: now + 2 }));
    await store.putSignIn(row("a", { account: "ann", madeAt: now + 1, uid: "u" }));
    await store.putSignIn(row("c", { account: "bob", expiresAt: null }));
    const idsOf = async (filter: object) =>
      (await store.signIns({ kind: "Code", ...filter }, now)).map(({ id }) => id);
    assert.deepEqual(await idsOf({ account: "ann" }), ["a", "b"]);
    assert.deepEqual(await idsOf({ uid: "u" }), ["a"]);
    assert.deepEqual(await idsOf({}), ["c", "a", "b"]);
    await store.touchSignIn("Code", "a", now + 5);
    await store.touchSignIn("Code", "a", now + 3);
    assert.equal((await store.signIn("Code", "a", now))?.usedAt, now + 5, "it never moves back");
  },

  "removes one record, all of a grant, and what is over": async ({ store }) => {
    for (const id of ["a", "b"]) await store.putSignIn(row(id, { grant: "g" }));
    await store.putSignIn(row("c"));
    await store.putSignIn(row("d", { expiresAt: null }));
    assert.deepEqual(
      [await store.removeSignIn("Code", "a"), await store.removeSignIn("Code", "a")],
      [true, false],
    );
    await store.removeGrant("g");
    assert.equal(await store.signIn("Code", "b", now), null);
    assert.equal(await store.forgetSignIns(now + 60_000), 1);
    assert.equal(await store.forgetSignIns(now + 60_000), 0);
    assert.equal((await store.signIn("Code", "d", now + 60_000))?.id, "d");
  },
};
