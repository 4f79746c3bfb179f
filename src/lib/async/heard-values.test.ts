import assert from "node:assert/strict";
import { test } from "node:test";
import { createHeardValues } from "./heard-values.ts";

function setUp() {
  const reads: PromiseWithResolvers<string>[] = [];
  const read = () => {
    const next = Promise.withResolvers<string>();
    reads.push(next);
    return next.promise;
  };
  return { reads, values: createHeardValues({ read, isInformed: () => false }) };
}

test("those who ask while a value is read share the read, and who asks later starts one", async () => {
  const { reads, values } = setUp();
  const asked = [values.get("a"), values.get("a")];
  assert.equal(reads.length, 1);
  reads[0]?.resolve("first");
  assert.deepEqual(await Promise.all(asked), ["first", "first"]);
  const again = values.get("a");
  reads[1]?.resolve("second");
  assert.equal(await again, "second");
});

test("a read from before a change answers nobody who asks after it", async () => {
  const { reads, values } = setUp();
  const before = values.get("a");
  values.changed();
  const after = values.get("a");
  reads[1]?.resolve("new");
  reads[0]?.resolve("old");
  assert.deepEqual([await before, await after], ["old", "new"]);
});

test("a read that fails is not shared with those who ask after it", async () => {
  const { reads, values } = setUp();
  const failing = values.get("a");
  reads[0]?.reject(new Error("away"));
  await assert.rejects(async () => failing, /away/);
  const next = values.get("a");
  reads[1]?.resolve("there");
  assert.equal(await next, "there");
});
