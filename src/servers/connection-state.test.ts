import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import type { ServerState } from "../model/servers/server-schema.ts";
import {
  type ConnectionFacts,
  type ConnectionSignal,
  initialFacts,
  nextFacts,
} from "./connection-state.ts";

const policy = { firstMs: 1_000, maxMs: 60_000, maxCooldownMs: 4_000 };
const at = 1_000_000;
const never = () => 0;

const signals = {
  connect: { type: "connect" },
  installing: { type: "installing", at },
  connected: { type: "connected", toolCount: 3, protocolVersion: "2025-11-25" },
  failed: { type: "failed", reason: "no", at, isRetried: true },
  lost: { type: "lost", reason: "gone", at, isRetried: true, useful: false, answered: false },
  closed: { type: "closed", reason: "idle" },
} as const satisfies Record<string, ConnectionSignal>;

function after(facts: ConnectionFacts, signal: ConnectionSignal, random = never) {
  return nextFacts("s", facts, signal, policy, random);
}

/** The facts after these signals. */
function through(...taken: ConnectionSignal[]): ConnectionFacts {
  return taken.reduce((facts, signal) => after(facts, signal).facts, initialFacts);
}

const inState: Record<string, ConnectionFacts> = {
  disconnected: initialFacts,
  connecting: through(signals.connect),
  connected: through(signals.connect, signals.connected),
  backoff: through(signals.connect, signals.failed),
  error: through(signals.connect, { ...signals.failed, isRetried: false }),
};

suite("what can happen in every state", () => {
  const expected: Record<keyof typeof signals, Record<string, [ServerState, string | null]>> = {
    connect: {
      disconnected: ["connecting", "server.connecting"],
      backoff: ["connecting", "server.connecting"],
      error: ["connecting", "server.connecting"],
    },
    installing: {
      connecting: ["connecting", "server.installing"],
      connected: ["connected", null],
      disconnected: ["disconnected", null],
    },
    connected: { connecting: ["connected", "server.connected"] },
    failed: { connecting: ["backoff", "server.error"] },
    lost: { connected: ["backoff", "server.disconnected"] },
    closed: {
      disconnected: ["disconnected", null],
      connecting: ["disconnected", null],
      connected: ["disconnected", "server.disconnected"],
      backoff: ["disconnected", null],
      error: ["disconnected", null],
    },
  };
  for (const [type, states] of Object.entries(expected)) {
    for (const [state, [next, event]] of Object.entries(states)) {
      test(`'${type}' while ${state} makes it ${next}`, () => {
        const facts = inState[state] ?? assert.fail();
        assert.equal(facts.state, state);
        const result = after(facts, signals[type as keyof typeof signals]);
        assert.deepEqual([result.facts.state, result.event?.type ?? null], [next, event]);
      });
    }
  }
  for (const state of ["disconnected", "connecting", "backoff", "error"]) {
    test(`a connection that is ${state} cannot be lost: no second end is reported`, () => {
      assert.equal(after(inState[state] ?? assert.fail(), signals.lost).event, null);
    });
  }
});

test("a failure is reported with its reason, the cooldown and the next try", () => {
  const { facts, event } = after(inState.connecting ?? assert.fail(), signals.failed);
  assert.deepEqual(event, { type: "server.error", server: "s", message: "no" });
  assert.deepEqual(facts, {
    state: "backoff",
    error: "no",
    stderrTail: null,
    failures: 1,
    cooldownUntil: at + 1_000,
    retryAt: at + 1_000,
    installingSince: null,
  });
});

test("whatever ends an installation, nothing is being installed any more", () => {
  const installing = through(signals.connect, signals.installing);
  assert.equal(installing.installingSince, at);
  for (const end of [signals.connected, signals.failed, signals.closed, signals.connect])
    assert.equal(after(installing, end).facts.installingSince, null, end.type);
});

test("who is not kept is not tried again, but rests", () => {
  const { facts } = after(inState.connecting ?? assert.fail(), {
    ...signals.failed,
    isRetried: false,
  });
  assert.deepEqual([facts.state, facts.cooldownUntil, facts.retryAt], ["error", at + 1_000, null]);
});

test("what a person has to put right is neither tried again nor made to rest", () => {
  const { facts } = after(inState.connecting ?? assert.fail(), {
    ...signals.failed,
    hopeless: true,
  });
  assert.deepEqual([facts.state, facts.cooldownUntil, facts.retryAt], ["error", null, null]);
});

test("the first loss may come back at once, the following ones after growing gaps", () => {
  let facts = initialFacts;
  const gaps: number[] = [];
  for (let life = 0; life < 5; life++) {
    for (const signal of [signals.connect, signals.connected, signals.lost])
      facts = after(facts, signal).facts;
    gaps.push((facts.retryAt ?? 0) - at);
  }
  assert.deepEqual(gaps, [0, 2_000, 4_000, 8_000, 16_000]);
});

test("lives that answered something may come back at once a few times more", () => {
  let facts = initialFacts;
  const gaps: number[] = [];
  for (let life = 0; life < 6; life++) {
    const lost = { ...signals.lost, answered: true };
    for (const signal of [signals.connect, signals.connected, lost])
      facts = after(facts, signal).facts;
    gaps.push((facts.retryAt ?? 0) - at);
  }
  assert.deepEqual(gaps, [0, 0, 0, 0, 16_000, 32_000]);
});

test("a useful life makes up for whatever was before", () => {
  const bad = [signals.connect, signals.connected, signals.lost];
  const often = [...bad, ...bad, ...bad, signals.connect, signals.connected];
  assert.equal(through(...often).failures, 3);
  const useful = through(...often, { ...signals.lost, useful: true });
  assert.deepEqual([useful.failures, useful.cooldownUntil, useful.retryAt], [0, null, at]);
});

test("connected, nothing is left of earlier trouble but the count of it", () => {
  const facts = through(signals.connect, signals.failed, signals.connect, signals.connected);
  const none = {
    error: null,
    stderrTail: null,
    cooldownUntil: null,
    retryAt: null,
    installingSince: null,
  };
  assert.deepEqual(facts, { state: "connected", failures: 1, ...none });
});

suite("whatever happens", () => {
  const flags = { isRetried: fc.boolean(), at: fc.nat(10_000_000), reason: fc.constant("r") };
  const signal: fc.Arbitrary<ConnectionSignal> = fc.oneof(
    fc.constant(signals.connect),
    fc.constant(signals.connected),
    fc.record({ type: fc.constant("failed" as const), hopeless: fc.boolean(), ...flags }),
    fc.record({
      type: fc.constant("lost" as const),
      useful: fc.boolean(),
      answered: fc.boolean(),
      ...flags,
    }),
    fc.constant(signals.closed),
  );
  const policies = fc.record({
    firstMs: fc.integer({ min: 1, max: 100_000 }),
    maxMs: fc.integer({ min: 10, max: 100_000 }),
    maxCooldownMs: fc.integer({ min: 10, max: 100_000 }),
  });
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  test("no caller is refused longer than the longest cooldown, and no gap is longer than the longest", () => {
    fc.assert(
      fc.property(fc.array(signal, { maxLength: 40 }), policies, chance, (taken, retry, random) => {
        let facts = initialFacts;
        for (const one of taken) {
          const before = facts;
          facts = nextFacts("s", facts, one, retry, () => random).facts;
          // What cannot be in this state has changed nothing.
          if (!("at" in one) || facts === before) continue;
          assert.ok((facts.cooldownUntil ?? one.at) <= one.at + retry.maxCooldownMs);
          assert.ok((facts.retryAt ?? one.at) >= one.at);
          assert.ok(
            (facts.retryAt ?? one.at) <= one.at + retry.maxMs,
            `${facts.retryAt} ${one.at}`,
          );
        }
      }),
    );
  });

  test("gaps grow until they are the longest, whatever the dice say", () => {
    fc.assert(
      fc.property(fc.array(chance, { minLength: 12, maxLength: 12 }), (dice) => {
        let facts = initialFacts;
        const gaps = dice.map((random) => {
          facts = after(after(facts, signals.connect).facts, signals.failed, () => random).facts;
          return (facts.retryAt ?? 0) - at;
        });
        for (const [index, gap] of gaps.slice(0, 6).entries())
          assert.ok(gap < (gaps[index + 1] ?? 0), `${gaps}`);
        for (const gap of gaps.slice(7)) assert.ok(gap >= 48_000, `${gaps}`);
      }),
    );
  });

  test("every connection that was reported is reported to have ended exactly once before the next", () => {
    fc.assert(
      fc.property(fc.array(signal, { maxLength: 40 }), (taken) => {
        let facts = initialFacts;
        let open = 0;
        for (const one of taken) {
          const next = after(facts, one);
          facts = next.facts;
          if (next.event?.type === "server.connected") open += 1;
          if (next.event?.type === "server.disconnected") open -= 1;
          assert.ok(open === 0 || open === 1, `${open} open after ${JSON.stringify(taken)}`);
          assert.equal(open === 1, facts.state === "connected");
        }
      }),
    );
  });

  test("only what is kept is tried again by itself", () => {
    fc.assert(
      fc.property(fc.array(signal, { maxLength: 40 }), (taken) => {
        let facts = initialFacts;
        for (const one of taken) {
          const before = facts;
          facts = after(facts, one).facts;
          if (facts.retryAt !== null) assert.equal(facts.state, "backoff");
          if ("isRetried" in one && !one.isRetried && facts !== before)
            assert.equal(facts.retryAt, null);
        }
      }),
    );
  });
});
