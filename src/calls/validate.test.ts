import assert from "node:assert/strict";
import { test } from "node:test";
import { authorizedCall, sampleTool } from "../../test/samples/calls.ts";
import { validate as validateAtOnce } from "./validate.ts";

/** Where it does not wait it answers at once, which is the same to a caller that waits. */
const validate = async (...given: Parameters<typeof validateAtOnce>) => validateAtOnce(...given);

const declared = { name: { type: "string" }, count: { type: "integer" } };
const args = { name: "n", extra: 1, x_note: "x" };

const fits = async () => [];

test("valid arguments go on with what was repaired and dropped", async () => {
  const call = authorizedCall(
    sampleTool({ parameters: { properties: declared } }),
    '{"name": "n", "extra": 1',
  );
  const before = { ...call };
  const { input, ...rest } = await validate(call, fits, () => true);
  assert.deepEqual(input, { arguments: { name: "n" }, repaired: true, dropped: ["extra"] });
  assert.deepEqual(rest, before);
});

test("for a tool that may change something nothing is guessed, and what is only misspelt is read", async () => {
  const tool = sampleTool({ parameters: { properties: declared } });
  for (const cut of ['{"name": "n', '{"name": "n", "count": 1', '{"name": "n",'])
    await assert.rejects(validate(authorizedCall(tool, cut), fits), {
      message: /were cut off.*Give them whole\.$/,
    });
  const closed = await validate(authorizedCall(tool, '{"name": "n"'), fits);
  assert.deepEqual(closed.input, { arguments: { name: "n" }, repaired: true, dropped: [] });
  const { input } = await validate(authorizedCall(tool, "{'name': 'n',}"), fits);
  assert.deepEqual(input, {
    arguments: { name: "n" },
    repaired: true,
    dropped: [],
    respelt: ["single quotes", "a comma too many"],
  });
});

test("the check sees the tool's schema and only the arguments that will be sent", async () => {
  const tool = sampleTool({ parameters: { properties: declared } });
  const seen: unknown[] = [];
  await validate(authorizedCall(tool, args), async (schema, kept) => {
    seen.push(schema, kept);
    return [];
  });
  assert.deepEqual(seen, [tool.parameters, { name: "n" }]);
});

test("a refusal names every problem, what is misspelt and what the tool takes", async () => {
  const tool = sampleTool({ parameters: { properties: declared, required: ["name"] } });
  const problems = [
    { path: "", message: "missing 'name'" },
    { path: "/count", message: "must be integer, got string" },
  ];
  const validation = validate(
    authorizedCall(tool, { nmae: "n", count: "1" }),
    async () => problems,
  );
  await assert.rejects(validation, {
    code: "INVALID_ARGUMENTS",
    message:
      /missing 'name'; \/count must be integer.* 'nmae' → 'name'.* name \(string, required\), count \(integer\)/,
    data: {
      tool: "notes.write",
      problems,
      unknown: ["nmae"],
      hint: "Misspelt? 'nmae' → 'name'. It takes: name (string, required), count (integer).",
    },
  });
});

test("a tool that takes nothing says so", async () => {
  const tool = sampleTool({ parameters: { type: "object" } });
  const validation = validate(authorizedCall(tool, {}), async () => [
    { path: "", message: "is odd" },
  ]);
  await assert.rejects(validation, { message: /It takes: no arguments/ });
});

test("arguments that are no object never reach the check", async () => {
  const validation = validate(authorizedCall(sampleTool(), "[1]"), () =>
    assert.fail("it was asked"),
  );
  await assert.rejects(validation, { code: "INVALID_ARGUMENTS" });
});
