import assert from "node:assert/strict";
import { test } from "node:test";
import { causeOf } from "./server-cause.ts";

test("a server that runs has no cause", () =>
  assert.equal(causeOf({ error: null, stderrTail: "warming up" }), null));

test("what the server wrote itself stands behind what the plane saw", () =>
  assert.equal(
    causeOf({ error: "it exited with code 1", stderrTail: "Error: DATABASE_URL is not set\n" }),
    "It exited with code 1. It wrote: Error: DATABASE_URL is not set",
  ));

test("nothing is said twice, and nothing is made of no words", () => {
  assert.equal(causeOf({ error: "it wrote: no", stderrTail: "no" }), "It wrote: no");
  assert.equal(causeOf({ error: "it answered HTTP 401", stderrTail: " " }), "It answered HTTP 401");
  assert.equal(causeOf({ error: "it answered HTTP 401" }), "It answered HTTP 401");
});
