import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  exactNumbersIn,
  exactText,
  findChanged,
  mayLoseNumbers,
  noteExactNumbers,
  parseExactly,
  putExactNumbers,
  withExactNumbers,
} from "./exact-numbers.ts";

function noted<T>(text: string): T {
  const value = JSON.parse(text) as T;
  noteExactNumbers(value, text);
  return value;
}

test("numbers that no number of ours can hold are written as they were read", () => {
  for (const number of [
    "9007199254740993",
    "-9223372036854775808",
    "-0",
    "-0.0",
    "-0e5",
    "1e400",
    "1E-400",
    "0.12345678901234567890",
    "123456789.12345678901",
  ]) {
    assert.ok(mayLoseNumbers(`{"a":${number}}`), number);
    assert.equal(JSON.stringify(parseExactly(`{"a":${number}}`)), `{"a":${number}}`);
  }
});

test("a number that is only written in another way is a number", () => {
  for (const number of [
    "1.0",
    "1e5",
    "10000000000000000000000",
    "0.30000000000000004",
    "1.5e300",
    "0",
    "-0.5",
  ])
    assert.deepEqual(exactNumbersIn(noted(`[${number}]`)), [], number);
});

test("what JSON.stringify writes is read without loss", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.deepEqual(exactNumbersIn(noted(JSON.stringify([value]))), []);
    }),
  );
});

test("it is known where such a number stands, and the value stays what it is", () => {
  const value = noted<{ a: { b: unknown[] }; id: number }>(
    '{"a":{"b":[1,{"c":9007199254740993}]},"id":-0}',
  );
  assert.deepEqual(value, { a: { b: [1, { c: 9007199254740992 }] }, id: -0 });
  assert.deepEqual(exactNumbersIn(value), [
    { path: ["a", "b", "1", "c"], text: "9007199254740993" },
    { path: ["id"], text: "-0" },
  ]);
  assert.equal(exactText(value, "id"), "-0");
  assert.equal(
    JSON.stringify(withExactNumbers(value)),
    '{"a":{"b":[1,{"c":9007199254740993}]},"id":-0}',
  );
});

test("a number that is only rounded, or a zero with a sign, is still the same in computations", () => {
  const found = (text: string) => findChanged(exactNumbersIn(noted(`[${text}]`)))?.text;
  for (const same of ["-0", "-0.0", "0.12345678901234567890", "3.14159265358979323846"])
    assert.equal(found(same), undefined);
  for (const other of ["9007199254740993", "-9223372036854775807", "1e400"])
    assert.equal(found(other), other);
});

test("what has been changed since is not put back", () => {
  const numbers = exactNumbersIn(noted('{"a":9007199254740993,"b":1e400,"c":{"d":-0}}'));
  const changed = putExactNumbers({ a: 5, b: Number.POSITIVE_INFINITY, c: "gone" }, numbers);
  assert.equal(JSON.stringify(changed), '{"a":5,"b":1e400,"c":"gone"}');
});
