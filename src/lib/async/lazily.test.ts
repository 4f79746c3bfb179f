import assert from "node:assert/strict";
import { test } from "node:test";
import { lazily } from "./lazily.ts";

test("a part is loaded by the first call of one of its functions, and they answer as it does", async () => {
  let loads = 0;
  const load = async () => {
    loads += 1;
    return { sum: (a: number, b: number) => a + b, name: async () => "part", size: 3 };
  };
  const { sum, name } = lazily(load, ["sum", "name"]);
  assert.equal(loads, 0);
  assert.deepEqual([await sum(1, 2), await name()], [3, "part"]);
});

test("what cannot be loaded rejects the call, and the next one tries again", async () => {
  const answers = [Promise.reject(new Error("not yet")), Promise.resolve({ go: () => 1 })];
  const { go } = lazily(() => answers.shift() as Promise<{ go(): number }>, ["go"]);
  await assert.rejects(go(), /not yet/);
  assert.equal(await go(), 1);
});
