import assert from "node:assert/strict";
import { test } from "node:test";
import { whyNoForm } from "./why-no-form.ts";

const properties = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`field${at}`, { type: "string" }]));

test("a form is drawn for what a page can hold, and why not is said", () => {
  assert.equal(whyNoForm({ type: "object", properties: properties(500) }), null);
  assert.match(
    whyNoForm({ type: "object", properties: properties(2_000) }) ?? "",
    /more than 1500 fields/,
  );
  assert.match(whyNoForm("text") ?? "", /not an object/);
  assert.match(whyNoForm({ type: "string" }) ?? "", /not for an object/);
  assert.match(whyNoForm({ type: { odd: true } }) ?? "", /not for an object/);
  assert.match(
    whyNoForm(JSON.parse('{"properties": {"__proto__": {"type": "string"}}}')) ?? "",
    /__proto__/,
  );
  let deep: object = {};
  for (let depth = 0; depth < 100_000; depth += 1) deep = { items: deep };
  assert.match(whyNoForm(deep) ?? "", /too deeply/);
});

test("references that lead to themselves are no reason, those that unfold to billions of fields are", () => {
  const node = { properties: { left: { $ref: "#/$defs/node" }, right: { $ref: "#/$defs/node" } } };
  assert.equal(whyNoForm({ $ref: "#/$defs/node", $defs: { node } }), null);
  const pairs = Array.from({ length: 40 }, (_, at) => {
    const next = { $ref: `#/$defs/d${at + 1}` };
    return [`d${at}`, { properties: { a: next, b: next } }] as const;
  });
  const bomb = {
    $defs: Object.fromEntries([...pairs, ["d40", { type: "string" }]]),
    $ref: "#/$defs/d0",
  };
  assert.match(whyNoForm(bomb) ?? "", /unfold to more than/);
  const hidden = {
    ...bomb,
    $ref: undefined,
    properties: { a: { oneOf: [{ $ref: "#/$defs/d0" }, { type: "string" }] } },
  };
  assert.match(whyNoForm(hidden) ?? "", /unfold to more than/);
});

test("a schema that is made of itself has no form", () => {
  for (const odd of [
    { allOf: [{ $ref: "#" }] },
    {
      $ref: "#/$defs/a",
      $defs: { a: { $ref: "#/$defs/b" }, b: { oneOf: [{ $ref: "#/$defs/a" }] } },
    },
    { if: { $ref: "#" } },
    { properties: { a: { dependentSchemas: { b: { $ref: "#/properties/a" } } } } },
  ])
    assert.match(whyNoForm(odd) ?? "", /made of itself/, JSON.stringify(odd));
});
