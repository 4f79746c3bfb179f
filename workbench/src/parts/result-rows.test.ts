import assert from "node:assert/strict";
import { test } from "node:test";
import { renderCsv, renderMarkdownTable, rowsIn } from "./result-rows.ts";

test("a list of alike things is a table, alone or as the only list beside simple values", () => {
  const rows = [
    { id: 1, name: "a" },
    { id: 2, name: "b", note: null },
  ];
  assert.deepEqual(rowsIn(rows), { rows, names: ["id", "name", "note"], siblings: null });
  assert.deepEqual(rowsIn({ total: 2, rows }), {
    rows,
    names: ["id", "name", "note"],
    siblings: { total: 2 },
  });
});

test("what a table would hide is no table", () => {
  for (const value of [
    [{ a: 1 }],
    [1, 2],
    [{ a: 1 }, 2],
    { a: [{ b: 1 }, { b: 2 }], c: [{ d: 1 }, { d: 2 }] },
    { a: [{ b: 1 }, { b: 2 }], more: { c: 1 } },
    Array.from({ length: 10 }, (_, at) => ({ [`only-${at}`]: at })),
    "text",
    null,
  ])
    assert.equal(rowsIn(value), null, JSON.stringify(value));
});

test("CSV quotes what it has to, and no cell is a formula", () => {
  const rows = [{ name: 'a "b", c', sum: -1.5, note: "=1+1", list: [1] }];
  assert.equal(
    renderCsv(rows, ["name", "sum", "note", "list"]),
    'name,sum,note,list\r\n"a ""b"", c",-1.5,\'=1+1,[1]',
  );
});

test("a table of Markdown keeps its columns whatever is in a cell", () => {
  assert.equal(
    renderMarkdownTable([{ a: "x|y\nz", b: null }], ["a", "b"]),
    "| a | b |\n| --- | --- |\n| x\\|y z |  |",
  );
});
