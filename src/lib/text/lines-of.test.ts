import assert from "node:assert/strict";
import { test } from "node:test";
import { linesOf } from "./lines.ts";

async function* parts(...texts: string[]): AsyncGenerator<string> {
  yield* texts;
}

const read = (...texts: string[]) => Array.fromAsync(linesOf(parts(...texts)));

test("lines are put together again wherever a text was cut", async () => {
  const text = "first\nsecond\r\n\nlast";
  const lines = ["first", "second", "", "last"];
  for (let at = 0; at <= text.length; at += 1)
    assert.deepEqual(await read(text.slice(0, at), text.slice(at)), lines, `cut at ${at}`);
  assert.deepEqual(await read(...text), lines);
});

test("the end of the last line begins no other", async () => {
  assert.deepEqual(await read("one\n"), ["one"]);
  assert.deepEqual(await read(), []);
});

test("separators that JSON leaves as they are end no line", async () => {
  const line = JSON.stringify({ text: "a\u2028b\u2029c" });
  assert.deepEqual(await read(`${line}\n${line}\n`), [line, line]);
});

test("nothing more is read before the lines that are there were taken", async () => {
  let given = 0;
  async function* counted() {
    for (; given < 5; given += 1) yield "a\nb\n";
  }
  const lines = linesOf(counted());
  await lines.next();
  await lines.next();
  assert.equal(given, 0);
  await lines.next();
  assert.equal(given, 1);
});
