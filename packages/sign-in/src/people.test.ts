import assert from "node:assert/strict";
import { test } from "node:test";
import type { KeptSignIn, SignInRows } from "@toolplane/core/model/access/sign-in";
import {
  acceptInvitation,
  invitedPerson,
  openDesk,
  type Person,
  passwordProblem,
} from "./people.ts";

/** Rows in memory; of a plane that is `killed` before a change, that change is not made. */
function createRows() {
  const kept = new Map<string, KeptSignIn>();
  const counts = new Map<string, number>();
  const none = { grant: null, account: null, madeAt: 0, usedAt: null, consumedAt: null };
  const rowsOf = (killedBefore: string | null) => {
    const rows: Partial<SignInRows> = {
      async put(kind, id, value, { account = null } = {}) {
        if (killedBefore === `put ${kind}`) throw new Error("killed");
        kept.set(`${kind} ${id}`, { ...none, id, account, value: value as never });
      },
      async change(kind, id, edit) {
        const value = edit((kept.get(`${kind} ${id}`)?.value ?? null) as never);
        if (value !== null) await rows.put?.(kind, id, value);
        return value;
      },
      get: async (kind, id) => (kept.get(`${kind} ${id}`) ?? null) as never,
      list: async (kind) =>
        [...kept].filter(([name]) => name.startsWith(`${kind} `)).map(([, row]) => row) as never,
      async remove(kind, id) {
        if (killedBefore === `remove ${kind}`) throw new Error("killed");
        return kept.delete(`${kind} ${id}`);
      },
      async count(key) {
        counts.set(key, (counts.get(key) ?? 0) + 1);
        return { count: counts.get(key) ?? 0, leftSeconds: 1 };
      },
    };
    return rows as SignInRows;
  };
  /** `later`: the time of the counts is over. */
  return { rows: rowsOf(null), killed: rowsOf, later: () => counts.clear() };
}

const deskPorts = (rows: SignInRows) => ({
  rows,
  revoked: async () => undefined,
  listedClients: async () => ({}),
});

async function invited() {
  const place = createRows();
  const desk = openDesk(deskPorts(place.rows));
  const { url } = await desk.invite({ user: "ann" }, "https://tools.example.org");
  const token = url.split("/").at(-1) ?? "";
  return { ...place, token, person: (await invitedPerson(place.rows, token)) as Person };
}

test("an invitation is used once, also by two at the same time", async () => {
  const { rows, token, person, later } = await invited();
  const both = await Promise.all(
    [1, 2].map((at) => acceptInvitation(rows, token, { ...person, password: `${at}` })),
  );
  assert.deepEqual(both, [true, false]);
  assert.equal(await invitedPerson(rows, token), null);
  later();
  assert.equal(await invitedPerson(rows, token), null);
});

test("an invitation is as it was where the plane was killed before it kept what the person chose", async () => {
  const { rows, killed, token, person, later } = await invited();
  await assert.rejects(acceptInvitation(killed("put Person"), token, person));
  later();
  assert.equal(await acceptInvitation(rows, token, { ...person, password: "x" }), true);
});

test("an invitation is used where the plane was killed after that", async () => {
  const { rows, killed, token, person, later } = await invited();
  await assert.rejects(
    acceptInvitation(killed("remove Invitation"), token, { ...person, password: "x" }),
  );
  later();
  assert.equal(await invitedPerson(rows, token), null);
});

test("an invitation brings back no one who was removed, and nothing that was changed meanwhile", async () => {
  const { rows, token, person, later } = await invited();
  const desk = openDesk(deskPorts(rows));
  const place = "https://tools.example.org";
  await desk.removePerson("ann");
  assert.equal(await acceptInvitation(rows, token, { ...person, password: "x" }), false);
  assert.deepEqual(await desk.people(), []);
  later();

  const { url } = await desk.invite({ user: "ann", groups: ["old"] }, place);
  const first = url.split("/").at(-1) ?? "";
  const before = (await invitedPerson(rows, first)) as Person;
  const newer = await desk.invite({ user: "ann", groups: ["new"] }, place);
  assert.equal(
    await acceptInvitation(rows, first, { ...before, password: "x" }),
    false,
    "the newer one counts",
  );
  const second = newer.url.split("/").at(-1) ?? "";
  assert.equal(await acceptInvitation(rows, second, { ...before, password: "x" }), true);
  const [ann] = await desk.people();
  assert.deepEqual([ann?.groups, ann?.hasPassword], [["new"], true]);
});

test("a password of a size that no one types is refused", async () => {
  assert.match(passwordProblem("short") ?? "", /at least 12 characters/);
  assert.equal(passwordProblem("x".repeat(1_000)), null);
  assert.match(passwordProblem("x".repeat(1_001)) ?? "", /at most 1000 characters/);
});
