import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../model/json.ts";
import { missingFlags } from "./grant.ts";

const needed = {
  read: ["calendar.read"],
  write: ["calendar.write"],
  execute: ["calendar.run"],
};
const reader = { calendar: { read: true, run: true, write: false } };

const cases: [title: string, flags: object, args: JsonObject | undefined, missing: string[]][] = [
  ["a reader may read", reader, { operation: "read" }, []],
  ["a reader may not write", reader, { operation: "write" }, ["calendar.write"]],
  ["without an operation read and execute are needed", reader, {}, []],
  ["and missed where they are not there", {}, {}, ["calendar.read", "calendar.run"]],
  ["an operation that is null is none", {}, { operation: null }, ["calendar.read", "calendar.run"]],
  ["capitals and blanks are no way around", reader, { operation: " WRITE " }, ["calendar.write"]],
  ["nor are wide letters", reader, { operation: "ｗrite" }, ["calendar.write"]],
  ["what is no text needs everything", reader, { operation: ["write"] }, ["calendar.write"]],
  [
    "an operation that is not listed may be any of them",
    reader,
    { operation: "peek" },
    ["calendar.write"],
  ],
  [
    "only true is on",
    { calendar: { read: "true", run: 1 } },
    {},
    ["calendar.read", "calendar.run"],
  ],
  ["a flag may have dots in its name", { "calendar.write": true }, { operation: "write" }, []],
  ["a tool is shown to who may do one thing with it", { calendar: { write: true } }, undefined, []],
  [
    "and not to who may do nothing",
    {},
    undefined,
    ["calendar.read", "calendar.run", "calendar.write"],
  ],
];

for (const [title, flags, args, missing] of cases) {
  test(title, () =>
    assert.deepEqual(missingFlags(needed, flags as JsonObject, args).sort(), missing),
  );
}

test("a tool that asks for no flags lacks none", () => {
  assert.deepEqual(missingFlags(undefined, {}, { operation: "write" }), []);
});

test("without an operation a tool that lists neither read nor execute needs all that it lists", () => {
  assert.deepEqual(missingFlags({ write: ["calendar.write"] }, reader, {}), ["calendar.write"]);
});

test("names of the language are no flags", () => {
  assert.deepEqual(missingFlags({ read: ["constructor.name", "__proto__.x"] }, {}, {}), [
    "constructor.name",
    "__proto__.x",
  ]);
});
