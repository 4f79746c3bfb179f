import assert from "node:assert/strict";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { temporaryDirectory } from "../../../../test/fixtures/start-server.ts";
import type { BatchEntry } from "./entries.ts";
import { openResults } from "./entries.ts";

const entries: BatchEntry[] = [1, 2, 3].map((line) => ({
  line,
  id: null,
  hash: `hash-${line}`,
  fields: {},
}));
const result = (line: number, ok = true) => ({ line, id: null, input: `hash-${line}`, ok });

test("results stand as they came until all are there, then in the order of the input", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("out.jsonl");
  const results = openResults(file, entries, {});
  for (const line of [3, 1, 2]) results.append(result(line));
  assert.deepEqual(linesOf(file), [3, 1, 2]);
  results.finish();
  assert.deepEqual(linesOf(file), [1, 2, 3]);
  assert.equal(existsSync(`${file}.sorting`), false);
});

test("a line that was written in part is taken away, wherever it was torn", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("out.jsonl");
  const whole = `${JSON.stringify(result(1))}\n${JSON.stringify({ ...result(2), text: "größer" })}`;
  for (let end = whole.indexOf("\n") + 1; end <= Buffer.byteLength(whole); end++) {
    writeFileSync(file, Buffer.from(whole).subarray(0, end));
    const results = openResults(file, entries, { resume: true });
    assert.deepEqual([...results.done.keys()], [1], `torn after ${end} bytes`);
    results.append(result(2));
    assert.deepEqual(linesOf(file), [1, 2]);
  }
});

test("what failed is not done where it is to be tried again, and the later result counts", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("out.jsonl");
  writeFileSync(file, `${JSON.stringify(result(1, false))}\n${JSON.stringify(result(2))}\n`);
  assert.deepEqual([...openResults(file, entries, { resume: true }).done.keys()], [1, 2]);
  const again = openResults(file, entries, { resume: true, redoFailed: true });
  assert.deepEqual([...again.done.keys()], [2]);
  again.append(result(1));
  again.finish();
  assert.deepEqual(
    [...openResults(file, entries, { resume: true }).done.values()],
    [result(1), result(2)],
  );
});

test("a file with something else in it is left as it is", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("out.jsonl");
  writeFileSync(file, "{}\n");
  for (const options of [{}, { resume: true }])
    assert.throws(() => openResults(file, entries, options), { code: "USAGE" });
  writeFileSync(file, `${JSON.stringify({ ...result(1), input: "other" })}\n`);
  assert.throws(() => openResults(file, entries, { resume: true }), /made from another input/);
  appendFileSync(file, "x");
  openResults(file, entries, { force: true });
  assert.equal(readFileSync(file, "utf8"), "");
  assert.throws(
    () => openResults(directory.file("no/such/place"), entries, {}),
    /cannot be written/,
  );
});

function linesOf(file: string): number[] {
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { line: number }).line);
}
