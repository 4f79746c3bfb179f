import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServerConnection } from "./connection.ts";
import { initialFacts } from "./connection-state.ts";
import { createServerSessions, maxSessions, type SessionOwner, sharedOwner } from "./sessions.ts";

type Sharing = "shared" | "principal" | "conversation";

/** Sessions whose connections are open from the start and remember why they were closed. */
function sample(sharing: Sharing) {
  const created: { owner: SessionOwner; reasons: string[] }[] = [];
  const world = { sharing, inUse: new Set<string>(), facts: initialFacts, isOpen: true };
  const sessions = createServerSessions({ sharing: () => world.sharing }, (owner) => {
    const reasons: string[] = [];
    created.push({ owner, reasons });
    const isOpen = () => reasons.length === 0;
    return {
      facts: () => world.facts,
      live: () => (isOpen() && world.isOpen ? {} : null),
      requirement: () => null,
      isInUse: () => world.inUse.has(JSON.stringify(owner)),
      close: async (reason: string) => void reasons.push(reason),
    } as unknown as ServerConnection;
  });
  return { sessions, created, world };
}

const ada = { user: "ada", conversation: "a1" };
const adaLater = { user: "ada", conversation: "a2" };
const bob = { user: "bob", conversation: "b1" };
const anonymousTalking = { user: null, conversation: "n1" };

for (const [sharing, distinct] of [
  ["shared", 1],
  ["principal", 3],
  ["conversation", 5],
] as const) {
  test(`sessions by '${sharing}' are as many as that asks for`, () => {
    const { sessions } = sample(sharing);
    const owners = [sharedOwner, ada, adaLater, bob, anonymousTalking];
    const connections = owners.map(sessions.of);
    assert.equal(new Set(connections).size, distinct);
    assert.equal(connections[0], sessions.main);
    assert.deepEqual(owners.map(sessions.of), connections);
    assert.equal(sessions.all().length, distinct);
  });
}

test("names that look alike together are not the same owner", () => {
  const { sessions } = sample("conversation");
  const one = sessions.of({ user: "a", conversation: 'b","x' });
  const other = sessions.of({ user: 'a","b', conversation: "x" });
  assert.notEqual(one, other);
});

test("how sessions are shared is asked each time", () => {
  const { sessions, world } = sample("shared");
  assert.equal(sessions.of(ada), sessions.main);
  world.sharing = "principal";
  assert.notEqual(sessions.of(ada), sessions.main);
});

test("those of some owners are released with the reason, counted if they were open, and forgotten", async () => {
  const { sessions, created } = sample("conversation");
  const first = sessions.of(ada);
  const later = sessions.of(adaLater);
  sessions.of(bob);
  await later?.close("lost");
  assert.equal(await sessions.release(({ user }) => user === "ada", "signed out"), 1);
  assert.deepEqual(
    created.map(({ reasons }) => reasons),
    [[], ["signed out"], ["lost", "signed out"], []],
  );
  assert.notEqual(sessions.of(ada), first);
  assert.equal(await sessions.release(({ user }) => user === "carol", "x"), 0);
});

test("the shared session cannot be released", async () => {
  const { sessions, created } = sample("principal");
  assert.equal(await sessions.release(() => true, "x"), 0);
  assert.deepEqual(created[0]?.reasons, []);
});

test("all are closed together and counted", async () => {
  const { sessions } = sample("principal");
  for (const owner of [ada, bob]) sessions.of(owner);
  assert.equal(await sessions.close("cleared"), 3);
  assert.equal(sessions.all().length, 1);
  assert.equal(await sessions.close("cleared"), 0);
});

test("a session that is over by itself is forgotten, and its owner gets another", () => {
  const { sessions, created } = sample("principal");
  const first = sessions.of(ada);
  sessions.drop(created[1]?.owner ?? assert.fail());
  assert.equal(sessions.all().length, 1);
  assert.notEqual(sessions.of(ada), first);
});

const conversation = (at: number) => ({ user: null, conversation: `c${at}` });

test("new conversations take the place of those that were not used for longest, and never of one in use", () => {
  const { sessions, created, world } = sample("conversation");
  for (let at = 0; at < maxSessions; at += 1) sessions.of(conversation(at));
  world.inUse.add(JSON.stringify(conversation(0)));
  const second = sessions.of(conversation(1));
  assert.ok(sessions.of(conversation(maxSessions)));
  assert.equal(sessions.all().length, maxSessions + 1, "with the shared one");
  assert.deepEqual(
    created.filter(({ reasons }) => reasons.length > 0).map(({ owner }) => owner),
    [conversation(2)],
  );
  assert.equal(sessions.of(conversation(1)), second);
});

test("where all sessions are in use there is no other", () => {
  const { sessions, world } = sample("conversation");
  for (let at = 0; at < maxSessions; at += 1) {
    world.inUse.add(JSON.stringify(conversation(at)));
    sessions.of(conversation(at));
  }
  assert.equal(sessions.of(conversation(maxSessions)), undefined);
  assert.ok(sessions.of(conversation(3)));
});

test("sessions that could not be opened are forgotten once they may be tried again", () => {
  const { sessions, world } = sample("conversation");
  world.isOpen = false;
  world.facts = { ...initialFacts, cooldownUntil: Date.now() + 60_000 };
  for (let at = 0; at < 5; at += 1) sessions.of(conversation(at));
  assert.equal(sessions.all().length, 6, "they are left alone as long as they back off");
  world.facts = initialFacts;
  sessions.of(conversation(5));
  assert.equal(sessions.all().length, 2);
});

test("looking for a session makes none", () => {
  const { sessions } = sample("principal");
  assert.equal(sessions.find(ada), undefined);
  assert.equal(sessions.find(sharedOwner), sessions.main);
  assert.equal(sessions.all().length, 1);
});
