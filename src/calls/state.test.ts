import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleMetadata, sampleTool } from "../../test/samples/calls.ts";
import { stateField } from "./record.ts";

const leads = sampleTool({ metadata: sampleMetadata({ state: "analysis" }) });

test("a tool leads to its state only when it succeeded", () => {
  const options = { state: "research" };
  assert.deepEqual(stateField({ options, tool: leads }, "succeeded"), { state: "analysis" });
  for (const status of [
    "tool_error",
    "failed",
    "refused",
    "waiting",
    "cancelled",
    "dry_run",
  ] as const)
    assert.deepEqual(stateField({ options, tool: leads }, status), { state: "research" }, status);
});

test("a tool that leads nowhere leaves the state as it is, and without states none is reported", () => {
  assert.deepEqual(
    stateField({ options: { state: "research" }, tool: sampleTool() }, "succeeded"),
    {
      state: "research",
    },
  );
  assert.deepEqual(stateField({ options: {}, tool: leads }, "failed"), { state: "undefined" });
  assert.deepEqual(stateField({ options: { state: "" } }, "failed"), { state: "undefined" });
  assert.deepEqual(stateField({ options: {}, tool: sampleTool() }, "succeeded"), {});
});
