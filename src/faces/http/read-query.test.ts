import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { PlaneError } from "../../model/errors.ts";
import { Limit } from "../../operations/fields.ts";
import { readQuery } from "./read-query.ts";

const schema = z.object({
  tool: z.string().optional(),
  tag: z.array(z.string()).optional(),
  limit: Limit,
});
const read = (query: string) => readQuery(schema, new URLSearchParams(query));

function refusal(query: string): { message: string; parameter: unknown } {
  try {
    read(query);
  } catch (thrown) {
    assert.ok(thrown instanceof PlaneError && thrown.code === "USAGE");
    return { message: thrown.message, parameter: thrown.data.parameter };
  }
  return assert.fail(`'${query}' was taken`);
}

test("what is asked for is read, and what is left out is not there", () => {
  assert.deepEqual(read(""), {});
  assert.deepEqual(read("tool=a&tag=x&tag=y&limit=5"), { tool: "a", tag: ["x", "y"], limit: 5 });
  assert.deepEqual(readQuery(undefined, new URLSearchParams()), {});
});

const refused: [query: string, parameter: string, message: RegExp][] = [
  ["limit=0", "limit", /'limit' cannot be '0': give an integer from 1 to 1000\./],
  ["limit=1001", "limit", /'1001'/],
  ["limit=1e2", "limit", /'1e2'/],
  ["limit=", "limit", /''/],
  ["tool=a&tool=b", "tool", /given twice/],
  ["tols=a", "tols", /Did you mean 'tool'\?/],
  ["__proto__=a", "__proto__", /no parameter '__proto__'/],
  [`tool=a&${"x".repeat(500)}=1`, "x".repeat(500), /no parameter 'x{60}…'/],
];

for (const [query, parameter, message] of refused) {
  test(`?${query.slice(0, 30)} is refused by the name of the parameter`, () => {
    const told = refusal(query);
    assert.equal(told.parameter, parameter);
    assert.match(told.message, message);
  });
}
