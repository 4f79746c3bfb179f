import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleTool } from "../../../test/samples/calls.ts";
import { applyArguments, completeWrapper } from "./overlay.ts";

const base = {
  type: "object",
  properties: {
    city: { type: "string", description: "A city", minLength: 2 },
    days: { type: "integer", description: "How many", minimum: 1 },
    unit: { type: "string" },
  },
  required: ["city", "unit"],
  additionalProperties: false,
};

test("what is not said stays as the server has it", () => {
  const { parameters, fixed, defaults, hidden, added } = applyArguments(base, [
    { name: "city", description: "Where" },
  ]);
  assert.deepEqual(parameters, {
    ...base,
    properties: {
      ...base.properties,
      city: { type: "string", description: "Where", minLength: 2 },
    },
  });
  assert.deepEqual([fixed, defaults, hidden, added], [{}, {}, [], []]);
});

test("another type ends what was said about the first one", () => {
  const { parameters } = applyArguments(base, [
    { name: "days", type: "string", enum: ["one", "two"] },
  ]);
  assert.deepEqual((parameters.properties as typeof base.properties).days, {
    type: "string",
    description: "How many",
    enum: ["one", "two"],
  });
});

test("a default is shown, filled in, and makes the argument optional", () => {
  const { parameters, defaults } = applyArguments(base, [
    { name: "unit", default: "C", required: true },
  ]);
  assert.deepEqual(parameters.required, ["city"]);
  assert.deepEqual(defaults, { unit: "C" });
});

test("whether it is needed can be said, and for what only we know it is needed unless it is said", () => {
  const { parameters, added } = applyArguments(base, [
    { name: "city", required: false },
    { name: "days", required: true },
    { name: "zone", type: "string" },
    { name: "note", required: false },
  ]);
  assert.deepEqual(parameters.required, ["unit", "days", "zone"]);
  assert.deepEqual(added, ["zone", "note"]);
});

test("what is hidden or fixed is gone from the schema; a hidden default is sent", () => {
  const { parameters, fixed, defaults, hidden } = applyArguments(base, [
    { name: "unit", fixed: null },
    { name: "days", hidden: true, default: 3 },
    { name: "city", hidden: true },
  ]);
  assert.deepEqual(parameters, { ...base, properties: {}, required: [] });
  assert.deepEqual(
    [fixed, defaults, hidden],
    [{ unit: null, days: 3 }, {}, ["unit", "days", "city"]],
  );
});

test("without a schema the written arguments are one, whatever they are called", () => {
  const { parameters } = applyArguments({ type: "object" }, [
    { name: "__proto__", type: "string" },
  ]);
  assert.deepEqual(Object.keys(parameters.properties ?? {}), ["__proto__"]);
  assert.deepEqual(parameters.required, ["__proto__"]);
});

test("the list of a hand-written tool says the same whether its server has answered or not", () => {
  const provider = {
    name: "mcp",
    priority: 0,
    health_check_interval: 300,
    config: { server: "bank", tool: "balance" },
  };
  const local = [
    { name: "account_id", type: "string" as const },
    { name: "date", required: false },
  ];
  const written = {
    ...sampleTool({ id: { server: null, tool: "bal" } }),
    parameters: { type: "object" },
    providers: [provider],
    local,
  };
  const parameters = {
    type: "object",
    properties: { account_id: { type: "string" }, date: { type: "string" } },
  };
  const base = {
    tool: { ...sampleTool({ id: { server: "bank", tool: "balance" } }), parameters },
    fixed: {},
  };
  for (const found of [base, undefined])
    assert.deepEqual(completeWrapper(written, () => found).tool.parameters.required, [
      "account_id",
    ]);
});
