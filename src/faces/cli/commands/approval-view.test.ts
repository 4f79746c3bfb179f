import assert from "node:assert/strict";
import { test } from "node:test";
import { renderArguments } from "./approvals.ts";

const shown = (args: Parameters<typeof renderArguments>[0]) => renderArguments(args, "");

test("arguments stand one on a line, in the order of their names", () => {
  assert.deepEqual(shown({ text: "two words", key: "k", deep: { b: 1, a: [true] } }), [
    'deep: {"a":[true],"b":1}',
    "key: k",
    "text: two words",
  ]);
  assert.deepEqual(shown({}), ["none"]);
});

test("what cannot be seen is spelled out, and no line is made to look like another", () => {
  assert.deepEqual(
    shown({ a: "one\ntwo: faked", b: "", c: "x\u202ey", d: "\u001b[31mred", "e\u200b": " " }),
    ['a: "one\\ntwo: faked"', 'b: ""', "c: x\\u{202e}y", "d: \\u{1b}[31mred", 'e\\u{200b}: " "'],
  );
});
