import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

/** In a process of its own, because it is about the whole engine. */
const program = `
  import { getHeapSpaceStatistics } from "node:v8";
  import { limitHeap } from ${JSON.stringify(import.meta.resolve("./heap.ts"))};
  const youngMegabytes = () => {
    const found = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    return found.space_size / 1024 / 1024;
  };
  const work = async () => {
    let held = [];
    for (let turn = 0; turn < 300; turn++) {
      held = [held.at(-1), Array.from({ length: 20_000 }, (_, at) => ({ at, text: String(at) }))];
      await new Promise(setImmediate);
    }
  };
  using limit = limitHeap();
  const sizes = [];
  await work();
  sizes.push(youngMegabytes());
  for (let turn = 0; turn < 3; turn++) gc({ type: "major", flavor: "last-resort" });
  await new Promise((resolve) => setTimeout(resolve, 10));
  sizes.push(youngMegabytes());
  await work();
  sizes.push(youngMegabytes());
  console.log(JSON.stringify(sizes));
`;

test("what is young grows to its limit, also after it was given back in a quiet time", () => {
  const { stdout, stderr } = spawnSync(process.execPath, ["--expose-gc", "--input-type=module", "--eval", program], {
    encoding: "utf8",
  });
  assert.notEqual(stdout, "", stderr);
  const [first = 0, quiet = 0, again = 0] = JSON.parse(stdout) as number[];
  assert.ok(first >= 8 && first < 32, `${first} MB under load`);
  assert.ok(quiet < first, `${quiet} MB in a quiet time`);
  assert.ok(again >= 8 && again < 32, `${again} MB under load again`);
});
