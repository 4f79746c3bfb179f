import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { withExactNumbers } from "../../lib/json/exact-numbers.ts";
import { parseBody, parseFields } from "./body.ts";

const like = '{"arguments": {…}}';

test("numbers with many digits stay as they were written", () => {
  const text = '{"arguments":{"id":9007199254740993,"share":0.5}}';
  assert.equal(JSON.stringify(withExactNumbers(parseBody(text, like))), text);
});

test("where a number would be kept as another one it is refused by name", () => {
  const schema = z.object({ arguments: z.unknown() });
  const wrong = {
    code: "USAGE",
    message: /^'arguments\.id' is 9007199254740993, which is another number/,
  };
  assert.throws(() => parseFields('{"arguments":{"id":9007199254740993}}', schema, like), wrong);
  const fine = '{"arguments":{"id":9007199254740991,"share":0.1000000000000000055}}';
  assert.deepEqual(parseFields(fine, schema, like), {
    arguments: { id: 9007199254740991, share: 0.1 },
  });
});

test("what is no object is reported with what is expected", () => {
  assert.throws(() => parseBody("[1]", like), /The body must be an object like/);
  assert.throws(() => parseBody("{", like), /not valid JSON/);
  assert.deepEqual(parseBody("", like), {});
});
