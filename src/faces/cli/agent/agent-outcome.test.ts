import assert from "node:assert/strict";
import { test } from "node:test";
import { PlaneError, reportError } from "../../../model/errors.ts";
import { agentExitCode } from "./agent-messages.ts";

test("the exit code tells an answer from a budget of any kind, a cancellation and a failure", () => {
  const error = (code: "CANCELLED" | "BUDGET_EXCEEDED" | "CONFIG_INVALID", data = {}) =>
    reportError(new PlaneError(code, "no", { data }));
  const codes = [
    agentExitCode({ outcome: "completed", error: null }),
    agentExitCode({ outcome: "max-iterations", error: null }),
    agentExitCode({ outcome: "budget", error: null }),
    agentExitCode({ outcome: "budget", error: error("BUDGET_EXCEEDED") }),
    agentExitCode({ outcome: "budget", error: error("BUDGET_EXCEEDED", { budget: "time" }) }),
    agentExitCode({ outcome: "cancelled", error: error("CANCELLED") }),
    agentExitCode({ outcome: "failed", error: error("CONFIG_INVALID") }),
  ];
  assert.deepEqual(codes, [0, 3, 3, 3, 3, 4, 2]);
});
