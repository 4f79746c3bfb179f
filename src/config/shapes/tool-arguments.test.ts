import assert from "node:assert/strict";
import { test } from "node:test";
import { createReading } from "./reading.ts";
import { readToolArguments } from "./tool-entry.ts";

function read(list: unknown) {
  const reading = createReading((source) => ({ file: "f", line: null, path: source.join(".") }));
  return { read: readToolArguments(reading, list, ["arguments"]), problems: reading.problems };
}

const required: [argument: object, isRequired: boolean | undefined][] = [
  [{ name: "a" }, undefined],
  [{ name: "a", required: true }, true],
  [{ name: "a", required: false }, false],
  [{ name: "a", required: "no" }, false],
  [{ name: "a", default: "x" }, false],
  [{ name: "a", default: null }, false],
  [{ name: "a?" }, false],
  [{ name: "a", description: "A day (optional)" }, false],
  [{ name: "a", description: "A day (Optional, format: YYYY)" }, false],
  [{ name: "a", description: "An optional extra" }, undefined],
  [{ name: "a", description: "A day (optional)", required: true }, true],
];

for (const [argument, isRequired] of required) {
  const says =
    isRequired === undefined ? "does not say whether it is needed" : "says whether it is needed";
  test(`${JSON.stringify(argument)} ${says}`, () => {
    const { read: found, problems } = read([argument]);
    assert.equal(found?.[0]?.required, isRequired);
    assert.equal(found?.[0]?.name, "a");
    assert.deepEqual(problems, []);
  });
}

for (const type of ["string", "number", "integer", "boolean", "array", "object"]) {
  test(`an argument may be of type ${type}`, () => {
    const argument = { name: "a", type, description: "d: with colons", default: 1, enum: [1, 2] };
    assert.deepEqual(read([argument]).read, [{ ...argument, required: false }]);
  });
}

test("an argument may be hidden, or fixed to any value", () => {
  const { read: found, problems } = read([
    { name: "a", hidden: true },
    { name: "b", fixed: null },
    { name: "c", fixed: { deep: [1] } },
    { name: "d", hidden: "no" },
  ]);
  assert.deepEqual(found, [
    { name: "a", hidden: true },
    { name: "b", fixed: null },
    { name: "c", fixed: { deep: [1] } },
    { name: "d" },
  ]);
  assert.deepEqual(problems, []);
});

test("an argument may be one line of text, as on the command line", () => {
  const { read: found, problems } = read(["city:string:Where: a name", "days?:integer", "oops"]);
  assert.deepEqual(found, [
    { name: "city", type: "string", description: "Where: a name" },
    { name: "days", type: "integer", required: false },
  ]);
  assert.match(problems[0]?.message ?? "", /'oops' is not name:type:description/);
});

test("an argument of an unknown type may be anything, and the known types are reported", () => {
  const { read: found, problems } = read([{ name: "a", type: "date" }, { type: "string" }, 7]);
  assert.deepEqual(found, [{ name: "a" }]);
  assert.match(problems[0]?.hint ?? "", /string, number, integer, boolean, array, object/);
  assert.deepEqual(
    problems.map(({ path }) => path),
    ["arguments.0.type", "arguments.1", "arguments.2"],
  );
});

test("of two arguments with one name the first counts", () => {
  const { read: found, problems } = read([{ name: "a", type: "string" }, { name: "a?" }]);
  assert.deepEqual(found, [{ name: "a", type: "string" }]);
  assert.match(problems[0]?.message ?? "", /'a' is set twice/);
});

test("without a list nothing is said", () => {
  for (const list of [undefined, null, []]) assert.equal(read(list).read, undefined);
  assert.equal(read("oops").problems.length, 1);
});
