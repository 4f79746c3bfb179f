import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../../../../test/samples/texts.ts";
import { safeName } from "./save-artifacts.ts";

for (const [name, expected] of [
  ["plan.sh", "plan.sh"],
  ["../../etc/passwd", "passwd"],
  ["C:\\Windows\\a.txt", "a.txt"],
  [".bashrc", "bashrc"],
  ["..", ""],
  ["-rf", "rf"],
  ["a b:c?.txt", "a_b_c_.txt"],
  ["con.txt", "_con.txt"],
  ["x\u001b[2Jy\u202e", "xy"],
] as const) {
  test(`'${JSON.stringify(name)}' becomes '${expected}'`, () =>
    assert.equal(safeName(name), expected));
}

test("no name leads out of its directory", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (name) => {
      const safe = safeName(name);
      assert.ok(
        !/[\\/\u0000]/.test(safe) && safe !== "." && safe !== ".." && safe.length <= 121,
        safe,
      );
    }),
  );
});
