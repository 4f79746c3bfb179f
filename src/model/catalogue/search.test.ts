import assert from "node:assert/strict";
import { test } from "node:test";
import { PlaneError } from "../errors.ts";
import { parseSearch } from "./search.ts";

test("what cannot be searched for is refused by name", () => {
  const cases: [unknown, string][] = [
    [undefined, "query"],
    ["text", "query"],
    [{}, "query"],
    [{ query: 7 }, "query"],
    [{ query: "x".repeat(10_001) }, "query"],
    [{ query: "a", queries: ["b"] }, "queries"],
    [{ queries: [] }, "queries"],
    [{ queries: Array(11).fill("a") }, "queries"],
    [{ queries: "a".split("").concat(7 as never) }, "queries"],
    [{ query: "a", regex: "yes" }, "regex"],
    [{ query: "a", server: "" }, "server"],
    [{ query: "a", server: 7 }, "server"],
    [{ query: "a", limit: 0 }, "limit"],
    [{ query: "a", limit: 1.5 }, "limit"],
    [{ query: "a", limit: 101 }, "limit"],
    [{ query: "a", limit: "5" }, "limit"],
  ];
  for (const [given, parameter] of cases) {
    assert.throws(
      () => parseSearch(given),
      (error) =>
        error instanceof PlaneError && error.code === "USAGE" && error.data.parameter === parameter,
      JSON.stringify(given),
    );
  }
});

test("what is left out is nothing in particular", () => {
  assert.deepEqual(parseSearch({ query: "  mail " }), {
    queries: ["mail"],
    isPattern: false,
    server: null,
    limit: null,
    isExplained: false,
  });
});
