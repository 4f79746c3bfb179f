import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { pageAfterCursor } from "./fields.ts";

const keyOf = (name: string) => name;

test("pages together are the whole list, each item once, in its order", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ minLength: 1 })),
      fc.integer({ min: 1, max: 7 }),
      (names, limit) => {
        const seen: string[] = [];
        let cursor: string | null | undefined;
        do {
          const page = pageAfterCursor(names, keyOf, { limit, ...(cursor ? { cursor } : {}) });
          assert.ok(page.items.length <= limit);
          seen.push(...page.items);
          cursor = page.nextCursor;
        } while (cursor !== null);
        assert.deepEqual(seen, [...names].sort());
      },
    ),
  );
});

test("what came or went since moves nothing that was not read yet", () => {
  const first = pageAfterCursor(["b", "d", "f"], keyOf, { limit: 2 });
  const second = pageAfterCursor(["a", "b", "e", "f"], keyOf, {
    limit: 2,
    cursor: String(first.nextCursor),
  });
  assert.deepEqual(second.items, ["e", "f"]);
});

test("a cursor that is none is refused", () => {
  assert.throws(() => pageAfterCursor(["a"], keyOf, { cursor: "***" }), {
    code: "USAGE",
    data: { parameter: "cursor", value: "***" },
  });
});
