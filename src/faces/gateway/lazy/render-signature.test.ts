import assert from "node:assert/strict";
import { test } from "node:test";
import { renderSignature } from "./find-tools.ts";

const text = { type: "string" };
const signature = (properties: object, required: string[] = []) =>
  renderSignature({ type: "object", properties: properties as never, required });

test("the parameters of a tool are one line, what a call must have first", () => {
  assert.deepEqual(signature({ head: { type: "integer" }, path: text }, ["path"]), {
    text: "path: string, head?: integer",
    isWhole: true,
  });
  assert.deepEqual(renderSignature({ type: "object" }), { text: "", isWhole: true });
});

test("values, lists and objects are reported as far as a line goes", () => {
  assert.equal(signature({ sort: { enum: ["name", "size"] } }).text, 'sort?: "name"|"size"');
  assert.equal(
    signature({ kinds: { type: "array", items: { enum: [1, 2] } } }).text,
    "kinds?: (1|2)[]",
  );
  assert.equal(
    signature({
      edits: {
        type: "array",
        items: { type: "object", properties: { old: text }, required: ["old"] },
      },
    }).text,
    "edits?: {old: string}[]",
  );
  assert.equal(signature({ id: { type: ["string", "null"] } }).text, "id?: string|null");
});

test("what a line does not tell is said to be missing", () => {
  const deep = { type: "object", properties: { a: { type: "object", properties: { b: text } } } };
  assert.equal(signature({ deep: { type: "object", properties: { deep } } }).isWhole, false);
  assert.equal(signature({ one: { oneOf: [text] } }).isWhole, false);
  assert.equal(renderSignature({ type: "object", anyOf: [] }).isWhole, false);
  const many = Object.fromEntries(
    Array.from({ length: 100 }, (_, at) => [`parameter_${at}`, text]),
  );
  const { text: long, isWhole } = signature(many);
  assert.ok(long.length <= 310 && long.endsWith("…") && !isWhole);
  assert.equal(
    signature({ n: { enum: Array.from({ length: 20 }, (_, at) => at) } }).isWhole,
    false,
  );
});
