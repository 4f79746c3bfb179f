import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod/mini";
import { describeIssue } from "./describe-issue.ts";

const schema = z.strictObject({
  effect: z.optional(z.enum(["none", "write"])),
  count: z.optional(z.int().check(z.minimum(0), z.maximum(9))),
  share: z.optional(z.number().check(z.positive())),
  name: z.optional(z.string().check(z.minLength(1), z.maxLength(5))),
  url: z.optional(z.url()),
  time: z.optional(z.string().check(z.regex(/^\d\d:\d\d$/, "must be a time such as 09:30"))),
  list: z.optional(z.array(z.string())),
  either: z.optional(z.union([z.number(), z.array(z.number())])),
  one: z.optional(z.literal("x")),
});

const cases: [value: object, message: string][] = [
  [{ effect: "zap" }, "must be one of none, write, not 'zap'"],
  [{ effect: {} }, "must be one of none, write, not an object"],
  [{ one: "y" }, "must be 'x', not 'y'"],
  [{ count: -1 }, "must be at least 0"],
  [{ count: 10 }, "must be at most 9"],
  [{ count: 1.5 }, "must be an integer, not a number"],
  [{ count: "5" }, "must be a number, not a string"],
  [{ share: 0 }, "must be more than 0"],
  [{ name: "" }, "must not be empty"],
  [{ name: "secret" }, "must be at most 5 characters long"],
  [{ name: ["a"] }, "must be a string, not a list"],
  [{ url: "nowhere" }, "must be a whole URL such as https://mcp.example.org/mcp"],
  [{ time: "9" }, "must be a time such as 09:30"],
  [{ list: [1] }, "must be a string, not a number"],
  [{ either: "a" }, "must have another form than a string"],
  [{ other: 1 }, "must not have 'other'"],
];

test("what is wrong with a value is said in words of ours, and a secret is not repeated", () => {
  for (const [value, message] of cases) {
    const { error } = z.safeParse(schema, value);
    assert.deepEqual(
      error?.issues.map((issue) => describeIssue(issue, value)),
      [message],
      JSON.stringify(value),
    );
  }
  const { error } = z.safeParse(z.object({ name: z.string() }), {});
  assert.equal(error && describeIssue(error.issues[0] as z.core.$ZodIssue, {}), "is missing");
});
