import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cases } from "../../test/fixtures/tier.ts";
import { createOversized, findOversizedId, type Oversized } from "./oversized-id.ts";

function oversized(text: string, pieceBytes = Number.POSITIVE_INFINITY): Oversized {
  const kept = createOversized();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes)
    kept.add(bytes.subarray(at, at + pieceBytes));
  return kept.finish();
}

const long = "x".repeat(3_000);

const examples: [title: string, text: string, id: number | string | undefined][] = [
  ["at the beginning", `{"jsonrpc":"2.0","id":7,"result":{"text":"${long}"}}`, 7],
  ["at the end", `{"jsonrpc":"2.0","result":{"text":"${long}"},"id":7}`, 7],
  ["as text", `{"id":"a\\"b,}\\\\","result":"${long}"}`, 'a"b,}\\'],
  ["as text at the end", `{"result":"${long}","id":"a\\"b,}\\\\" }\r`, 'a"b,}\\'],
  ["with spaces", `  { "jsonrpc" : "2.0" , "id" : 7 , "result" : "${long}" }`, 7],
  ["after a nested one", `{"error":{"id":1,"data":[{"id":2}]},"id":7,"x":"${long}"}`, 7],
  ["before a nested one at the end", `{"x":"${long}","id":7,"result":{"id":2}}`, 7],
  ["only within something else", `{"result":{"id":1,"text":"${long}"},"x":[{"id":2}]}`, undefined],
  ["within a text", `{"result":"${long}\\",\\"id\\":7,\\"a\\":\\""}`, undefined],
  ["in the middle", `{"a":"${long}","id":7,"b":"${long}"}`, undefined],
  ["as null", `{"id":null,"error":{"data":"${long}"}}`, undefined],
  [
    "of a request",
    `{"id":7,"params":{"text":"${long}"},"method":"sampling/createMessage"}`,
    undefined,
  ],
  ["in a list", `[{"id":7,"result":"${long}"}]`, undefined],
  ["in what is no message", `log: ${long} {"id":7}`, undefined],
  ["cut off", `{"${"k".repeat(1_017)}":1,"id":7${"0".repeat(2_000)}`, undefined],
];

for (const [title, text, id] of examples) {
  test(`the id of a large message ${title} is ${id === undefined ? "not taken" : "found"}`, () => {
    assert.equal(findOversizedId(oversized(text)), id);
  });
}

test("either end is kept and the length counted, whatever the pieces", () => {
  const text = `${"a".repeat(900)}${"b".repeat(5_000)}${"c".repeat(900)}`;
  for (const pieceBytes of [1, 7, 1_024, 3_000, 10_000]) {
    assert.deepEqual(oversized(text, pieceBytes), {
      head: text.slice(0, 1_024),
      tail: text.slice(-1_024),
      bytes: 6_800,
    });
  }
});

const id = fc.oneof(fc.integer(), fc.string({ maxLength: 40 }));
const value = fc.jsonValue({ maxDepth: 4 });

test("an id that stands first or last is found, whatever the rest holds", () => {
  fc.assert(
    fc.property(id, value, fc.array(value), (wanted, first, rest) => {
      const result = { first, id: "wrong", rest, long: `\\"id":1,${long}` };
      for (const message of [
        { jsonrpc: "2.0", id: wanted, result },
        { result, jsonrpc: "2.0", id: wanted },
      ]) {
        for (const indent of [0, 1]) {
          assert.equal(findOversizedId(oversized(JSON.stringify(message, null, indent))), wanted);
        }
      }
    }),
  );
});

test("no other id is ever taken for it", () => {
  const member = fc.tuple(fc.constantFrom("id", "a", 'b"', "c\\"), value);
  fc.assert(
    fc.property(
      fc.array(member),
      fc.nat({ max: 3_000 }),
      fc.array(member),
      (before, gap, after) => {
        const message = Object.fromEntries([...before, ["gap", "\\".repeat(gap)], ...after]);
        const found = findOversizedId(oversized(JSON.stringify(message)));
        // JSON has no -0.
        if (found !== undefined) assert.equal(JSON.stringify(found), JSON.stringify(message.id));
      },
    ),
    { numRuns: cases(1_000) },
  );
});
