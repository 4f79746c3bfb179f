import assert from "node:assert/strict";
import { test } from "node:test";
import { createReading } from "./reading.ts";
import { parametersOf } from "./tool-arguments.ts";

function read(list: unknown) {
  const reading = createReading((source) => ({ file: "f", line: null, path: source.join(".") }));
  return { parameters: parametersOf(reading, list, ["arguments"]), problems: reading.problems };
}

const required: [argument: object, isRequired: boolean][] = [
  [{ name: "a" }, true],
  [{ name: "a", required: true }, true],
  [{ name: "a", required: false }, false],
  [{ name: "a", required: "no" }, false],
  [{ name: "a", default: "x" }, false],
  [{ name: "a", default: null }, false],
  [{ name: "a?" }, false],
  [{ name: "a", description: "A day (optional)" }, false],
  [{ name: "a", description: "A day (Optional, format: YYYY)" }, false],
  [{ name: "a", description: "An optional extra" }, true],
  [{ name: "a", description: "A day (optional)", required: true }, true],
];

for (const [argument, isRequired] of required) {
  test(`${JSON.stringify(argument)} is ${isRequired ? "required" : "optional"}`, () => {
    const { parameters, problems } = read([argument]);
    assert.deepEqual(parameters.required, isRequired ? ["a"] : []);
    assert.deepEqual(Object.keys(parameters.properties ?? {}), ["a"]);
    assert.deepEqual(problems, []);
  });
}

for (const type of ["string", "number", "integer", "boolean", "array", "object"]) {
  test(`an argument may be of type ${type}`, () => {
    const argument = { name: "a", type, description: "d: with colons", default: 1, enum: [1, 2] };
    const { name: _, ...schema } = argument;
    assert.deepEqual(read([argument]).parameters.properties, { a: schema });
  });
}

test("an argument of an unknown type may be anything, and the known types are told", () => {
  const { parameters, problems } = read([{ name: "a", type: "date" }, { type: "string" }, 7]);
  assert.deepEqual(parameters, { type: "object", properties: { a: {} }, required: ["a"] });
  assert.match(problems[0]?.hint ?? "", /string, number, integer, boolean, array, object/);
  assert.deepEqual(
    problems.map(({ path }) => path),
    ["arguments.0.type", "arguments.1", "arguments.2"],
  );
});

test("without a list everything passes", () => {
  for (const list of [undefined, null, []]) assert.deepEqual(read(list).parameters, { type: "object" });
  assert.equal(read("oops").problems.length, 1);
});

test("an argument may be called __proto__", () => {
  const { parameters } = read([{ name: "__proto__", type: "string" }]);
  assert.deepEqual(Object.keys(parameters.properties ?? {}), ["__proto__"]);
});
