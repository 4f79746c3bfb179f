import assert from "node:assert/strict";
import { suite, test } from "node:test";
import * as library from "../../src/index.ts";
import type { Outcome } from "../../src/model/calls/call.ts";
import type { CallRecord } from "../../src/model/calls/call-schema.ts";
import { live, type Seen } from "../fixtures/outcomes/live.ts";
import { readOutcomes } from "../fixtures/outcomes/recorded.ts";
import { isWholeTier } from "../fixtures/tier.ts";

const { version, lives } = readOutcomes();

/** What is meant to differ, each with its line of CHANGELOG.md: makes what was seen then what has to be seen now. */
const intended: readonly ((then: Seen) => Seen)[] = [
  // An approved call is one call: what happened while it waited is of the same id.
  (then) => {
    if (then.outcome === undefined || then.status === undefined) return then;
    const hooked = (then.events as string[]).filter((name) => name === "hook.decided");
    const waited = ["tool.call", ...hooked, "approval.requested", "tool.result"];
    const begun = ["approval.changed", "approval.changed"];
    return {
      ...then,
      events: [...waited, ...begun, ...(then.events as string[]), "approval.changed"],
      record: { ...(then.record as object), waitedSince: "TIME" },
    };
  },
  // An argument that the system injects is declared, only not for callers.
  (then) =>
    JSON.parse(
      JSON.stringify(then).replaceAll(
        "Not declared by the tool, left out: username.",
        "Set by the system alone, left out: username.",
      ),
    ) as Seen,
  // A call looks once more at a server that crashed, so what it has no tool for is known.
  (then) =>
    then.outcome !== undefined && JSON.stringify(then.outcome).includes("cannot be looked up")
      ? { ...then, ...withoutTool(then) }
      : then,
  // A mode that holds back what writes tells what a server declares, also where nobody trusts it.
  (then) => {
    const declared = "its server declares it a read and is not trusted";
    const text = JSON.stringify(then).replaceAll("nothing tells what it does", declared);
    return JSON.parse(text) as Seen;
  },
  // An attempt that was cancelled before it began was not sent.
  (then) => {
    const { outcome, record } = then as { outcome?: Outcome; record?: CallRecord };
    if (outcome?.error?.code !== "CANCELLED" || record?.attempts.length !== 1) return then;
    const { error } = outcome;
    const attempts = record.attempts.map((attempt) => ({ ...attempt, sent: false }));
    const data = { ...error.data, history: attempts, sent: false };
    return {
      ...then,
      outcome: { ...outcome, error: { ...error, data } },
      record: { ...record, attempts },
    };
  },
  // An outcome that is no success says whether the call was sent.
  (then) => ("outcome" in then ? { ...then, outcome: withSent(then) } : then),
];

function withoutTool({ outcome, record }: Seen): Seen {
  const { call, error } = outcome as Outcome;
  const noTool = {
    ...error,
    category: "validation",
    code: "TOOL_NOT_FOUND",
    message: "No tool 'fault.none'. Did you mean 'fault.junk'?",
    recoverable: false,
    server: null,
    data: { hint: "Did you mean 'fault.junk'?", nearest: ["fault.junk"] },
  };
  return {
    events: ["tool.call", "tool.result"],
    outcome: { ok: false, call: { ...call, status: "refused" }, error: noTool },
    record: { ...(record as CallRecord), status: "refused" },
  };
}

function withSent(then: Seen): unknown {
  const { outcome, record } = then as { outcome?: Outcome; record?: CallRecord };
  if (!outcome?.error) return outcome;
  const { error, result } = outcome;
  const mayHaveLeft = (record?.attempts ?? []).some(({ sent }) => sent !== false);
  const answered = result !== undefined || error.data.rpcCode !== undefined;
  const left = answered ? "sent" : "not_known";
  return { ...outcome, call: { ...outcome.call, sent: mayHaveLeft ? left : "not_sent" } };
}

suite(`calls end, are recorded and are reported as in ${version}`, { concurrency: 2 }, () => {
  for (const [at, { steps, seen }] of (isWholeTier ? lives : lives.slice(0, 4)).entries())
    test(`whatever changes between them, in life ${at + 1}`, async () => {
      const calls = steps.filter((step) => "call" in step || "answer" in step);
      const now = await live(library, steps);
      assert.equal(now.length, seen.length);
      for (const [place, then] of seen.entries()) {
        const expected = intended.reduce((before, change) => change(before), then);
        assert.deepEqual(
          { step: calls[place], ...now[place] },
          { step: calls[place], ...expected },
        );
      }
    });
});
