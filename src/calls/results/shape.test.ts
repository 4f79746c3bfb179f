import assert from "node:assert/strict";
import { test } from "node:test";
import { bodyOf } from "./condense.ts";
import { shapeOf } from "./stored-results.ts";

const shape = (text: string) => shapeOf(bodyOf({ content: [{ type: "text", text }] }));

test("JSON is reported by its keys, types and lengths, to the third level", () => {
  const value = {
    items: [{ id: 1, tags: ["a"], deep: { a: { b: 1 } } }, { id: 2 }],
    next: null,
    mixed: [1, "a"],
    none: [],
  };
  assert.deepEqual(shape(JSON.stringify(value)), {
    kind: "json",
    value: {
      items: { length: 2, each: { id: "number", tags: "list of 1", deep: "object with 1 key" } },
      next: "null",
      mixed: { length: 2, each: "number or string" },
      none: "list of 0",
    },
  });
});

test("an object of very many keys does not tell all of them", () => {
  const wide = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`k${n}`, n]));
  const found = shape(JSON.stringify(wide));
  assert.ok(found.kind === "json");
  assert.equal((found.value as Record<string, unknown>)["…"], "70 more keys");
});

test("a table is reported by its columns and rows", () => {
  assert.deepEqual(shape('id,name\n1,"a, b"\n2,"c\nd"\n3,e\n'), {
    kind: "table",
    columns: ["id", "name"],
    rows: 3,
  });
  assert.deepEqual(shape("id\tname\r\n1\ta\r\n2\tb\r\n"), {
    kind: "table",
    columns: ["id", "name"],
    rows: 2,
  });
});

test("anything else is text with so many lines", () => {
  assert.deepEqual(shape("a\nb, c\nd\n"), { kind: "text", lines: 3, characters: 9 });
  assert.equal(shape("{not json").kind, "text");
  assert.deepEqual(shape(""), { kind: "text", lines: 0, characters: 0 });
});

test("structured content counts where it says more than the text", () => {
  const body = bodyOf({
    content: [{ type: "text", text: "2 rows" }],
    structuredContent: { rows: [1, 2] },
  });
  assert.deepEqual([body.isStructured, body.json], [true, { rows: [1, 2] }]);
});

test("JSON on one line is broken into lines, and its numbers stay as they were written", () => {
  const textOf = (text: string) => bodyOf({ content: [{ type: "text", text }] }).text;
  assert.equal(textOf('{"a":[1]}'), '{\n "a": [\n  1\n ]\n}');
  assert.equal(textOf('{"id":12345678901234567890}'), '{\n "id": 12345678901234567890\n}');
  assert.equal(textOf('{\n"a":1}'), '{\n"a":1}');
  assert.equal(textOf('"a\\nb"'), "a\nb");
});
