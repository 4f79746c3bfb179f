import assert from "node:assert/strict";
import { test } from "node:test";
import { requestedCall, sampleTool } from "../../test/samples/calls.ts";
import { noRouting } from "../../test/samples/routing.ts";
import type { CallRecord } from "../model/call.ts";
import { type ErrorCode, PlaneError } from "../model/errors.ts";
import { createCallTool, type Path } from "./call-tool.ts";
import { createRecorder } from "./record.ts";

/** The whole path over plain functions, which note that they were asked. */
function pathOf(changes: Partial<Path> = {}) {
  const asked: string[] = [];
  const records: CallRecord[] = [];
  const path: Path = {
    findTool: async () => sampleTool(),
    grantFor: () => ({ by: "everybody" }),
    checkArguments: async () => [],
    valueFor: () => undefined,
    decide: () => ({ verdict: "allow", origin: "test", reason: "why not" }),
    ask: async () => "approval-1",
    routing: {
      environment: {},
      unavailable: () => null,
      resting: () => null,
      serverLimitMs: () => undefined,
    },
    execution: {
      provider: () => async () => {
        asked.push("provider");
        return { content: [{ type: "text", text: "done" }] };
      },
      checkOutput: async () => [],
      onRetry: () => undefined,
      onProgress: () => undefined,
      routing: noRouting,
      answer: async () => ({}),
    },
    record: createRecorder({
      emit: () => undefined,
      write: async (record) => void records.push(record),
    }),
    ...changes,
  };
  return { callTool: createCallTool(path), asked, records };
}

const stages = ["resolve", "authorize", "validate", "inject", "approve", "route", "execute"];

test("a call takes every stage in order and comes back with its result", async () => {
  const { callTool, records } = pathOf();
  const { ok, result } = await callTool(requestedCall());
  assert.deepEqual([ok, result?.content], [true, [{ type: "text", text: "done" }]]);
  assert.deepEqual(
    records.map(({ stages }) => stages.map(({ stage }) => stage)),
    [stages],
  );
});

const refusals: [stage: string, code: ErrorCode, changes: Partial<Path>][] = [
  ["resolve", "TOOL_NOT_FOUND", { findTool: () => Promise.reject(new PlaneError("TOOL_NOT_FOUND", "no")) }],
  ["authorize", "FORBIDDEN", { grantFor: () => ({ refused: "no" }) }],
  ["validate", "INVALID_ARGUMENTS", { checkArguments: async () => [{ path: "", message: "no" }] }],
  ["approve", "APPROVAL_DENIED", { decide: () => ({ verdict: "deny", origin: "rule", reason: "no" }) }],
  ["approve", "APPROVAL_REQUIRED", { decide: () => ({ verdict: "ask", origin: "rule", reason: "no" }) }],
  [
    "route",
    "NO_PROVIDER",
    {
      routing: {
        environment: {},
        unavailable: () => "no",
        resting: () => null,
        serverLimitMs: () => undefined,
      },
    },
  ],
];

for (const [stage, code, changes] of refusals) {
  test(`a call that ends at ${stage} with ${code} reaches no provider and is recorded`, async () => {
    const { callTool, asked, records } = pathOf(changes);
    const { ok, error } = await callTool(requestedCall());
    assert.deepEqual([ok, error?.code, asked], [false, code, []]);
    const taken = records[0]?.stages.map((entry) => entry.stage);
    assert.deepEqual(taken, stages.slice(0, stages.indexOf(stage) + 1));
  });
}

test("a dry run takes every stage but the last", async () => {
  const { callTool, asked, records } = pathOf();
  const { ok, call } = await callTool(requestedCall({ text: "hi" }, { dryRun: true }));
  assert.deepEqual([ok, call.status, asked], [true, "dry_run", []]);
  assert.deepEqual(
    records[0]?.stages.map(({ stage }) => stage),
    stages.slice(0, -1),
  );
});

test("the caller's signal reaches the provider", async () => {
  const controller = new AbortController();
  const reasons: unknown[] = [];
  const { callTool } = pathOf({
    execution: {
      provider:
        () =>
        async (_, __, { signal }) => {
          controller.abort("enough");
          reasons.push(signal.reason);
          signal.throwIfAborted();
        },
      checkOutput: async () => [],
      onRetry: () => undefined,
      onProgress: () => undefined,
      routing: noRouting,
      answer: async () => ({}),
    },
  });
  const { error } = await callTool(requestedCall(), controller.signal);
  assert.deepEqual([error?.code, reasons], ["CANCELLED", ["enough"]]);
});

test("a call that was given up before it began reaches no provider", async () => {
  const { callTool, asked } = pathOf();
  const { error } = await callTool(requestedCall(), AbortSignal.abort());
  assert.deepEqual([error?.code, asked], ["CANCELLED", []]);
});
