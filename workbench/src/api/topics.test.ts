import assert from "node:assert/strict";
import { test } from "node:test";
import { topicOf } from "./topics.ts";

test("what a plane reads thousands of calls for is not asked for again as often as the list of the last ones", () => {
  assert.equal(topicOf("calls.list"), "calls");
  assert.equal(topicOf("calls.summary"), "summaries");
});
