import assert from "node:assert/strict";
import { test } from "node:test";
import { measureJson } from "./measure-json.ts";

test("members of long text are counted whatever its texts escape, and wherever they end", () => {
  const filling = "f".repeat(70_000);
  for (let length = 55; length < 75; length += 1)
    for (const end of ["", '"', "\\", '\\"', '"\\', '\\\\"', "\n:,{", '":', "é"]) {
      const value = {
        filling,
        a: `${"x".repeat(length)}${end}`,
        b: `${end}${"y".repeat(length)}${end}`,
        c: [{ [end]: 1 }],
      };
      const text = JSON.stringify(value);
      for (const bytes of [undefined, Buffer.from(text)]) {
        const { tooMuch, members } = measureJson(text, undefined, bytes);
        assert.deepEqual([tooMuch, members], [null, 5], text.slice(70_000));
      }
    }
  assert.equal(measureJson(`["${filling}`).members, 0);
});
