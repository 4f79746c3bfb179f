import assert from "node:assert/strict";
import { test } from "node:test";
import { complete, startOf, valueFor, withOnlyValues, withoutInactiveFields } from "./branches.ts";
import { branchOf } from "./check-value.ts";
import { fitForForms } from "./fit-for-forms.ts";

const root = fitForForms({
  type: "object",
  required: ["version", "head"],
  $defs: {
    card: {
      type: "object",
      required: ["by", "number", "currency"],
      properties: {
        by: { const: "card" },
        number: { type: "string" },
        currency: { type: "string", default: "EUR" },
        note: { type: "string" },
      },
    },
  },
  properties: {
    version: { const: 2 },
    mode: { const: "fast" },
    head: {
      type: "object",
      required: ["kind"],
      properties: { kind: { enum: ["head"] }, size: { type: "integer" } },
    },
    pay: {
      oneOf: [
        { $ref: "#/$defs/card" },
        { type: "object", properties: { by: { const: "cash" }, note: { type: "integer" } } },
        {
          type: "object",
          required: ["free"],
          properties: { by: { const: "gift" }, free: { type: "boolean" } },
        },
      ],
    },
    plain: {
      anyOf: [
        {
          type: "object",
          required: ["x"],
          properties: { x: { type: "number" }, both: { type: "string" } },
        },
        { type: "object", properties: { y: { type: "number" }, both: { type: "string" } } },
        { type: "array", items: { type: "number" } },
        { type: "array", items: { type: "string" } },
        { type: "string" },
      ],
    },
  },
});
const choicesOf = (name: string) => {
  const { oneOf, anyOf } =
    (root.properties as Record<string, { oneOf?: unknown[]; anyOf?: unknown[] }>)[name] ?? {};
  return oneOf ?? anyOf ?? [];
};
const pay = choicesOf("pay");
const plain = choicesOf("plain");

test("what tells choices apart decides, whatever else is given", () => {
  assert.equal(branchOf(pay, { by: "cash", number: "4" }, root), 1);
  assert.equal(branchOf(pay, { by: "gift" }, root, 0), 2);
  assert.equal(branchOf(pay, { by: "other" }, root), -1);
  assert.equal(branchOf(pay, { number: "4" }, root), 0);
  assert.equal(branchOf(pay, {}, root), -1);
  assert.equal(branchOf(pay, undefined, root, 1), 1);
});

test("without it, type and fields decide; what a person chose stays until the value speaks for another", () => {
  assert.equal(branchOf(plain, { y: 1 }, root), 1);
  assert.equal(branchOf(plain, {}, root, 0), 0);
  assert.equal(branchOf(plain, { both: "b" }, root, 0), 0);
  assert.equal(branchOf(plain, { y: 1 }, root, 0), 1);
  assert.equal(branchOf(plain, ["a"], root), 3);
  assert.equal(branchOf(plain, [], root, 3), 3);
  assert.equal(branchOf(plain, [1], root, 3), 2);
  assert.equal(branchOf(plain, "words", root, 0), 4);
  assert.equal(branchOf(plain, true, root, 0), -1);
});

test("a choice starts with what must be given; fields of the old one alone are dropped", () => {
  const take = (to: number, value: unknown, shared = {}) =>
    valueFor(pay, to, { value, shared, root });
  assert.deepEqual(take(0, undefined), { by: "card", currency: "EUR" });
  assert.deepEqual(take(1, { by: "card", number: "4", note: "of another type" }), { by: "cash" });
  assert.deepEqual(take(0, { by: "cash", note: "kept" }), {
    by: "card",
    currency: "EUR",
    note: "kept",
  });
  assert.deepEqual(take(1, { by: "card", id: 7 }, { id: {} }), { by: "cash", id: 7 });
  assert.deepEqual(take(-1, { by: "card", id: 7 }, { id: {} }), { id: 7 });
  assert.equal(take(-1, { by: "card" }), undefined);
  assert.deepEqual(valueFor(plain, 4, { value: { x: 1 }, shared: {}, root }), undefined);
  assert.deepEqual(valueFor(plain, 3, { value: [], shared: {}, root }), []);
});

test("the only value of what is required is given, of what is optional it is not", () => {
  assert.deepEqual(withOnlyValues({}, root, root), { version: 2, head: { kind: "head" } });
  const whole = { version: 3, head: {} };
  assert.equal(withOnlyValues(whole, root, root), whole);
  assert.equal(startOf({ type: "string" }, root), undefined);
});

test("what is given within is completed, too: in objects, lists and choices", () => {
  const has = (name: string) => ({
    type: "object",
    required: ["kind"],
    properties: { kind: { const: name }, x: {} },
  });
  const schema = {
    properties: {
      head: has("head"),
      list: { items: has("item") },
      map: { additionalProperties: has("entry") },
      either: { anyOf: [{ type: "string" }, has("object")] },
    },
  };
  const given = {
    head: { x: 1 },
    list: [{ x: 1 }, null],
    map: { a: { x: 1 }, b: {} },
    either: { x: 1 },
  };
  assert.deepEqual(complete(given, schema, schema), {
    head: { kind: "head", x: 1 },
    list: [{ kind: "item", x: 1 }, null],
    map: { a: { kind: "entry", x: 1 }, b: {} },
    either: { kind: "object", x: 1 },
  });
});

test("a schema that requires itself does not unfold without end", () => {
  const endless = {
    type: "object",
    required: ["in", "kind"],
    properties: { in: { $ref: "#" }, kind: { const: 1 } },
  };
  assert.match(JSON.stringify(withOnlyValues({}, endless, endless)), /^\{"in":\{"in":/);
});

test("what a condition asked for goes with it", () => {
  const when = (name: string) => ({
    if: { properties: { [name]: { const: true } }, required: [name] },
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
    then: { properties: { street: { type: "string" } } },
    else: { properties: { shop: { type: "string" } } },
  });
  const schema = {
    properties: { ship: { type: "boolean" }, in: { allOf: [when("a")] } },
    ...when("ship"),
  };
  const value = { street: "s", shop: "t", other: 1, in: { street: "s", shop: "t" } };
  assert.deepEqual(withoutInactiveFields({ ...value, ship: true }, schema, schema), {
    ...{ ship: true, street: "s", other: 1, in: { shop: "t" } },
  });
  assert.deepEqual(withoutInactiveFields(value, schema, schema), {
    shop: "t",
    other: 1,
    in: { shop: "t" },
  });
});
