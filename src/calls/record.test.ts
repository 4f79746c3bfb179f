import assert from "node:assert/strict";
import { test } from "node:test";
import {
  approvedCall,
  requestedCall,
  resolvedCall,
  routedCall,
  sampleTool,
  validatedCall,
} from "../../test/samples/calls.ts";
import type { Executed } from "../model/calls/call.ts";
import type { CallRecord } from "../model/calls/call-schema.ts";
import type { ToolResult } from "../model/calls/result.ts";
import type { HealthSample } from "../model/catalogue/health.ts";
import { PlaneError } from "../model/errors.ts";
import type { PlaneEvent } from "../model/events.ts";
import { createRunningCalls } from "../store/running-calls.ts";
import { createCallRecorder, type Step } from "./record.ts";

const running = createRunningCalls(() => undefined);

type Run = (step: Step) => Executed | Promise<Executed>;

async function record(
  run: Run,
  write: (record: CallRecord) => Promise<void> = async () => undefined,
) {
  const records: CallRecord[] = [];
  const samples: HealthSample[] = [];
  const events: PlaneEvent[] = [];
  const recorder = createCallRecorder({
    begin(event, principal) {
      events.push(event);
      return running.begin(event, principal);
    },
    emitClean: (event) => events.push(event),
    async write(written, observed) {
      records.push(written);
      samples.push(...observed);
      await write(written);
    },
  });
  const outcome = await recorder(requestedCall(), run);
  const [first, ...more] = records;
  assert.deepEqual(more, []);
  return { outcome, record: first ?? assert.fail("nothing was recorded"), samples, events };
}

function executedCall(result: ToolResult, changes: Partial<Executed> = {}): Executed {
  const attempts = [{ provider: "mcp", ok: true, durationMs: 1.23456, error: null }];
  return {
    ...routedCall(),
    executed: { result, provider: "mcp", attempts, warnings: ["w"] },
    ...changes,
  };
}

const fail =
  (code: PlaneError["code"], message = "because", data = {}): Run =>
  (step) =>
    step("execute", () => {
      throw new PlaneError(code, message, { data });
    });

test("a call that succeeded is reported to the caller, the record, the health and the events", async () => {
  const result = { content: [{ type: "text", text: "secret answer" }] };
  const {
    outcome,
    record: written,
    samples,
    events,
  } = await record((step) => step("execute", () => executedCall(result)));
  assert.equal(outcome.ok, true);
  assert.deepEqual([outcome.result, outcome.error], [result, undefined]);
  const { durationMs, ...call } = outcome.call;
  assert.ok(durationMs >= 0);
  assert.deepEqual(call, {
    id: "call-1",
    tool: "notes.write",
    status: "succeeded",
    provider: "mcp",
    attempts: 1,
    repaired: false,
    dropped: [],
    warnings: ["w"],
  });
  assert.deepEqual([written.status, written.server, written.error], ["succeeded", "notes", null]);
  assert.deepEqual(
    written.stages.map(({ stage }) => stage),
    ["execute"],
  );
  assert.deepEqual(
    samples.map(({ subject, ok }) => [subject, ok]),
    [
      ["tool:notes.write", true],
      ["provider:notes.write:mcp", true],
    ],
  );
  assert.deepEqual(
    events.map(({ type }) => type),
    ["tool.call", "tool.result"],
  );
});

test("the record holds names and hashes of the arguments, no values, and nothing of the result", async () => {
  const result = { content: [{ type: "text", text: "hunter3" }] };
  const input = { arguments: { password: "hunter2" }, repaired: true, dropped: ["x"] };
  const run: Run = (step) =>
    step("execute", () =>
      executedCall(result, { input, injected: { values: { username: "hunter4" } } }),
    );
  const { outcome, record: written, events } = await record(run);
  assert.doesNotMatch(JSON.stringify([written, events]), /hunter/);
  assert.deepEqual([written.argumentNames, written.injected], [["password"], ["username"]]);
  for (const hash of [written.argumentsHash, written.resultHash])
    assert.match(hash ?? "", /^[0-9a-f]{64}$/);
  assert.match(outcome.call.warnings.join("\n"), /completed.*\n.*left out: x/);
  assert.deepEqual([outcome.call.repaired, outcome.call.dropped], [true, ["x"]]);
});

test("a tool that said no is an error for the caller, whose text is not kept, and no failure of its provider", async () => {
  const result = { content: [{ type: "text", text: "hunter2 is wrong" }], isError: true };
  const {
    outcome,
    record: written,
    samples,
  } = await record((step) => step("execute", () => executedCall(result)));
  assert.deepEqual(
    [outcome.ok, outcome.call.status, outcome.error?.code],
    [false, "tool_error", "TOOL_ERROR"],
  );
  assert.match(outcome.error?.message ?? "", /'notes\.write' reported an error: hunter2 is wrong/);
  assert.deepEqual(outcome.result, result);
  assert.equal(written.error?.code, "TOOL_ERROR");
  assert.doesNotMatch(JSON.stringify(written), /hunter2/);
  assert.deepEqual(
    samples.map(({ ok }) => ok),
    [false, true],
  );
});

test("a refused call is recorded and announced, and says nothing about anybody's health", async () => {
  const { outcome, record: written, samples, events } = await record(fail("FORBIDDEN"));
  assert.deepEqual(
    [outcome.ok, outcome.call.status, outcome.error?.code],
    [false, "refused", "FORBIDDEN"],
  );
  assert.deepEqual([written.status, written.error?.code, samples], ["refused", "FORBIDDEN", []]);
  const last = events.at(-1);
  assert.ok(last?.type === "tool.result");
  assert.deepEqual([last.success, last.status, last.code], [false, "refused", "FORBIDDEN"]);
});

test("a call that waits for a person names what it waits for", async () => {
  const { outcome } = await record(fail("APPROVAL_REQUIRED", "ask", { approvalId: "approval-1" }));
  assert.deepEqual([outcome.call.status, outcome.approval], ["waiting", { id: "approval-1" }]);
});

test("what the stages had learned before one failed is recorded", async () => {
  const run: Run = async (step) => {
    await step("resolve", () => resolvedCall());
    await step("validate", () => validatedCall(sampleTool(), { text: "x" }));
    await step("approve", () => approvedCall());
    return fail("TIMEOUT", "late", {
      history: [{ provider: "mcp", ok: false, durationMs: 5, error: "TIMEOUT" }],
    })(step);
  };
  const { record: written, outcome, samples } = await record(run);
  assert.deepEqual(
    written.stages.map(({ stage }) => stage),
    ["resolve", "validate", "approve", "execute"],
  );
  assert.deepEqual(
    [written.tool, written.argumentNames, written.approval?.verdict],
    ["notes.write", ["text"], "allow"],
  );
  assert.deepEqual([outcome.call.attempts, samples.map(({ ok }) => ok)], [1, [false, false]]);
});

test("a cancelled call says nothing about the health of its tool", async () => {
  const history = [{ provider: "mcp", ok: false, durationMs: 5, error: "CANCELLED" }];
  const { samples } = await record(async (step) => {
    await step("resolve", () => resolvedCall());
    return fail("CANCELLED", "enough", { history })(step);
  });
  assert.deepEqual(samples, []);
});

test("a call that stopped before it was executed is a dry run", async () => {
  const { outcome } = await record(
    (step) => step("route", () => routedCall()) as Promise<Executed>,
  );
  assert.deepEqual(
    [outcome.ok, outcome.call.status, outcome.result],
    [true, "dry_run", { content: [] }],
  );
});

test("a defect is an outcome like any other", async () => {
  const { outcome, record: written } = await record(() => Promise.reject(new TypeError("oops")));
  assert.deepEqual([outcome.error?.code, written.status], ["INTERNAL", "failed"]);
});

test("a record that cannot be written does not change how the call went, and is warned about", async () => {
  const { outcome } = await record(
    (step) => step("execute", () => executedCall({ content: [] })),
    () => Promise.reject(new PlaneError("STORE_FAILED", "/path", { data: { why: "disk full" } })),
  );
  assert.equal(outcome.ok, true);
  assert.match(outcome.call.warnings.join(), /could not be recorded: [^/]*: disk full/);
  assert.equal(outcome.call.recorded, false);
});

test("the outcome waits for the record", async () => {
  const order: string[] = [];
  await record(
    (step) => step("execute", () => executedCall({ content: [] })),
    async () => {
      await Promise.resolve();
      order.push("written");
    },
  );
  order.push("told");
  assert.deepEqual(order, ["written", "told"]);
});

test("a call that did not succeed is kept as a dead letter before it is answered", async () => {
  const kept: unknown[] = [];
  const recorder = createCallRecorder({
    begin: running.begin,
    emitClean: () => undefined,
    write: async () => undefined,
    async keepFailed(call, written) {
      await Promise.resolve();
      kept.push([call.id, call.asked.arguments, written.status, written.error?.code]);
    },
  });
  await recorder(requestedCall(), fail("TIMEOUT"));
  assert.deepEqual(kept, [["call-1", { text: "hi" }, "failed", "TIMEOUT"]]);
  await recorder(requestedCall(), (step) => step("execute", () => executedCall({ content: [] })));
  assert.equal(kept.length, 1);
});

test("a failed call that cannot be kept is answered with a warning", async () => {
  const recorder = createCallRecorder({
    begin: running.begin,
    emitClean: () => undefined,
    write: async () => undefined,
    keepFailed: async () => {
      throw new PlaneError("STORE_FAILED", "the disk is full");
    },
  });
  const { error, call } = await recorder(requestedCall(), fail("TIMEOUT"));
  assert.equal(error?.code, "TIMEOUT");
  assert.deepEqual(call.warnings, ["No dead letter could be kept: the disk is full"]);
});
