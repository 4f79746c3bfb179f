import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cases } from "../../test/fixtures/tier.ts";
import { createLineSplitter, longBytes } from "./line-splitter.ts";

function split(chunks: readonly Buffer[], limitBytes = Number.POSITIVE_INFINITY) {
  const lines: string[] = [];
  let tooLong = 0;
  const feed = createLineSplitter(
    limitBytes,
    (line) => lines.push(line),
    () => {
      tooLong += 1;
    },
  );
  for (const chunk of chunks) feed(chunk);
  return { lines, tooLong };
}

/** Bytes cut at these places. */
function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort(
    (a, b) => a - b,
  );
  return [0, ...sorted].map((from, at) => bytes.subarray(from, sorted[at] ?? bytes.length));
}

const text = fc.string({ unit: fc.constantFrom(...'a\n\r {"ß€😀') });

test("any chunking gives the same lines, also where it cuts a character", () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat()), (whole, places) => {
      const { lines, tooLong } = split(cutAt(Buffer.from(whole), places));
      assert.deepEqual(lines, whole.split("\n").slice(0, -1));
      assert.equal(tooLong, 0);
    }),
    { numRuns: cases(500) },
  );
});

test("the end of a line that has not come is not a line", () => {
  assert.deepEqual(split([Buffer.from("one\ntw"), Buffer.from("o")]).lines, ["one"]);
});

test("a line above the limit is left out, reported once, and the next one is read", () => {
  const chunks = ["ok\n12345", "67890", "12345\nnext\n"].map((part) => Buffer.from(part));
  assert.deepEqual(split(chunks, 8), { lines: ["ok", "next"], tooLong: 1 });
});

test("a line of exactly the limit is read", () => {
  const chunks = ["1234", "5678", "\n"].map((part) => Buffer.from(part));
  assert.deepEqual(split(chunks, 8), { lines: ["12345678"], tooLong: 0 });
});

test("every line above the limit is reported, wherever the chunks end", () => {
  const whole = Buffer.from("123456789\nok\n123456789\n");
  fc.assert(
    fc.property(fc.array(fc.nat()), (places) => {
      assert.deepEqual(split(cutAt(whole, places), 8), { lines: ["ok"], tooLong: 2 });
    }),
  );
});

test("a line above the limit is reported with its length and both its ends, wherever the chunks end", () => {
  const line = `{"id":1,${"ä".repeat(2_000)}}`;
  fc.assert(
    fc.property(fc.array(fc.nat()), (places) => {
      const told: unknown[] = [];
      const feed = createLineSplitter(
        100,
        () => assert.fail("it was read"),
        ({ head, tail, bytes }) => told.push([head.slice(0, 8), tail.slice(-2), bytes]),
      );
      for (const chunk of cutAt(Buffer.from(`${line}\n`), places)) feed(chunk);
      assert.deepEqual(told, [['{"id":1,', "ä}", Buffer.byteLength(line)]]);
    }),
  );
});

test("a long line comes with the bytes it was read from, wherever the chunks end", () => {
  const line = `{"text":"${"ä😀 ".repeat(longBytes / 4)}"}`;
  fc.assert(
    fc.property(fc.array(fc.nat()), (places) => {
      const told: unknown[] = [];
      const feed = createLineSplitter(
        1_000_000,
        (text, bytes) => told.push([text.length, bytes?.equals(Buffer.from(text))]),
        () => assert.fail("it was left out"),
      );
      for (const chunk of cutAt(Buffer.from(`${line}\nshort\n${line}\n`), places)) feed(chunk);
      assert.deepEqual(
        told.map((one) => (one as unknown[])[0]),
        [line.length, 5, line.length],
      );
      assert.ok(told.every((one) => (one as unknown[])[1] !== false));
      assert.deepEqual(told[0], [line.length, true]);
    }),
    { numRuns: 50 },
  );
});
