import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type ErrorCode, errorTable } from "@toolplane/core/model/errors";
import type { KeptDeadLetter } from "@toolplane/core/model/work/dead-letter";
import { sampleError, sampleLetter, startedAt } from "@toolplane/test/samples/dead-letters";
import fc from "fast-check";
import {
  abandon,
  claim,
  expire,
  type Failure,
  fail,
  isLeaseLost,
  release,
  renew,
  resolveLetter,
  retryLeaseMs,
  succeed,
} from "./states.ts";

const even = () => 0.5;
const ada = { by: "ada", note: "done by hand" };

function failure(
  code: ErrorCode,
  { notSent = false, repeatable = false, data = {} } = {},
): Failure {
  const sent = notSent ? "not_sent" : "not_known";
  return { callId: "again", error: sampleError(code, data), sent, repeatable };
}

function retried(letter: KeptDeadLetter): KeptDeadLetter {
  return claim(letter, "again", startedAt);
}

suite("the states of a dead letter", () => {
  test("a retry takes it, and success ends it with the call that succeeded", () => {
    const taken = retried(sampleLetter("a"));
    assert.deepEqual([taken.status, taken.nextRetryAt], ["retrying", null]);
    const done = succeed(taken, "again", startedAt + 5);
    assert.deepEqual([done.status, done.resolvedCallId, done.lease], ["resolved", "again", null]);
    assert.deepEqual(
      done.history.map(({ status, callId }) => [status, callId]),
      [
        ["pending", "call-of-a"],
        ["retrying", "again"],
        ["resolved", "again"],
      ],
    );
  });

  test("a second failure makes it rest for five minutes, a third ends it", () => {
    const second = fail(
      retried(sampleLetter("a", { repeatable: true })),
      failure("SERVER_UNAVAILABLE", { notSent: true, repeatable: true }),
      startedAt,
      even,
    );
    assert.deepEqual([second.status, second.attempts], ["pending", 2]);
    assert.equal(Date.parse(second.nextRetryAt ?? "") - startedAt, 300_000);
    const third = fail(retried(second), failure("TIMEOUT", { repeatable: true }), startedAt, even);
    assert.deepEqual([third.status, third.attempts, third.nextRetryAt], ["abandoned", 3, null]);
  });

  test("a server that says when it may be asked is not asked sooner", () => {
    const retryAt = new Date(startedAt + 4_000_000).toISOString();
    const told = failure("SERVER_UNAVAILABLE", { notSent: true, data: { retryAt } });
    const accepted = sampleLetter("a", { accepted: true });
    assert.equal(fail(retried(accepted), told, startedAt, even).nextRetryAt, retryAt);
  });

  for (const [code, hold, how] of [
    ["PROVIDER_FAILED", "may_have_run", {}],
    ["TOOL_ERROR", "may_have_run", {}],
    ["OUTCOME_UNKNOWN", "may_have_run", {}],
    ["TIMEOUT", "may_have_run", {}],
    ["PROVIDER_FAILED", "permanent", { notSent: true }],
    ["FORBIDDEN", "permanent", { notSent: true }],
    ["INVALID_ARGUMENTS", "permanent", { notSent: true }],
    ["SERVER_UNAVAILABLE", "refused", { notSent: true }],
    ["RATE_LIMITED", "refused", { notSent: true }],
    ["NO_PROVIDER", "permanent", { notSent: true, repeatable: true, data: { permanent: true } }],
  ] as const) {
    const when = "notSent" in how ? " that was not sent" : "";
    test(`after ${code} of a write${when} nothing but a person tries it again`, () => {
      const { accepted: _, ...refused } = sampleLetter("a");
      const next = fail(retried(refused), failure(code, how), startedAt);
      assert.deepEqual([next.status, next.hold, next.nextRetryAt], ["pending", hold, null]);
    });
  }

  test("what may have run once stays held, even when a later try did not get through", () => {
    const held = sampleLetter("a", { hold: "may_have_run", nextRetryAt: null });
    const next = fail(retried(held), failure("SERVER_UNAVAILABLE", { notSent: true }), startedAt);
    assert.deepEqual([next.hold, next.nextRetryAt], ["may_have_run", null]);
  });

  test("a retrier that is gone costs a try; only what may run twice is tried again", () => {
    const taken = retried(sampleLetter("a", { repeatable: true }));
    assert.equal(isLeaseLost(taken, startedAt + retryLeaseMs - 1), false);
    assert.equal(isLeaseLost(taken, startedAt + retryLeaseMs), true);
    assert.equal(
      isLeaseLost(renew(taken, startedAt + retryLeaseMs), startedAt + retryLeaseMs),
      false,
    );
    const read = expire(taken, startedAt, even);
    assert.deepEqual([read.status, read.attempts, read.hold], ["pending", 2, null]);
    assert.ok(read.nextRetryAt);
    const write = expire(retried(sampleLetter("b")), startedAt, even);
    assert.deepEqual(
      [write.status, write.hold, write.nextRetryAt],
      ["pending", "may_have_run", null],
    );
  });

  test("a try that was called off does not count, unless it may have run", () => {
    const before = sampleLetter("a");
    const free = release(retried(before), "again", false, startedAt);
    assert.deepEqual(
      [free.status, free.attempts, free.nextRetryAt],
      ["pending", 1, before.nextRetryAt],
    );
    const unsure = release(retried(before), "again", true, startedAt);
    assert.deepEqual([unsure.hold, unsure.nextRetryAt], ["may_have_run", null]);
  });

  test("what a person gave up may be retried by a person and does not come back by itself", () => {
    const given = abandon(sampleLetter("a"), ada, startedAt);
    const failed = fail(retried(given), failure("BUSY", { notSent: true }), startedAt);
    assert.deepEqual([failed.status, failed.nextRetryAt], ["abandoned", null]);
    assert.equal(release(retried(given), "again", false, startedAt).status, "abandoned");
    assert.equal(resolveLetter(given, ada, startedAt).status, "resolved");
  });

  test("who decided, and with which words, stands in the history", () => {
    const { history } = resolveLetter(sampleLetter("a"), ada, startedAt);
    const { by, note } = history.at(-1) ?? {};
    assert.deepEqual([by, note], ["ada", "done by hand"]);
  });

  test("a verb in the wrong state is a conflict that says why", () => {
    const taken = retried(sampleLetter("a"));
    const done = succeed(taken, "again", startedAt);
    const running = {
      code: "CONFLICT",
      message: /'a' cannot be \w+: it is being retried right now\. Wait/,
    };
    const over = { code: "CONFLICT", message: /'a' cannot be \w+: it is resolved already/ };
    assert.throws(() => retried(taken), running);
    assert.throws(() => resolveLetter(taken, ada, startedAt), running);
    assert.throws(() => abandon(taken, ada, startedAt), running);
    assert.throws(() => retried(done), over);
    assert.throws(() => resolveLetter(done, ada, startedAt), over);
    assert.throws(() => abandon(done, ada, startedAt), over);
  });

  test("without its arguments it cannot be retried, and says what to do instead", () => {
    const letter = sampleLetter("a", { hold: "no_arguments", arguments: null, nextRetryAt: null });
    assert.throws(() => retried(letter), {
      code: "USAGE",
      message: /arguments could not be kept\. Call/,
    });
  });
});

/** Anything that can happen to an entry, in any order. */
const happening = fc.oneof(
  fc.record({ verb: fc.constantFrom("claim", "renew", "expire", "resolve", "abandon", "succeed") }),
  fc.record({ verb: fc.constant("release"), mayHaveRun: fc.boolean() }),
  fc.record({
    verb: fc.constant("fail"),
    code: fc.constantFrom(...(Object.keys(errorTable) as ErrorCode[])),
    notSent: fc.boolean(),
    repeatable: fc.boolean(),
  }),
);
type Happening = {
  verb: string;
  code?: ErrorCode;
  notSent?: boolean;
  repeatable?: boolean;
  mayHaveRun?: boolean;
};

function apply(
  letter: KeptDeadLetter,
  { verb, code = "TIMEOUT", mayHaveRun = false, ...more }: Happening,
) {
  const changes: Record<string, () => KeptDeadLetter> = {
    claim: () => retried(letter),
    renew: () => renew(letter, startedAt),
    expire: () => expire(letter, startedAt),
    succeed: () => succeed(letter, "again", startedAt),
    release: () => release(letter, "again", mayHaveRun, startedAt),
    fail: () => fail(letter, failure(code, more), startedAt),
    resolve: () => resolveLetter(letter, ada, startedAt),
    abandon: () => abandon(letter, ada, startedAt),
  };
  return changes[verb]?.() ?? letter;
}

const onlyWhileRetrying = new Set(["renew", "expire", "succeed", "release", "fail"]);

test("whatever happens in whatever order: only what is safe has a next try, and the end is the end", () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 30 }), fc.boolean(), (happenings, repeatable) => {
      let letter = sampleLetter("a", { repeatable });
      for (const next of happenings) {
        if (onlyWhileRetrying.has(next.verb) !== (letter.status === "retrying")) continue;
        if (letter.status === "resolved") {
          assert.throws(() => apply(letter, next), { code: "CONFLICT" });
          continue;
        }
        if (next.verb === "abandon" && letter.status === "abandoned") continue;
        const wasHeld = letter.hold === "may_have_run";
        const { attempts } = letter;
        letter = apply(letter, next);
        assert.ok(letter.attempts === attempts || letter.attempts === attempts + 1);
        assert.equal(letter.lease !== null, letter.status === "retrying");
        if (letter.nextRetryAt !== null) {
          assert.deepEqual([letter.status, letter.hold], ["pending", null]);
          assert.ok(letter.attempts < letter.maxAttempts);
        }
        if (letter.status === "pending") assert.ok(letter.attempts < letter.maxAttempts);
        if (wasHeld && letter.status !== "resolved") assert.equal(letter.hold, "may_have_run");
        assert.ok(letter.history.length <= 50);
      }
    }),
  );
});
