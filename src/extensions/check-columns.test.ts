import assert from "node:assert/strict";
import { test } from "node:test";
import { problemOfColumns } from "./check-columns.ts";

const entry = { type: "object", properties: { id: {}, words: {} } };
const list = { type: "array", items: entry };
const page = { type: "object", properties: { total: { type: "integer" }, notes: list } };

test("columns fit a list, or the only list of an answer", () => {
  for (const output of [undefined, list, page])
    assert.equal(problemOfColumns({ id: "ID", words: "WORDS" }, output), null);
});

test("a column that is no field of the output is named, with the fields that there are", () => {
  for (const output of [list, page])
    assert.equal(
      problemOfColumns({ id: "ID", title: "TITLE" }, output),
      "has the column 'title', which is no field of its 'output': id, words",
    );
});

test("columns without titles, or without a list, are refused", () => {
  assert.match(String(problemOfColumns(["id"], undefined)), /no titles by field/);
  assert.match(String(problemOfColumns({ id: 1 }, undefined)), /no title for the column 'id'/);
  for (const output of [entry, { type: "array" }, { ...page, properties: { a: list, b: list } }])
    assert.match(String(problemOfColumns({ id: "ID" }, output)), /no list with 'properties'/);
});
