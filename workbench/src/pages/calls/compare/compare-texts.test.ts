import assert from "node:assert/strict";
import { test } from "node:test";
import { argumentsText, differenceOf } from "./compare-texts.ts";

type Compared = Parameters<typeof differenceOf>[0];
const call = (args: unknown, result: unknown, more: Partial<Compared> = {}): Compared => ({
  status: "succeeded",
  provider: "mcp",
  argumentsHash: "a",
  resultHash: "r",
  error: null,
  attempts: [],
  payload: { expiresAt: "", arguments: args as never, result: result as never },
  ...more,
});

test("JSON inside a text is compared line by line, and what is the same is left out", () => {
  const text = (count: number) => ({
    content: [{ type: "text", text: JSON.stringify({ name: "a", count }) }],
  });
  assert.equal(
    differenceOf(call({ q: "x" }, text(1)), call({ q: "x" }, text(2))),
    ["@@ result @@", " {", '   "name": "a",', '-  "count": 1', '+  "count": 2', " }"].join("\n"),
  );
});

test("two equal calls have no difference, and a failed one says how it failed", () => {
  assert.equal(differenceOf(call({}, null), call({}, null)), "");
  const failed = call({}, null, {
    status: "failed",
    error: { code: "TIMEOUT", message: "No answer." } as never,
  });
  assert.match(
    differenceOf(call({}, null), failed),
    /@@ status @@\n-succeeded\n\+failed\n@@ error @@\n\+TIMEOUT: No answer\./,
  );
});

test("far from a change nothing is repeated; without values the hashes are compared", () => {
  const list = (last: number) => ({ items: [...Array.from({ length: 50 }, (_, at) => at), last] });
  const lines = differenceOf(call(list(1), null), call(list(2), null)).split("\n");
  assert.ok(lines.length < 15, lines.join("\n"));
  const bare = { payload: null };
  assert.match(
    differenceOf(call({}, null, bare), call({}, null, { ...bare, resultHash: "s" })),
    /hash of the result/,
  );
});

test("a summary of the arguments is one line", () => {
  assert.equal(argumentsText({ argumentNames: ["a", "b"], payload: null }), "a, b");
  const long = argumentsText({
    argumentNames: [],
    payload: { expiresAt: "", arguments: "x".repeat(500), result: null },
  });
  assert.equal(long.length, 161);
});
