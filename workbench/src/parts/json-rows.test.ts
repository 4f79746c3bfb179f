import assert from "node:assert/strict";
import { test } from "node:test";
import { enclosingPaths, findPaths, levelsAtFirst, pathOf, rowsOf } from "./json-rows.ts";

const closed = new Map<string, boolean>();
const rowsIn = (value: unknown, depth: number, opened: ReadonlyMap<string, boolean> = closed) => {
  const rows = rowsOf(value, depth, opened);
  return Array.from(
    { length: rows.length },
    (_, at) => rows.at(at) ?? assert.fail(`no line ${at}`),
  );
};
const show = (value: unknown, depth: number, opened = closed) =>
  rowsIn(value, depth, opened).map(
    ({ depth: level, name, kind, isOpen }) =>
      `${level} ${name ?? ""} ${kind}${isOpen ? " open" : ""}`,
  );

test("a tree opens as many levels as its depth says, and what a person opened", () => {
  const value = { a: [1, { b: 2 }], c: "x", d: {} };
  assert.deepEqual(show(value, 0), ["0  holder"]);
  assert.deepEqual(show(value, 1), [
    "0  holder open",
    "1 a holder",
    "1 c leaf",
    "1 d holder",
    "0  end open",
  ]);
  const opened = new Map([[pathOf("", "a"), true]]);
  assert.deepEqual(show(value, 1, opened).slice(1, 5), [
    "1 a holder open",
    "2 0 leaf",
    "2 1 holder",
    "1  end open",
  ]);
  assert.deepEqual(show(value, 1, new Map([["", false]])), ["0  holder"]);
});

test("a value of few lines is open to its last level", () => {
  const value = {
    answers: [{ result: { content: { text: "here" } } }],
    list: Array.from({ length: 30 }, () => [1]),
  };
  const rows = rowsIn(value, levelsAtFirst(value, 200));
  assert.deepEqual(
    rows.filter(({ kind, isOpen }) => kind === "holder" && !isOpen),
    [],
  );
  assert.equal(levelsAtFirst(value, rows.length), Number.POSITIVE_INFINITY);
  assert.equal(levelsAtFirst(value, rows.length - 1), 3);
});

test("of a long list only the first entries begin open", () => {
  const rows = rowsIn(
    Array.from({ length: 100_000 }, (_, at) => ({ at })),
    2,
  );
  assert.equal(rows.filter(({ kind, isOpen }) => kind === "holder" && isOpen).length, 21);
});

test("lines that nobody looks at are not made", () => {
  let reads = 0;
  const list = new Proxy(
    Array.from({ length: 1_000_000 }, (_, at) => ({ at })),
    {
      get: (target, key, receiver) => {
        reads += 1;
        return Reflect.get(target, key, receiver);
      },
    },
  );
  const rows = rowsOf(list, levelsAtFirst(list, 200), new Map([[pathOf("", "700000"), true]]));
  assert.equal(rows.length, 1_000_000 + 2 + 21 * 2);
  assert.equal(rows.at(rows.length - 2)?.path, pathOf("", "999999"));
  assert.equal(rows.at(rows.length), undefined);
  assert.ok(reads < 200, `${reads} reads`);
});

test("every line knows its place, also behind what a person opened, and what is closed has none", () => {
  const value = { a: [1, [2, { b: 3 }]], c: {}, d: { e: [4], f: { g: 5 } }, h: 6 };
  const opened = new Map([
    [pathOf("", "d"), true],
    [pathOf(pathOf("", "d"), "f"), true],
    [pathOf("", "gone"), true],
  ]);
  const rows = rowsOf(value, 1, opened);
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows.at(at);
    if (row?.kind !== "end") assert.equal(rows.indexOf(row?.path ?? "none"), at, row?.path);
  }
  assert.equal(rows.indexOf(pathOf(pathOf("", "a"), "1")), -1);
  assert.equal(rows.indexOf(pathOf("", "gone")), -1);
  assert.equal(rowsOf(7, 1, closed).indexOf(""), 0);
});

test("names and texts are found in order, with the way to each", async () => {
  const value = { name: "x", list: [{ name: "needle" }, { Needle: 1 }, "a needle in it"] };
  const found = await findPaths(value, "needle", 10, () => false);
  assert.deepEqual(
    found.map((path) => path.split("\u0000").slice(1)),
    [
      ["list", "0", "name"],
      ["list", "1", "Needle"],
      ["list", "2"],
    ],
  );
  assert.deepEqual(enclosingPaths(found[0] ?? "").length, 3);
  assert.equal((await findPaths(value, "needle", 2, () => false)).length, 2);
  assert.deepEqual(await findPaths([1, 2], "0", 5, () => false), []);
});

test("a value nested as deep as an answer may be does not end the page", () => {
  let value: unknown = 1;
  for (let depth = 0; depth < 5_000; depth += 1) value = [value];
  assert.equal(rowsOf(value, 3, closed).length, 7);
});
