import assert from "node:assert/strict";
import { test } from "node:test";
import { limited } from "./limited.ts";

test("gives what the work gives, in time", async () => {
  assert.equal(await limited(() => 1, 60_000), 1);
  await assert.rejects(
    limited(() => {
      throw new Error("no");
    }, 60_000),
    /no/,
  );
});

test("says that the work takes too long, in a process that has nothing else to do", async () => {
  await assert.rejects(
    limited(() => new Promise(() => undefined), 10),
    /it takes longer than 0\.01 seconds/,
  );
});
