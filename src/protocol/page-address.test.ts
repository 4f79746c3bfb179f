import assert from "node:assert/strict";
import { test } from "node:test";
import { toRpcError } from "./page-address.ts";

const visit = (url: unknown) => ({
  elicitations: [{ mode: "url", elicitationId: "1", url, message: "Visit." }],
});

test("an error that asks to visit a page keeps its data where the page is one of the web", () => {
  for (const url of ["https://example.com/x", "http://127.0.0.1:1/"]) {
    const { code, data } = toRpcError(-32042, "Visit first.", visit(url));
    assert.deepEqual([code, data], [-32042, visit(url)]);
  }
});

test("an error that asks to open anything else loses its address and says why", () => {
  for (const url of [
    "javascript:alert(1)",
    "file:///etc/passwd",
    " java\tscript:x",
    undefined,
    5,
  ]) {
    const { code, data, message } = toRpcError(-32042, "Visit first.", visit(url));
    assert.deepEqual([code, data], [-32603, undefined]);
    assert.match(message, /^it asks to visit/);
  }
});

test("the data of other errors passes unchanged", () => {
  const data = visit("javascript:alert(1)");
  assert.equal(toRpcError(-32000, "No.", data).data, data);
});
