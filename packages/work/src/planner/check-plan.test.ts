import assert from "node:assert/strict";
import { test } from "node:test";
import type { PlacedStep } from "@toolplane/core/model/calls/tool-plan";
import { PlaneError } from "@toolplane/core/model/errors";
import { checkPlan, type LookAtStep } from "./check-plan.ts";

const step = (line: number, tool: string): PlacedStep => ({ line, tool, arguments: {}, why: "" });
const facts = { name: "a.b", dropped: [], verdict: "allow" as const, reason: "nothing" };
const check = (look: LookAtStep, ...steps: PlacedStep[]) =>
  checkPlan({ task: null, steps, problems: [] }, look);

test("a plan in which nothing is wrong is well, with what the policy says", async () => {
  const { ok, steps, problems } = await check(
    async () => ({ ...facts, verdict: "ask" }),
    step(1, "b"),
  );
  assert.deepEqual([ok, steps[0]?.verdict, problems], [true, "ask", []]);
});

test("what cannot be read and what is wrong with steps is reported in the order of lines", async () => {
  const unread = { line: 2, tool: null, message: "?", hint: null };
  const look: LookAtStep = async (tool) => {
    if (tool === "x")
      throw new PlaneError("TOOL_NOT_FOUND", "No tool 'x'. Did you mean 'y'?", {
        data: { hint: "Did you mean 'y'?" },
      });
    return {
      ...facts,
      dropped: [
        { name: "nme", meant: "name" },
        { name: "zzz", meant: undefined },
      ],
    };
  };
  const found = await checkPlan(
    { task: null, steps: [step(1, "x"), step(3, "b")], problems: [unread] },
    look,
  );
  assert.equal(found.ok, false);
  assert.deepEqual(found.problems, [
    { line: 1, tool: "x", message: "No tool 'x'.", hint: "Did you mean 'y'?" },
    unread,
    { line: 3, tool: "b", message: "'a.b' takes no argument 'nme'.", hint: "Did you mean 'name'?" },
    {
      line: 3,
      tool: "b",
      message: "'a.b' takes no argument 'zzz'.",
      hint: "See what it takes: toolplane tools show a.b",
    },
  ]);
});

test("arguments are reported one by one, and what would be refused is a problem", async () => {
  const problems = [
    { path: "", message: "missing 'q'", missing: "q" },
    { path: "/a", message: "is missing 'q'", missing: "q" },
    { path: "/b", message: "must be number, got string" },
    { path: "", message: "must have fewer properties" },
  ];
  const bad = async () => {
    throw new PlaneError("INVALID_ARGUMENTS", "They do not fit. It takes: q (string).", {
      data: { problems, hint: "It takes: q (string)." },
    });
  };
  const { problems: told } = await check(bad, step(1, "b"));
  assert.deepEqual(
    told.map(({ message }) => message),
    [
      "The argument 'q' is missing.",
      "The argument 'q' is missing in /a.",
      "The argument /b must be number, got string.",
      "Its arguments must have fewer properties.",
    ],
  );
  assert.equal(told[0]?.hint, "It takes: q (string).");
  const denied = await check(
    async () => ({ ...facts, verdict: "deny", reason: "not here" }),
    step(1, "b"),
  );
  assert.match(denied.problems[0]?.message ?? "", /'a\.b' would be refused: not here\./);
});

test("a defect is no problem of the plan", async () => {
  await assert.rejects(
    check(async () => assert.fail("defect"), step(1, "b")),
    /defect/,
  );
});
