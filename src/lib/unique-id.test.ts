import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { uniqueId } from "./ids-and-time.ts";

test("ten thousand ids of one moment are ten thousand", () => {
  mock.timers.enable({ apis: ["Date"], now: 1_800_000_000_000 });
  const ids = Array.from({ length: 10_000 }, uniqueId);
  mock.timers.reset();
  assert.equal(new Set(ids).size, ids.length);
});

test("an id is fit for a path or a URL and sorts by its time", () => {
  mock.timers.enable({ apis: ["Date"], now: 0 });
  const ids = [0, 1, 35, 1_800_000_000_000, 2_000_000_000_000].map((now) => {
    mock.timers.setTime(now);
    return uniqueId();
  });
  mock.timers.reset();
  assert.deepEqual([...ids].sort(), ids);
  for (const id of ids) assert.match(id, /^[a-z0-9]{9}-[a-z0-9]{16}$/);
});
