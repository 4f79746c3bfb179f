import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallStatus } from "../model/calls/call-schema.ts";
import { type ErrorCode, errorTable, PlaneError } from "../model/errors.ts";
import { callStatusOf, describeToolError } from "./record.ts";

const statuses: Record<ErrorCode, CallStatus> = {
  USAGE: "refused",
  NOT_FOUND: "refused",
  TOOL_NOT_FOUND: "refused",
  TOOL_AMBIGUOUS: "refused",
  SERVER_NOT_FOUND: "refused",
  INVALID_ARGUMENTS: "refused",
  NOT_RECORDED: "refused",
  PAYLOAD_TOO_LARGE: "refused",
  ENTRY_INVALID: "refused",
  ORIGIN_REFUSED: "refused",
  BUNDLE_REFUSED: "refused",
  CONFLICT: "refused",
  CONFIG_INVALID: "failed",
  PROGRAM_FAILED: "failed",
  FORBIDDEN: "refused",
  TOOL_QUARANTINED: "refused",
  BUSY: "failed",
  BUDGET_EXCEEDED: "refused",
  RATE_LIMITED: "failed",
  UNAUTHENTICATED: "refused",
  AUTH_REQUIRED: "refused",
  APPROVAL_REQUIRED: "waiting",
  CALL_QUEUED: "waiting",
  PLAN_QUEUED: "waiting",
  APPROVAL_DENIED: "refused",
  TOOL_ERROR: "tool_error",
  PROVIDER_FAILED: "failed",
  NO_PROVIDER: "failed",
  NOT_READY: "failed",
  SERVER_UNAVAILABLE: "failed",
  SHUTTING_DOWN: "cancelled",
  OUTCOME_UNKNOWN: "failed",
  TIMEOUT: "failed",
  CANCELLED: "cancelled",
  RECORD_FAILED: "failed",
  STORE_FAILED: "failed",
  INTERNAL: "failed",
};

for (const code of Object.keys(errorTable) as ErrorCode[]) {
  test(`a call that ended with ${code} is ${statuses[code]}, executed or not`, () => {
    const error = new PlaneError(code, "because");
    assert.deepEqual(
      [callStatusOf(error, {}), callStatusOf(error, { executed: {} })],
      [statuses[code], statuses[code]],
    );
  });
}

test("without an error a call succeeded if it was executed and was a dry run if not", () => {
  assert.deepEqual(
    [callStatusOf(undefined, { executed: {} }), callStatusOf(undefined, {})],
    ["succeeded", "dry_run"],
  );
});

test("what a tool reported is reported with its name, even when it said nothing", () => {
  const error = describeToolError("git.push", " rejected\n");
  assert.deepEqual([error.code, error.data.tool], ["TOOL_ERROR", "git.push"]);
  assert.equal(error.message, "'git.push' reported an error: rejected");
  assert.match(describeToolError("git.push", " \n").message, /gave no text/);
});
