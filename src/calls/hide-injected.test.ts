import assert from "node:assert/strict";
import { test } from "node:test";
import { PlaneError, reportError } from "../model/errors.ts";
import { createInjectedHider } from "./hide-injected.ts";

const inventory = { available_servers: [{ server_name: "vault", tools: [] }] };
const hide = createInjectedHider({
  username: "ann",
  groups: ["ops"],
  _mcp_data: inventory,
  key: "s3cret-value",
});

for (const [title, text, shown] of [
  ["a word", "no user ann here", "no user «injected» here"],
  ["a word of a list", "for (ops) only", "for («injected») only"],
  ["not a part of a word", "annual drops", "annual drops"],
  ["an object as JSON", `got ${JSON.stringify(inventory)}!`, "got «injected»!"],
  ["an object on lines", JSON.stringify(inventory, null, 2), "«injected»"],
  [
    "an object with spaces",
    '{"available_servers": [{"server_name": "vault", "tools": []}]}',
    "«injected»",
  ],
  [
    "an object inside of JSON",
    JSON.stringify({ said: JSON.stringify(inventory) }),
    '{"said":"«injected»"}',
  ],
  ["in other clothes", Buffer.from("s3cret-value").toString("base64"), "[redacted]"],
] as const) {
  test(`an injected value is hidden: ${title}`, () => assert.equal(hide.text(text), shown));
}

test("an error loses the values, in its message, its cause and its data, and nothing else", () => {
  const cause = new Error("key s3cret-value is wrong");
  const error = new PlaneError("PROVIDER_FAILED", "failed for ann", {
    data: { server: "a", said: ["ann"] },
    cause,
  });
  const hidden = hide.error(error) as PlaneError;
  assert.equal(hidden.code, "PROVIDER_FAILED");
  const report = JSON.stringify(reportError(hidden));
  assert.ok(!report.includes("ann") && !report.includes("s3cret"), report);
  const other = new PlaneError("TIMEOUT", "too late", { data: { server: "a" } });
  assert.equal(hide.error(other), other);
  assert.equal(hide.error(cause), cause);
});

test("an error loses the values where only its data repeats them, as text, as a number and as an object", () => {
  const hider = createInjectedHider({ key: "s3cret-value", _mcp_data: inventory, account: 90210 });
  const received = {
    key: "s3cret-value",
    _mcp_data: structuredClone(inventory),
    account: 90210,
    limit: 10,
  };
  const error = new PlaneError("PROVIDER_FAILED", "it failed", {
    data: { server: "a", rpcData: { received } },
  });
  assert.deepEqual((hider.error(error) as PlaneError).data, {
    server: "a",
    rpcData: {
      received: { key: "«injected»", _mcp_data: "«injected»", account: "«injected»", limit: 10 },
    },
  });
});

test("what a tool answers stays as it is, what it complains about does not", () => {
  const answer = { content: [{ type: "text", text: "ann" }] };
  assert.equal(hide.result(answer), answer);
  assert.deepEqual(hide.result({ ...answer, isError: true }), {
    content: [{ type: "text", text: "«injected»" }],
    isError: true,
  });
});

test("without injected values everything is passed on as it is", () => {
  const value = { a: ["ann"] };
  assert.equal(createInjectedHider({}).value(value), value);
});
