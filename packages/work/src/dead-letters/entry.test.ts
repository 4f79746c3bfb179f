import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { CallRecord } from "@toolplane/core/model/calls/call-schema";
import type { ErrorCode } from "@toolplane/core/model/errors";
import { deadLetterView, type FailedCall, isDead } from "@toolplane/core/model/work/dead-letter";
import { callRecord } from "@toolplane/test/contracts/records";
import {
  injectedCall,
  requestedCall,
  resolvedCall,
  sampleTool,
} from "@toolplane/test/samples/calls";
import { sampleError, startedAt } from "@toolplane/test/samples/dead-letters";
import { failureOf, maxArgumentBytes, toDeadLetter, withWords } from "./entry.ts";

const attempt = { provider: "mcp", ok: false, durationMs: 1, error: "TIMEOUT" } as const;

function failedRecord(code: ErrorCode, changes: Partial<CallRecord> = {}): CallRecord {
  const error = sampleError(code);
  return callRecord("call-1", { status: "failed", error, attempts: [attempt], ...changes });
}

function letterOf(call: FailedCall, record = failedRecord("SERVER_UNAVAILABLE")) {
  const failure = failureOf(call, record, record.error ?? sampleError());
  return toDeadLetter("letter", call, record, failure, startedAt, () => 0.5);
}

const read = sampleTool({ trusted: true, annotations: { readOnlyHint: true } });

suite("which calls leave a dead letter", () => {
  test("those that a provider failed", () => {
    for (const code of [
      "PROVIDER_FAILED",
      "SERVER_UNAVAILABLE",
      "NO_PROVIDER",
      "TIMEOUT",
      "BUSY",
    ] as const)
      assert.equal(isDead(requestedCall(), failedRecord(code)), true, code);
    assert.equal(isDead(requestedCall(), failedRecord("OUTCOME_UNKNOWN")), true);
  });

  test("none that was refused, cancelled, answered, rehearsed, or failed by the plane's own trouble", () => {
    for (const status of ["refused", "waiting", "cancelled", "tool_error"] as const)
      assert.equal(isDead(requestedCall(), failedRecord("FORBIDDEN", { status })), false, status);
    assert.equal(isDead(requestedCall({}, { dryRun: true }), failedRecord("NO_PROVIDER")), false);
    assert.equal(isDead(requestedCall(), failedRecord("STORE_FAILED")), false);
    const large = sampleError("PROVIDER_FAILED", { tooLarge: true });
    assert.equal(isDead(requestedCall(), failedRecord("PROVIDER_FAILED", { error: large })), false);
    assert.equal(
      isDead(requestedCall({}, { ownRetries: true }), failedRecord("NO_PROVIDER")),
      false,
    );
  });
});

suite("a new dead letter", () => {
  test("comes up again after a minute when the tool may run twice", () => {
    const letter = letterOf(resolvedCall(read));
    assert.deepEqual([letter.status, letter.attempts, letter.hold], ["pending", 1, null]);
    assert.equal(Date.parse(letter.nextRetryAt ?? "") - startedAt, 60_000);
  });

  test("of a write is its caller's to repeat, when it never left", () => {
    const never = failedRecord("SERVER_UNAVAILABLE", { attempts: [], server: null });
    const letter = letterOf(requestedCall(), never);
    assert.deepEqual([letter.hold, letter.sent, letter.nextRetryAt], ["refused", "not_sent", null]);
    assert.deepEqual([letter.asked, letter.server], ["notes.write", "notes"]);
    const notSent = failedRecord("BUSY", { attempts: [{ ...attempt, sent: false }] });
    notSent.error = sampleError("BUSY", { sent: false });
    assert.equal(letterOf(resolvedCall(), notSent).hold, "refused");
    assert.equal(deadLetterView(letter).waitsFor, "caller");
  });

  test("says what is known: the provider answered, or nothing came", () => {
    const answered = failedRecord("OUTCOME_UNKNOWN");
    answered.error = sampleError("OUTCOME_UNKNOWN", { sent: true, answered: true, status: 429 });
    assert.equal(letterOf(resolvedCall(), answered).sent, "sent");
    assert.equal(letterOf(resolvedCall(), failedRecord("TIMEOUT")).sent, "not_known");
    assert.equal(deadLetterView(letterOf(resolvedCall(), answered)).waitsFor, "person");
  });

  test("of an earlier version that was about to be run again is its caller's, too", () => {
    const { sent: _, ...stored } = { ...letterOf(resolvedCall()), hold: null };
    const letter = { ...stored, nextRetryAt: new Date(startedAt).toISOString() };
    const shown = deadLetterView(letter);
    assert.deepEqual([shown.hold, shown.nextRetryAt, shown.waitsFor], ["refused", null, "caller"]);
    const read = deadLetterView({ ...letter, repeatable: true });
    assert.deepEqual([read.hold, read.waitsFor], [null, "retry"]);
  });

  test("is held when a write may have run, or when trying again is no help", () => {
    assert.equal(letterOf(resolvedCall(), failedRecord("TIMEOUT")).hold, "may_have_run");
    assert.equal(letterOf(resolvedCall(read), failedRecord("PROVIDER_FAILED")).hold, "permanent");
    assert.equal(letterOf(resolvedCall(), failedRecord("TIMEOUT")).nextRetryAt, null);
  });

  test("keeps what the caller gave, as it was given", () => {
    for (const given of [{ text: "hi" }, '{"text": "cut off', ["odd"], 7])
      assert.deepEqual(letterOf(requestedCall(given)).arguments, given);
    assert.deepEqual(
      letterOf({ ...requestedCall(), asked: { tool: "x", arguments: undefined } }).arguments,
      {},
    );
  });

  test("keeps what belongs to the call, and not that it was to be a rehearsal", () => {
    const options = { conversation: "c", timeoutMs: 5, consent: true, dryRun: false };
    const letter = letterOf(requestedCall({}, options));
    assert.deepEqual([letter.conversation, letter.options], ["c", { timeoutMs: 5, consent: true }]);
  });

  test("goes without arguments that are too large or no JSON, and says so", () => {
    const largest = "x".repeat(maxArgumentBytes - 2);
    assert.equal(letterOf(requestedCall(largest)).arguments, largest);
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    for (const given of [
      `${largest}x`,
      "ü".repeat(maxArgumentBytes / 2),
      circle,
      { big: 1n },
      () => 1,
    ]) {
      const letter = letterOf(requestedCall(given));
      assert.deepEqual(
        [letter.arguments, letter.hold, letter.nextRetryAt],
        [null, "no_arguments", null],
      );
    }
  });

  test("never holds a value that was injected, also where a provider repeats it", () => {
    const call = injectedCall(read, { token: "s3cret-value", _mcp_data: { servers: ["inner"] } });
    const record = failedRecord("NO_PROVIDER");
    record.error = {
      ...sampleError("NO_PROVIDER", {
        providers: { far: "it got s3cret-value", list: ["s3cret-value"] },
      }),
      message: 'far: it got s3cret-value and {"servers":["inner"]}.',
      cause: "s3cret-value",
    };
    const text = JSON.stringify(letterOf(call, record));
    assert.doesNotMatch(text, /s3cret|inner/);
    assert.match(text, /\[redacted\]/);
  });
});

test("the provider's words are kept, marked as its own, short and without secrets", () => {
  const recorded = { ...sampleError("PROVIDER_FAILED"), message: "In our words.", server: "notes" };
  const told = {
    ...recorded,
    message: "Server 'notes' failed",
    cause: "no row 7\u001b[31m; token=ghp_abcdefghijklmnopqrstuvwxyz0123456789",
  };
  const { message, data } = withWords(recorded, told);
  assert.match(message, /^In our words\. Server 'notes' said: “no row 7; token=\S*redacted\S*”$/);
  assert.equal((data.said as { by: string }).by, "notes");
  assert.doesNotMatch(JSON.stringify(data), /ghp_abc/);
  assert.equal(withWords(recorded, recorded), recorded);
  assert.equal(withWords(recorded, null), recorded);
  const long = withWords(recorded, { ...told, cause: "x".repeat(10_000) });
  assert.ok(long.message.length < 600);
});
