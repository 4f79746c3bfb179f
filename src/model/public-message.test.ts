import assert from "node:assert/strict";
import { test } from "node:test";
import { publicMessage } from "./errors.ts";

test("what is wrong with our own files is shown to no one but us", () => {
  const told = publicMessage("CONFIG_INVALID", { file: "/home/ann/toolplane.json" });
  assert.deepEqual(told, { message: "A configuration file is missing or broken.", data: {} });
});

test("a caller without a model learns that, and not that something is broken", () => {
  const told = publicMessage("CONFIG_INVALID", { noModel: true, file: "/home/ann/toolplane.json" });
  assert.match(told?.message ?? "", /^No model is configured here/);
  assert.deepEqual(told?.data, { noModel: true });
});

test("an error that is the caller's own is shown as it is", () => {
  assert.equal(publicMessage("USAGE", {}), null);
});

test("whose record failed learns whether it was done, and nothing of our files", () => {
  const told = publicMessage("RECORD_FAILED", { done: true, file: "/home/ann/calls.db" });
  assert.match(told?.message ?? "", /It was done anyway\.$/);
  assert.deepEqual(told?.data, { done: true });
});
