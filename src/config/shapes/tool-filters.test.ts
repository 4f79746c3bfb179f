import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cases } from "../../../test/fixtures/tier.ts";
import { passesFilter } from "../../lib/text/glob.ts";
import { intersectFilters } from "./tools-mcp-block.ts";

const examples: [left: string[], right: string[], both: string[] | undefined][] = [
  [["a", "b"], ["b", "c"], ["b"]],
  [[], ["a"], []],
  [["read_*"], ["read_file", "write"], ["read_file"]],
  [["read_*"], ["*"], ["read_*"]],
  [["read_file_*"], ["read_*"], ["read_file_*"]],
  [["read_*"], ["write_*"], []],
  [["*_read"], ["*_write"], []],
  [["a?"], ["ab"], ["ab"]],
  [["a*"], ["*b"], undefined],
  [["a?"], ["?b"], undefined],
];

for (const [left, right, both] of examples) {
  test(`[${left}] and [${right}] both admit ${both ? `[${both}]` : "what no list says"}`, () => {
    assert.deepEqual(intersectFilters(left, right), both);
    assert.deepEqual(intersectFilters(right, left), both);
  });
}

test("a name passes the common list exactly when it passes both", () => {
  const pattern = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), maxLength: 4 });
  const name = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 5 });
  const list = fc.array(pattern, { maxLength: 3 });
  fc.assert(
    fc.property(list, list, name, (left, right, tool) => {
      const both = intersectFilters(left, right);
      if (both === undefined) return;
      const expected = passesFilter(tool, left, null) && passesFilter(tool, right, null);
      assert.equal(passesFilter(tool, both, null), expected);
    }),
    { numRuns: cases(3000) },
  );
});
