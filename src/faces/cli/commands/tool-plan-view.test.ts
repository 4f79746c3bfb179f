import assert from "node:assert/strict";
import { test } from "node:test";
import "../../../../test/samples/no-colors.ts";
import type { PlanCheck } from "../../../model/calls/tool-plan.ts";
import { renderCheck } from "./plan-files.ts";

const step = { line: 3, tool: "a.b", arguments: {}, why: "", verdict: "ask" as const };
const plan = (problems: PlanCheck["problems"]): PlanCheck => ({
  ok: problems.length === 0,
  task: null,
  steps: [step],
  problems,
});

test("a plan in which nothing is wrong is shown with what the policy says", () => {
  assert.equal(
    renderCheck("p.sh", plan([])),
    "STEP  LINE  TOOL  VERDICT\n1     3     a.b   ask\n✔ 1 step, nothing is wrong.",
  );
});

test("a problem is shown with its place and its remedy, and without what would hide something", () => {
  const problem = { line: 4, tool: "x\u001b[2J", message: "No\u202e tool.", hint: "Leave it out." };
  assert.match(
    renderCheck("p.sh", plan([problem])),
    /\n✖ p\.sh:4 x: No tool\.\n {4}Leave it out\.\n1 problem, 1 step read\.$/,
  );
  assert.match(
    renderCheck("-", plan([{ ...problem, tool: null, hint: null }])),
    /\n✖ line 4 No tool\.\n1 problem/,
  );
});
