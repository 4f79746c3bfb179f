import assert from "node:assert/strict";
import { test } from "node:test";
import { noteOf } from "./call-note.ts";

type Noted = Parameters<typeof noteOf>[0];
const asked = { verdict: "ask" } as Noted["approval"];
const failed = (code: string, data = {}) => ({ code, data }) as Noted["error"];

const cases: [string, Noted, string | null][] = [
  [
    "a call that waits",
    { status: "waiting", error: failed("APPROVAL_REQUIRED"), approval: asked },
    "for a person",
  ],
  [
    "a call in a plan",
    { status: "waiting", error: failed("APPROVAL_REQUIRED", { planId: "p" }), approval: null },
    "in a plan",
  ],
  [
    "a rule",
    { status: "refused", error: failed("APPROVAL_DENIED", { origin: "rule" }), approval: null },
    "denied by the policy",
  ],
  [
    "a call that a person answered",
    {
      status: "waiting",
      error: failed("APPROVAL_REQUIRED"),
      approval: null,
      answer: { approvalId: "a", status: "rejected", by: "ann", outcome: null },
    },
    "by ann",
  ],
  [
    "a yes for something else",
    { status: "refused", error: failed("APPROVAL_DENIED", { origin: "approval" }), approval: null },
    "approval denied",
  ],
  ["a failure", { status: "failed", error: failed("TIMEOUT"), approval: null }, "timeout"],
  ["a yes", { status: "succeeded", error: null, approval: asked }, "approved by a person"],
  ["nothing", { status: "succeeded", error: null, approval: null }, null],
];

for (const [what, call, note] of cases)
  test(`the note of a call says what became of it: ${what}`, () =>
    assert.equal(noteOf(call), note));
