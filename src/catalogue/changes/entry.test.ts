import assert from "node:assert/strict";
import { test } from "node:test";
import { principalOf } from "../../model/principal.ts";
import { everyone, maySee, narrower } from "./entry.ts";

const ada = principalOf({ user: "ada", groups: ["ops"], persona: "Atlas" });
const bob = principalOf({ user: "bob" });

test("groups, the owner and the list of personas decide who may see a change", () => {
  const seenBy = (audience: Partial<typeof everyone>) =>
    [ada, bob].map((principal) => maySee(principal, { ...everyone, ...audience }));
  assert.deepEqual(seenBy({}), [true, true]);
  assert.deepEqual(seenBy({ groups: ["ops", "other"] }), [true, false]);
  assert.deepEqual(seenBy({ persona: "Atlas" }), [true, false]);
  assert.deepEqual(seenBy({ persona: "Nova" }), [false, false]);
  assert.deepEqual(seenBy({ personas: ["Atlas"] }), [true, false]);
  assert.deepEqual(seenBy({ personas: [] }), [false, false]);
});

test("a change of who may see it is shown only to those who may before and after", () => {
  const only = (...personas: string[]) => ({ ...everyone, personas });
  assert.deepEqual(narrower(only("A", "B"), only("B", "C")), only("B"));
  assert.deepEqual(narrower(only("A"), everyone), only("A"));
  assert.deepEqual(narrower(everyone, only("A")), only("A"));
  assert.deepEqual(narrower(undefined, only("A")), only("A"));
  assert.deepEqual(narrower(everyone, everyone), everyone);
});

test("a change is hidden from other workspaces, and from those who may see no server it leads to", () => {
  const red = { ...bob, workspace: "red" };
  const of = (audience: Partial<typeof everyone>) => ({ ...everyone, ...audience });
  assert.deepEqual(
    [maySee(red, of({ workspaces: ["red"] })), maySee(bob, of({ workspaces: ["red"] }))],
    [true, false],
  );
  const onlyOpen = (server: string) => server === "open";
  assert.equal(maySee(bob, of({ servers: ["hr", "open"] }), onlyOpen), true);
  assert.equal(maySee(bob, of({ servers: ["hr"] }), onlyOpen), false);
  assert.deepEqual(
    narrower(of({ servers: ["hr"] }), of({ servers: ["open"] })),
    of({ servers: [] }),
  );
  assert.deepEqual(narrower(of({ servers: ["hr"] }), everyone), of({ servers: ["hr"] }));
  assert.deepEqual(narrower(everyone, of({ workspaces: ["red"] })), of({ workspaces: ["red"] }));
});
