import assert from "node:assert/strict";
import { test } from "node:test";
import { groupHeld, matchesSearch, summaryOf } from "./group-held.ts";

const heldCall = (tool: string, user: string | null, conversation?: string, shown: object = {}) =>
  ({
    tool,
    principal: { user },
    options: conversation === undefined ? {} : { conversation },
    shown,
  }) as never;

test("calls that wait are grouped in the order of the first of each group", () => {
  const items = [
    heldCall("b.x", "ann", "c1"),
    heldCall("a.x", "bob"),
    heldCall("b.x", null, "c1"),
  ].map((one) => ({ heldCall: one }));
  const groups = (by: Parameters<typeof groupHeld>[1]) =>
    groupHeld(items, by).map(({ name, items: of }) => [name, of.length]);
  assert.deepEqual(groups("tool"), [
    ["b.x", 2],
    ["a.x", 1],
  ]);
  assert.deepEqual(groups("conversation"), [
    ["c1", 2],
    ["Without a conversation", 1],
  ]);
  assert.deepEqual(groups("caller"), [
    ["ann", 1],
    ["bob", 1],
    ["anonymous", 1],
  ]);
  assert.deepEqual(groups("none"), [["", 3]]);
});

test("a call is found by words of its tool, caller and arguments", () => {
  const one = heldCall("mail.send", "ann", "c1", { to: "Bob", lines: [1, 2] });
  for (const words of ["", "SEND", "mail bob", "ann c1"])
    assert.ok(matchesSearch(one, words), words);
  assert.ok(!matchesSearch(one, "mail carol"));
  assert.equal(summaryOf(one), "to: Bob · lines: [1,2]");
});
