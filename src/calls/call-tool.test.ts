import assert from "node:assert/strict";
import { test } from "node:test";
import { requestedCall, sampleTool } from "../../test/samples/calls.ts";
import { noRouting } from "../../test/samples/routing.ts";
import type { HeldYes } from "../model/calls/call.ts";
import type { CallRecord, Verdict } from "../model/calls/call-schema.ts";
import { type ErrorCode, PlaneError } from "../model/errors.ts";
import { createRunningCalls } from "../store/running-calls.ts";
import { type CallStages, createCallTool } from "./call-tool.ts";
import { createCallRecorder } from "./record.ts";

function approvalBy(verdict: Verdict["verdict"]): CallStages["approval"] {
  return {
    ownCounts: () => true,
    decide: () => ({ verdict, origin: "rule", reason: "no" }),
    hasOpen: () => false,
    join: async () => null,
    remembered: async () => null,
    isSameTool: async (_tool, fingerprint) => fingerprint === "f",
    hold: () => Promise.reject(new PlaneError("APPROVAL_REQUIRED", "no")),
  };
}

/** The whole path over plain functions, which note that they were asked. */
function pathOf(changes: Partial<CallStages> = {}) {
  const asked: string[] = [];
  const records: CallRecord[] = [];
  const path: CallStages = {
    findTool: async () => sampleTool(),
    grantFor: () => ({ by: "everyone" }),
    checkArguments: async () => [],
    valueFor: () => undefined,
    approval: approvalBy("allow"),
    routing: {
      environment: {},
      unavailable: () => null,
      cooldown: () => null,
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
    record: createCallRecorder({
      begin: createRunningCalls(() => undefined).begin,
      emitClean: () => undefined,
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

const refusals: [stage: string, code: ErrorCode, changes: Partial<CallStages>][] = [
  [
    "resolve",
    "TOOL_NOT_FOUND",
    { findTool: () => Promise.reject(new PlaneError("TOOL_NOT_FOUND", "no")) },
  ],
  ["authorize", "FORBIDDEN", { grantFor: () => ({ refused: "no", why: "groups" }) }],
  ["validate", "INVALID_ARGUMENTS", { checkArguments: async () => [{ path: "", message: "no" }] }],
  ["approve", "APPROVAL_DENIED", { approval: approvalBy("deny") }],
  ["approve", "APPROVAL_REQUIRED", { approval: approvalBy("ask") }],
  [
    "route",
    "NO_PROVIDER",
    {
      routing: {
        environment: {},
        unavailable: () => "no",
        cooldown: () => null,
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
  const { error } = await callTool(requestedCall(), { cancellation: controller.signal });
  assert.deepEqual([error?.code, reasons], ["CANCELLED", ["enough"]]);
});

test("a call that was given up before it began reaches no provider", async () => {
  const { callTool, asked } = pathOf();
  const { error } = await callTool(requestedCall(), { cancellation: AbortSignal.abort() });
  assert.deepEqual([error?.code, asked], ["CANCELLED", []]);
});

test("a call that had to wait takes the path again from its start, with the arguments it was approved with", async () => {
  const yes: HeldYes = { id: "h", fingerprint: "f", by: "ada", arguments: null };
  const { callTool, records } = pathOf({
    approval: {
      ...approvalBy("ask"),
      hold: async ({ input: _, ...call }) => ({
        ...call,
        asked: { ...call.asked, arguments: { text: "edited" } },
        approved: yes,
      }),
    },
  });
  const { ok } = await callTool(requestedCall({ text: "asked" }));
  const before = stages.slice(0, stages.indexOf("route"));
  assert.deepEqual([ok, records[0]?.approval?.origin], [true, "approval"]);
  assert.deepEqual(
    records[0]?.stages.map(({ stage }) => stage),
    [...before, ...stages],
  );
});
