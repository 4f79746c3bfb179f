import assert from "node:assert/strict";
import { test } from "node:test";
import { ExactNumber } from "./exact-json.ts";
import { readLargeJson } from "./large-json.ts";

const long = 'x\\"{[,]}'.repeat(40_000);

test("large JSON is read in pieces as it is read at once, wherever it is large", async () => {
  const rows = Array.from({ length: 20_000 }, (_, at) => ({
    at,
    name: `row "${at}" {[,`,
    nested: [[at], {}, []],
  }));
  const values: unknown[] = [
    { rows, 'a "key"': { more: rows, long, last: null }, "": [long, [rows], true, -1.5] },
    rows,
    long,
    { ["__proto__"]: { rows } },
    [[], {}, "", [[rows, []]]],
  ];
  for (const value of values)
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2)])
      assert.deepEqual(await readLargeJson(text), JSON.parse(text));
});

test("numbers keep their digits in it, and it gives way to the page", async () => {
  const rows = Array.from(
    { length: 60_000 },
    (_, at) => `{"id":9007199254740993${at + 10_000},"price":1.5}`,
  );
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  });
  const read = await readLargeJson<{ rows: { id: unknown; price: unknown }[] }>(
    `{"rows":[${rows.join(" , ")}]}`,
  );
  clearInterval(timer);
  assert.ok(read.rows.every(({ id }) => id instanceof ExactNumber));
  assert.equal(`{"id":${read.rows[59_999]?.id},"price":${read.rows[0]?.price}}`, rows[59_999]);
  assert.ok(turns > 3, `${turns} turns`);
});

test("what follows behind the end is an error, and nothing of it is lost in silence", async () => {
  const text = JSON.stringify(Array.from({ length: 50_000 }, (_, at) => ({ at })));
  await assert.rejects(readLargeJson(`${text}\n${text}`));
  assert.equal((await readLargeJson<unknown[]>(`${text} \n`)).length, 50_000);
});

test("what is cut off is an error", async () => {
  const text = JSON.stringify({ rows: Array.from({ length: 50_000 }, (_, at) => ({ at })) });
  for (const end of [text.length - 1, text.length - 2, 300_000])
    await assert.rejects(readLargeJson(text.slice(0, end)));
  await assert.rejects(readLargeJson(`"${"x".repeat(300_000)}`));
});
