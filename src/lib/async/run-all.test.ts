import assert from "node:assert/strict";
import { test } from "node:test";
import { runAll } from "./once.ts";

test("every step is run in order, and the first failure is thrown at the end", async () => {
  const done: string[] = [];
  const failing = (name: string) => () => {
    done.push(name);
    throw new Error(name);
  };
  const steps = [
    async () => void done.push("first"),
    failing("second"),
    [async () => failing("third")(), async () => void done.push("together with it")],
    () => done.push("last"),
  ];
  await assert.rejects(runAll(steps), /second/);
  assert.deepEqual(done, ["first", "second", "third", "together with it", "last"]);
  await runAll([]);
});
