import "../lib/text/linear-pattern.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSafePattern } from "../lib/text/safe-pattern.ts";
import type { Tool } from "../model/catalogue/tool.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { checkOutput, checkSchema } from "./schema-check.ts";
import { keepDeclared } from "./validate.ts";

test("thirty references that double are refused by name, and no result is lost", () => {
  const $defs: JsonObject = { d0: { type: "string" } };
  for (let at = 1; at <= 30; at++) {
    const $ref = `#/$defs/d${at - 1}`;
    $defs[`d${at}`] = { allOf: [{ $ref }, { $ref }] };
  }
  const schema = { $defs, $ref: "#/$defs/d30" };
  assert.match(checkSchema(schema, "x")[0]?.message ?? "", /cannot be checked within/);
  assert.match(
    checkOutput(schema, { content: [], structuredContent: "x" }).join(),
    /cannot be checked within/,
  );
});

test("a reference to itself ends", () => {
  assert.match(checkSchema({ $ref: "#" }, {})[0]?.message ?? "", /cannot be checked/);
  const deep = JSON.parse(`${"[".repeat(500)}${"]".repeat(500)}`) as Json;
  assert.deepEqual(checkSchema({ items: { $ref: "#" } }, deep), []);
});

test("of a million wrong items some are named", () => {
  const problems = checkSchema({ items: { type: "string" } }, Array(300_000).fill(1));
  assert.ok(problems.length > 1 && problems.length <= 50);
});

test("a schema of many parts is ready before it is used up", () => {
  const properties = Object.fromEntries(
    Array.from({ length: 15_000 }, (_, at) => [`p${at}`, { type: "string" }]),
  );
  assert.equal(checkSchema({ properties }, { p7: 1 }).length, 1);
  const more = Object.fromEntries(
    Array.from({ length: 25_000 }, (_, at) => [`p${at}`, { type: "string" }]),
  );
  assert.throws(() => checkSchema({ properties: more }, {}), {
    code: "PROVIDER_FAILED",
    message: /20000 parts/,
  });
});

test("what no linear engine knows is asked where it ends soon, else left and told", () => {
  const warnings: string[] = [];
  const password = { pattern: "^(?=.*[A-Z])(?=.*\\d).{8,}$" };
  assert.equal(checkSchema(password, "password", warnings).length, 1);
  assert.deepEqual(checkSchema(password, "Passw0rd", warnings), []);
  assert.deepEqual(warnings, []);
  const repeated = { pattern: "^(a+)+\\1$" };
  assert.deepEqual(checkSchema(repeated, `${"a".repeat(40)}!`, warnings), []);
  assert.match(warnings.join(), /pattern .* of its input schema was not checked/);
});

test("a pattern for names of arguments is never run where it might take long", () => {
  const parameters = { patternProperties: { "^(a+)+$": {} }, additionalProperties: false };
  const tool = { parameters, reserved: [], injects: [] } as unknown as Tool;
  const name = `${"a".repeat(100_000)}!`;
  assert.deepEqual(keepDeclared(tool, { [name]: 1 }).dropped, []);
  assert.equal(checkSchema(parameters, { [name]: 1 }).length, 1);
});

test("a pattern that the engine finds too large is left and told", () => {
  const warnings: string[] = [];
  const pattern = "[a-z]".repeat(100_000);
  assert.deepEqual(checkSchema({ pattern }, "x", warnings), []);
  assert.equal(warnings.length, 1);
});

test("the classes of Unicode that a pattern names are part of the work of its first check", () => {
  const named = createSafePattern("^\\p{L}{2}\\p{N}$");
  const before = named?.steps(3) ?? 0;
  assert.equal(named?.test("äb3"), true);
  assert.ok(before >= 1_000 + (named?.steps(3) ?? 0));
  assert.equal(createSafePattern("\\p{L}".repeat(300))?.test("x"), undefined);
});

test("names that patterns cannot be asked about soon are left to the check", () => {
  const patterns = Array.from({ length: 2_000 }, (_, at) => [`^a{${at}}b$`, {}]);
  const parameters = { patternProperties: Object.fromEntries(patterns) };
  const tool = { parameters, reserved: [], injects: [] } as unknown as Tool;
  const names = Array.from({ length: 2_000 }, (_, at) => [`x${at}`, 1]);
  const { dropped } = keepDeclared(tool, Object.fromEntries(names));
  assert.ok(dropped.length > 0 && dropped.length < names.length);
  assert.deepEqual(keepDeclared(tool, { x: 1 }).dropped, ["x"]);
});
