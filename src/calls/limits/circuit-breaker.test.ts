import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { moveTime, useMockedTime } from "../../../test/samples/mocked-time.ts";
import { type ErrorCode, type ErrorData, PlaneError } from "../../model/errors.ts";
import { createCircuits, type OpenCircuit } from "./circuit-breaker.ts";

const error = (code: ErrorCode, data: ErrorData = {}) => new PlaneError(code, "it broke", { data });
const lost = error("SERVER_UNAVAILABLE", { sent: true });

function circuitsOf(failures = 5, openMs = 30_000) {
  const changes: string[] = [];
  const turns: (OpenCircuit | null)[] = [];
  const circuits = createCircuits({
    setting: () => ({ failures, openMs }),
    onChange: (server, state) => changes.push(`${server} ${state}`),
    onTurned: (_, open) => turns.push(open),
  });
  const attempt = (how: PlaneError | null) => circuits.enter("notes").leave(how);
  const fail = (times: number, how = lost) => {
    for (let at = 0; at < times; at += 1) attempt(how);
  };
  return { circuits, changes, turns, attempt, fail };
}

const refused = { code: "SERVER_UNAVAILABLE" };

suite("circuits", () => {
  useMockedTime();

  test("five failures in a row open the circuit for 30 s, and callers learn why and until when", () => {
    const { circuits, changes, fail } = circuitsOf();
    fail(4);
    assert.equal(circuits.enter("notes").isProbe, false);
    fail(1);
    assert.throws(() => circuits.enter("notes"), {
      ...refused,
      message:
        "Server 'notes': circuit open since 1970-01-01T00:00:00.000Z, after 5 failures in a row. The last one: it broke. Next try in 30 s; 'servers connect notes' tries it now.",
      data: {
        server: "notes",
        sent: false,
        retryAt: "1970-01-01T00:00:30.000Z",
        since: "1970-01-01T00:00:00.000Z",
      },
    });
    assert.deepEqual(changes, ["notes open"]);
    assert.deepEqual(circuits.status("notes"), {
      state: "open",
      failures: 5,
      openUntil: "1970-01-01T00:00:30.000Z",
      lastError: "it broke",
    });
    assert.equal(circuits.enter("others").isProbe, false);
  });

  test("a success in between begins the count again", () => {
    const { circuits, attempt, fail } = circuitsOf();
    fail(4);
    attempt(null);
    fail(4);
    assert.equal(circuits.enter("notes").isProbe, false);
  });

  test("after its time one call tries the server, and its success lets all others in again", async () => {
    const { circuits, changes, fail } = circuitsOf();
    fail(5);
    await moveTime(30_000);
    assert.equal(circuits.status("notes")?.state, "half_open");
    const probe = circuits.enter("notes");
    assert.equal(probe.isProbe, true);
    assert.throws(() => circuits.enter("notes"), refused, "one is enough to find out");
    probe.leave(null);
    assert.equal(circuits.enter("notes").isProbe, false);
    assert.deepEqual(changes, ["notes open", "notes half_open", "notes closed"]);
    assert.deepEqual(circuits.status("notes"), {
      state: "closed",
      failures: 0,
      openUntil: null,
      lastError: null,
    });
  });

  test("each failed try doubles the time, up to five minutes", async () => {
    const { circuits, fail } = circuitsOf();
    fail(5);
    for (const seconds of [30, 60, 120, 240, 300, 300]) {
      await moveTime(seconds * 1_000 - 1);
      assert.throws(() => circuits.enter("notes"), refused, `${seconds} s are not over`);
      await moveTime(1);
      circuits.enter("notes").leave(lost);
    }
  });

  test("a try that says nothing, or was not made, leaves it to the next call", async () => {
    const { circuits, fail, attempt } = circuitsOf();
    fail(5);
    await moveTime(30_000);
    attempt(error("CANCELLED"));
    circuits.enter("notes").abandon();
    attempt(null);
    assert.equal(circuits.enter("notes").isProbe, false);
  });

  test("calls that were under way when it opened change nothing, unless one succeeds", async () => {
    const { circuits, changes, fail } = circuitsOf();
    const one = circuits.enter("notes");
    const two = circuits.enter("notes");
    fail(5);
    one.leave(lost);
    assert.deepEqual(changes, ["notes open"]);
    two.leave(null);
    assert.equal(circuits.enter("notes").isProbe, false);
  });

  test("calls that ran at the same time are one failure, however many they are", () => {
    const { circuits, fail } = circuitsOf();
    const together = Array.from({ length: 20 }, () => circuits.enter("notes"));
    for (const entered of together) entered.leave(lost);
    assert.deepEqual(
      [circuits.status("notes")?.state, circuits.status("notes")?.failures],
      ["closed", 1],
    );
    fail(4);
    assert.equal(circuits.status("notes")?.state, "open");
  });

  for (const [what, how, counts] of [
    ["a lost answer", lost, true],
    [
      "a limit of the server that is over",
      error("TIMEOUT", { limitSetBy: "server", limitMs: 100 }),
      true,
    ],
    ["a patient caller's limit", error("TIMEOUT", { limitSetBy: "call", limitMs: 10_000 }), true],
    [
      "an impatient caller's limit",
      error("TIMEOUT", { limitSetBy: "call", limitMs: 9_999 }),
      false,
    ],
    [
      "an internal error of the server",
      error("PROVIDER_FAILED", { sent: true, rpcCode: -32603 }),
      true,
    ],
    ["an answer that is none", error("PROVIDER_FAILED", { sent: true }), true],
    [
      "an error about the arguments",
      error("PROVIDER_FAILED", { sent: true, rpcCode: -32602 }),
      false,
    ],
    [
      "an error in a server's own words",
      error("PROVIDER_FAILED", { sent: true, rpcCode: 42 }),
      false,
    ],
    ["a connection that could not be made", error("SERVER_UNAVAILABLE", { sent: false }), false],
    ["the caller's own end", error("CANCELLED"), false],
    ["invalid arguments", error("INVALID_ARGUMENTS"), false],
    ["a full queue", error("BUSY", { sent: false }), false],
  ] as const) {
    test(`${what} ${counts ? "counts" : "does not count"} against the server`, () => {
      const { circuits, fail } = circuitsOf();
      for (let at = 0; at < 5; at += 1) fail(1, how);
      assert.equal(circuits.status("notes")?.state === "open", counts);
    });
  }

  test("what a server wrote into its errors is not told to others", () => {
    const { circuits, fail } = circuitsOf();
    fail(
      5,
      new PlaneError("PROVIDER_FAILED", "no row for ann@example.org", { data: { sent: true } }),
    );
    assert.throws(() => circuits.enter("notes"), /The provider answered with a protocol error/);
    assert.doesNotMatch(circuits.reason("notes") ?? "", /ann/);
  });

  test("0 failures switch it off, and a repaired server closes it", () => {
    const off = circuitsOf(0);
    off.fail(50);
    assert.deepEqual(
      [off.circuits.enter("notes").isProbe, off.circuits.status("notes")],
      [false, undefined],
    );
    const on = circuitsOf();
    on.fail(5);
    on.circuits.reset("notes");
    assert.equal(on.circuits.enter("notes").isProbe, false);
    assert.deepEqual(on.changes, ["notes open", "notes closed"]);
  });

  test("what one plane opens is open on another, as long and for the same reason, until it closes", async () => {
    const [here, there] = [circuitsOf(), circuitsOf()];
    here.fail(5);
    assert.equal(here.turns.length, 1);
    there.circuits.learn("notes", here.turns[0] ?? null);
    assert.deepEqual(there.circuits.status("notes"), here.circuits.status("notes"));
    assert.throws(
      () => there.circuits.enter("notes"),
      /circuit open since 1970-01-01T00:00:00.000Z, after 5 failures/,
    );
    await moveTime(30_000);
    // Each plane tries it once; the one that fails opens it for both, for longer.
    const [one, other] = [here.circuits.enter("notes"), there.circuits.enter("notes")];
    one.leave(lost);
    there.circuits.learn("notes", here.turns[1] ?? null);
    assert.equal(there.circuits.status("notes")?.openUntil, "1970-01-01T00:01:30.000Z");
    other.leave(null);
    assert.deepEqual(there.turns, [null]);
    here.circuits.learn("notes", null);
    assert.equal(here.circuits.enter("notes").isProbe, false);
    // What was learned is not passed on.
    assert.equal(here.turns.length, 2);
  });

  test("what another plane says cannot shorten a cooldown, open a disabled breaker, or close one for ever", async () => {
    const { circuits, fail } = circuitsOf();
    const told: OpenCircuit = {
      failures: 9,
      opened: 1,
      since: 0,
      until: 10_000,
      lastError: "gone",
    };
    fail(5);
    circuits.learn("notes", told);
    assert.equal(circuits.status("notes")?.openUntil, "1970-01-01T00:00:30.000Z");
    circuits.learn("over", { ...told, until: -1 });
    assert.equal(circuits.enter("over").isProbe, false);
    circuits.learn("far", { ...told, until: 1e15 });
    assert.equal(circuits.status("far")?.openUntil, "1970-01-01T00:05:00.000Z");
    const off = circuitsOf(0);
    off.circuits.learn("notes", told);
    assert.equal(off.circuits.enter("notes").isProbe, false);
  });
});
