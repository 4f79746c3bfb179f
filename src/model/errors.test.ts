import assert from "node:assert/strict";
import { test } from "node:test";
import { type ErrorCode, errorTable, PlaneError, reportError, toPlaneError } from "./errors.ts";

const rows = Object.entries(errorTable) as [ErrorCode, (typeof errorTable)[ErrorCode]][];

test("every code has a status, an exit code and a sentence that a person understands", () => {
  for (const [code, { http, rpc, exit, means }] of rows) {
    assert.match(code, /^[A-Z]+(_[A-Z]+)*$/);
    assert.ok(http >= 200 && http < 600, code);
    assert.ok(rpc <= -32_000 && rpc >= -32_800, code);
    assert.ok([1, 2, 3, 4].includes(exit), code);
    assert.match(means, /^[A-Z].*\.$/, code);
  }
});

/** The exit codes a script can tell apart. */
const exits: Partial<Record<(typeof errorTable)[ErrorCode]["category"], number>> = {
  validation: 2,
  configuration: 2,
  policy: 3,
  tool: 1,
  dependency: 4,
  transient: 4,
};

test("the exit code follows from the category", () => {
  for (const [code, { category, exit }] of rows) {
    // What is named and not there, or not in the right state, is a check that failed and no wrong command.
    const expected = ["NOT_FOUND", "NOT_RECORDED", "CONFLICT"].includes(code) ? 1 : exits[category];
    if (expected !== undefined) assert.equal(exit, expected, code);
  }
});

test("what was refused or answered by the tool is not worth a second try; what was not reached is", () => {
  for (const [code, { category, retryable }] of rows) {
    if (["validation", "configuration", "policy", "tool"].includes(category))
      assert.equal(retryable, false, code);
    if (category === "transient") assert.equal(retryable, true, code);
  }
  assert.equal(errorTable.OUTCOME_UNKNOWN.retryable, false);
});

test("the funnel leaves our own errors as they are", () => {
  const error = new PlaneError("FORBIDDEN", "no");
  assert.equal(toPlaneError(error), error);
});

const thrown: [title: string, value: unknown, message: string][] = [
  ["an Error", new Error("boom"), "Unexpected: boom"],
  ["a string", "boom", "Unexpected: boom"],
  ["undefined", undefined, "Unexpected: undefined"],
];

for (const [title, value, message] of thrown) {
  test(`the funnel takes ${title} for a defect of ours and keeps it as the cause`, () => {
    const error = toPlaneError(value);
    assert.deepEqual([error.code, error.message, error.cause], ["INTERNAL", message, value]);
  });
}

test("the funnel survives a value that cannot be turned into text", () => {
  assert.equal(toPlaneError(Object.create(null)).code, "INTERNAL");
});

test("an error is reported with the same fields on every face", () => {
  const cause = new Error("ECONNRESET");
  const data = { server: "git", tool: "git.push", attempts: 2, limitMs: 5 };
  assert.deepEqual(reportError(new PlaneError("TIMEOUT", "too slow", { data, cause })), {
    code: "TIMEOUT",
    category: "transient",
    message: "too slow",
    recoverable: true,
    server: "git",
    tool: "git.push",
    attempts: 2,
    cause: "ECONNRESET",
    data: { limitMs: 5 },
  });
});

test("what is not known of an error is null, not left out", () => {
  const { server, tool, attempts, cause, data } = reportError(new PlaneError("USAGE", "what?"));
  assert.deepEqual(
    { server, tool, attempts, cause, data },
    {
      server: null,
      tool: null,
      attempts: 0,
      cause: null,
      data: {},
    },
  );
});

test("a lack of descriptors or of space is named as what it is, and no defect", () => {
  const lacking = (code: string) =>
    toPlaneError(new Error("outer", { cause: Object.assign(new Error("x"), { code }) }));
  for (const code of ["EMFILE", "ENFILE"]) {
    assert.equal(lacking(code).code, "BUSY");
    assert.match(lacking(code).message, /file descriptors/);
  }
  assert.equal(
    toPlaneError(Object.assign(new Error("x"), { code: "ENOSPC" })).code,
    "STORE_FAILED",
  );
  assert.match(lacking("EDQUOT").message, /no space left on the device/);
});
