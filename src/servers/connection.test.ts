import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type Attempt, gone, sampleConnection as sample } from "../../test/samples/connections.ts";
import { moveTime, settled, useMockedTime } from "../../test/samples/mocked-time.ts";
import { PlaneError } from "../model/errors.ts";
import { createServerConnection } from "./connection.ts";

suite("a connection", () => {
  useMockedTime();

  test("is opened once, however many ask for it at once", async () => {
    const { connection, attempts, types } = sample();
    const all = Promise.all(Array.from({ length: 50 }, () => connection.ensure()));
    await moveTime(0);
    attempts[0]?.succeed();
    const [first, ...others] = await all;
    assert.ok(others.every((live) => live === first));
    assert.deepEqual([attempts.length, types()], [1, ["connecting", "connected"]]);
    assert.equal(await connection.ensure(), first);
    assert.equal(connection.live(), first);
  });

  test("opens nothing before what ran under its name is gone, and closing waits for that too", async () => {
    const before = Promise.withResolvers<void>();
    const { connection, attempts } = sample({ after: before.promise });
    const opening = connection.ensure();
    await moveTime(0);
    assert.deepEqual([attempts.length, connection.isInUse()], [0, true]);
    before.resolve();
    await moveTime(0);
    attempts[0]?.succeed();
    await opening;
    assert.equal(connection.isInUse(), false);
  });

  test("is opened within its limit, also where the last process takes its time to leave", async () => {
    const before = Promise.withResolvers<void>();
    const { connection, attempts } = sample({ after: before.promise });
    const opening = settled(connection.ensure());
    await moveTime(20_000);
    before.resolve();
    await moveTime(9_999);
    assert.deepEqual([attempts.length, opening.state], [1, "pending"]);
    await moveTime(1);
    assert.match(opening.reason<PlaneError>().message, /timed out after 30 s/);
  });

  test("that could not be opened says why, without secrets, and leaves nothing behind", async () => {
    const { connection, attempts, types, events, left } = sample();
    const failed = settled(connection.ensure());
    await moveTime(0);
    attempts[0]?.fail(gone("wrong password hunter2"));
    await moveTime(0);
    const error = failed.reason<PlaneError>();
    assert.equal(error.code, "SERVER_UNAVAILABLE");
    assert.match(error.message, /^Server 's' is not available: wrong password \[redacted\]\.$/i);
    assert.deepEqual([error.data.sent, error.data.server], [false, "s"]);
    assert.ok(typeof error.data.retryAt === "string");
    assert.deepEqual(types(), ["connecting", "error"]);
    assert.doesNotMatch(JSON.stringify(events), /hunter2/);
    assert.deepEqual([attempts[0]?.channel.closings, left.length], [1, 1]);
  });

  test("that could not be opened cools down for a moment, unless it is forced", async () => {
    const { connection, attempts } = sample({ kept: false });
    const failed = connection.ensure().catch(() => undefined);
    await moveTime(0);
    attempts[0]?.fail(gone());
    await failed;
    await assert.rejects(connection.ensure(), { code: "SERVER_UNAVAILABLE" });
    assert.equal(attempts.length, 1);
    const forced = connection.ensure({ force: true });
    await moveTime(0);
    attempts[1]?.succeed();
    await forced;
    assert.equal(connection.facts().state, "connected");
  });

  test("that is kept is tried again by itself, with growing gaps, until it stands", async () => {
    const { attempts, connection } = sample();
    connection.ensure().catch(() => undefined);
    await moveTime(0);
    for (const [count, gapMs] of [1_200, 2_400, 4_800, 9_600].entries()) {
      assert.equal(attempts.length, count + 1);
      attempts.at(-1)?.fail(gone());
      await moveTime(0);
      assert.equal(connection.facts().state, "backoff");
      await moveTime(gapMs / 2 - 1);
      assert.equal(attempts.length, count + 1, "too early");
      await moveTime(gapMs / 2 + 1);
    }
    attempts.at(-1)?.succeed();
    await moveTime(0);
    assert.equal(connection.facts().state, "connected");
    await moveTime(1_000_000);
    assert.equal(attempts.length, 5);
  });

  test("that takes too long is reported with what it waited for and the setting", async () => {
    const { connection, attempts } = sample({ connectTimeoutMs: 5_000, kept: false });
    const failed = settled(connection.ensure());
    await moveTime(0);
    attempts[0]?.steps.phase("initialize");
    await moveTime(5_000);
    assert.match(
      failed.reason<PlaneError>().message,
      /the handshake \(initialize\) timed out after 5 s \('connectTimeoutMs'\)/,
    );
    assert.equal(attempts[0]?.channel.closings, 1);
  });

  test("that needs a person says so as it is, and is not tried again by itself", async () => {
    const { connection, attempts } = sample();
    const needed = new PlaneError("AUTH_REQUIRED", "Sign in first.");
    const failed = settled(connection.ensure());
    await moveTime(0);
    attempts[0]?.fail(needed);
    await moveTime(0);
    assert.equal(failed.reason(), needed);
    assert.equal(connection.requirement(), needed);
    await moveTime(1_000_000);
    assert.equal(attempts.length, 1);
    const again = connection.ensure();
    await moveTime(0);
    attempts[1]?.succeed();
    await again;
    assert.equal(connection.requirement(), null);
  });

  test("that is lost after it was useful comes back at once", async () => {
    const { connection, attempts, connect, types } = sample();
    const live = await connect();
    live.answered += 1;
    attempts[0]?.steps.onClose(gone());
    assert.deepEqual([connection.live(), connection.facts().state], [null, "backoff"]);
    assert.deepEqual([attempts[0]?.session.ends, attempts[0]?.channel.closings], [1, 1]);
    await moveTime(1);
    assert.equal(attempts.length, 2);
    attempts[1]?.succeed();
    await moveTime(0);
    assert.deepEqual(types(), [
      "connecting",
      "connected",
      "disconnected",
      "connecting",
      "connected",
    ]);
  });

  test("that keeps falling over right away is given more and more rest", async () => {
    const { connection, attempts, connect } = sample();
    const rests: number[] = [];
    for (let life = 0; life < 4; life++) {
      await connect();
      attempts.at(-1)?.steps.onClose(gone());
      rests.push((connection.facts().retryAt ?? 0) - Date.now());
    }
    assert.equal(rests[0], 0);
    assert.ok(
      rests.slice(1).every((rest, at) => rest > (rests[at] ?? 0)),
      `${rests}`,
    );
  });

  test("that is not kept waits for a caller that needs it", async () => {
    const { connection, attempts, connect } = sample({ kept: false });
    await connect();
    attempts[0]?.steps.onClose(gone());
    await moveTime(1_000_000);
    assert.deepEqual([attempts.length, connection.facts().state], [1, "disconnected"]);
    await connect();
    assert.equal(connection.facts().state, "connected");
  });

  test("that is lost before it was ready has not been connected", async () => {
    const { connection, attempts, types } = sample({ kept: false });
    const failed = settled(connection.ensure());
    await moveTime(0);
    attempts[0]?.steps.onClose(gone());
    attempts[0]?.succeed();
    await moveTime(0);
    assert.match(failed.reason<PlaneError>().message, /exited with code 1/);
    assert.deepEqual(types(), ["connecting", "error"]);
  });

  test("that was lost is reported once, however often its end is reported", async () => {
    const { attempts, connect, types } = sample({ kept: false });
    await connect();
    attempts[0]?.steps.onClose(gone());
    attempts[0]?.steps.onClose(gone());
    assert.equal(types().filter((type) => type === "disconnected").length, 1);
    assert.equal(attempts[0]?.channel.closings, 1);
  });

  test("the end of an earlier session does not end the present one", async () => {
    const { connection, attempts, connect } = sample({ kept: false });
    await connect();
    attempts[0]?.steps.onClose(gone());
    const second = await connect();
    attempts[0]?.steps.onClose(gone());
    assert.equal(connection.live(), second);
  });

  test("whose opening went two ways keeps the one that stands and leaves the other", async () => {
    const { connection, attempts } = sample();
    const opening = connection.ensure();
    await moveTime(0);
    const first = attempts[0] ?? assert.fail();
    const other = {
      ...first.channel,
      closings: 0,
      async close() {
        other.closings += 1;
      },
    };
    first.steps.onOpened(other);
    first.succeed();
    await opening;
    assert.deepEqual([other.closings, first.channel.closings], [1, 0]);
  });

  test("a retry further away than a timer can hold is not made at once", async () => {
    const { attempts, connection } = sample();
    const far = createServerConnection({
      name: "far",
      connectTimeoutMs: 1_000,
      idleTimeoutMs: 0,
      retry: { firstMs: 2 ** 33, maxMs: 2 ** 33, maxCooldownMs: 2 ** 33 },
      staysConnected: () => true,
      emit: () => undefined,
      hide: (text) => text,
      onLeft: () => undefined,
      open: async () => {
        attempts.push({} as Attempt);
        throw gone();
      },
    });
    await far.ensure().catch(() => undefined);
    await moveTime(10_000);
    assert.equal(attempts.length, 1);
    await Promise.all([far.close("done"), connection.close("done")]);
  });
});
