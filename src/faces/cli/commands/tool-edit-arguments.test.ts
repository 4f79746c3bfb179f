import assert from "node:assert/strict";
import { test } from "node:test";
import { readArguments } from "./registry.ts";

test("an argument is a name, a type and a description that may hold colons", () => {
  assert.deepEqual(
    readArguments(["city:string:Where to look: a name, or lat:lon", "days?:integer"]),
    [
      {
        name: "city",
        type: "string",
        description: "Where to look: a name, or lat:lon",
        required: true,
      },
      { name: "days", type: "integer", required: false },
    ],
  );
});

test("the description of TrustGraph's example is taken as it is", () => {
  assert.deepEqual(
    readArguments(["date?:string:Date for balance query (optional, format: YYYY-MM-DD)"]),
    [
      {
        name: "date",
        type: "string",
        description: "Date for balance query (optional, format: YYYY-MM-DD)",
        required: false,
      },
    ],
  );
});

for (const type of ["string", "number", "integer", "boolean", "array", "object"]) {
  test(`an argument may be of type ${type}`, () => {
    assert.deepEqual(readArguments([`a:${type}:b`]), [
      { name: "a", type, description: "b", required: true },
    ]);
  });
}

for (const [text, reason] of [
  ["city", /not name:type:description/],
  [":string:x", /not name:type:description/],
  ["?:string", /not name:type:description/],
  ["city:text:Where", /'text' is not a type\. Use string/],
  ["city::Where", /'' is not a type/],
] as const) {
  test(`'${text}' is refused with how to write it`, () => {
    assert.throws(() => readArguments([text]), { code: "USAGE", message: reason });
  });
}

test("an argument is given once", () => {
  assert.throws(() => readArguments(["a:string", "a?:number"]), /given twice/);
});
