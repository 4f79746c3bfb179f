import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentCall, AgentRun, AgentStep } from "../../../../../src/model/agent/run-schema.ts";
import type { RunningRun } from "../../../api/history-queries.ts";
import { type CallRecords, isModelAsked, liveSpans, runSpans } from "./run-spans.ts";

const begun = "2026-11-18T10:00:00.000Z";
const after = (ms: number) => new Date(Date.parse(begun) + ms).toISOString();
const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

const call = (
  id: string,
  at: number,
  durationMs: number,
  more: Partial<AgentCall> = {},
): AgentCall => ({
  id,
  tool: `fx.${id}`,
  at: after(at),
  record: `r-${id}`,
  status: "succeeded",
  durationMs,
  provider: null,
  attempts: 1,
  ...more,
});
const step = (
  turn: number,
  at: number,
  modelMs: number,
  calls: AgentCall[],
  finish?: string,
): AgentStep => ({
  turn,
  at: after(at),
  modelMs,
  usage,
  offered: 1,
  refused: false,
  calls,
  ...(finish && { finish }),
});

test("calls stand below the turn that asked for them, and those of a program below the call that ran it", () => {
  const steps = [
    step(1, 0, 100, [call("run", 100, 400)], "tool_calls"),
    step(2, 500, 50, [], "stop"),
  ];
  const program = { steps: [step(1, 150, 0, [call("inner", 200, 90)])] } as AgentRun;
  const spans = runSpans({ at: begun, steps }, new Map(), new Map([["run", program]]));
  assert.deepEqual(
    spans.map(({ name, depth, startMs, ms, callId }) => [name, depth, startMs, ms, callId]),
    [
      ["model, turn 1", 0, 0, 100, undefined],
      ["fx.run", 1, 100, 400, "r-run"],
      ["fx.inner", 2, 200, 90, "r-inner"],
      ["model, turn 2", 0, 500, 50, undefined],
    ],
  );
  assert.equal(new Set(spans.map(({ key }) => key)).size, spans.length);
});

test("the time that a person took is shown apart from the time of the tool", () => {
  const records: CallRecords = new Map([
    [
      "r-a",
      {
        status: "succeeded",
        approval: {
          verdict: "allow",
          origin: "approval",
          reason: "ann approved",
          approvalId: "h-1",
        },
        stages: [
          { stage: "resolve", ms: 5 },
          { stage: "approve", ms: 300 },
          { stage: "execute", ms: 20 },
        ],
      },
    ],
  ]);
  const [, span] = runSpans(
    { at: begun, steps: [step(1, 0, 10, [call("a", 10, 325)], "tool_calls")] },
    records,
  );
  assert.deepEqual(span?.wait, { startMs: 15, ms: 300 });
  assert.equal(span?.note, "succeeded, waited for approval");
});

test("what has not ended lasts until now: the model, a call, and one that waits for a person", () => {
  const run = (more: Partial<RunningRun>) =>
    ({ at: begun, calls: [], steps: [], ...more }) as unknown as RunningRun;
  const now = Date.parse(begun) + 1_000;
  const asked = run({ steps: [step(1, 200, 0, [])] });
  assert.ok(isModelAsked(asked));
  assert.deepEqual(
    liveSpans(asked, new Map(), new Set(), now).map(({ name, ms, isRunning, isBad }) => [
      name,
      ms,
      isRunning,
      isBad,
    ]),
    [["model, turn 1", 800, true, false]],
  );
  const open = { ...call("a", 400, 0), record: null, status: null, durationMs: null };
  const calling = run({ steps: [step(1, 200, 100, [], "tool_calls")], calls: [open] });
  assert.equal(isModelAsked(calling), false);
  const [, running] = liveSpans(calling, new Map(), new Set(), now);
  assert.deepEqual([running?.ms, running?.isRunning, running?.wait], [600, true, undefined]);
  const [, waiting] = liveSpans(calling, new Map(), new Set(["a"]), now);
  assert.deepEqual([waiting?.isRunning, waiting?.wait], [false, { startMs: 400, ms: 600 }]);
});

test("nothing has begun: nothing is shown", () => {
  assert.deepEqual(
    liveSpans({ at: begun, calls: [] } as unknown as RunningRun, new Map(), new Set(), 0),
    [],
  );
});
