import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { gone, sampleConnection as sample } from "../../test/samples/connections.ts";
import { moveTime, settled, useMockedTime } from "../../test/samples/mocked-time.ts";
import type { PlaneError } from "../model/errors.ts";
import type { TransportError } from "../protocol/message.ts";

suite("a connection that ends", () => {
  useMockedTime();

  test("has one process at a time: the next one waits until the last one has left", async () => {
    const { attempts, connection, world } = sample({ kept: false, closeMs: 3_000 });
    const opening = connection.ensure();
    await moveTime(0);
    attempts[0]?.succeed();
    await opening;
    attempts[0]?.steps.onClose(gone());
    connection.ensure({ force: true }).catch(() => undefined);
    await moveTime(2_999);
    assert.equal(attempts.length, 1);
    await moveTime(1);
    assert.deepEqual([attempts.length, world.most], [2, 1]);
  });

  test("that is closed fails what waits, is reported once, and can be opened again", async () => {
    const { connection, attempts, connect, types } = sample({ closeMs: 1_000 });
    const live = await connect();
    const waiting = settled(live.peer.request("tools/call"));
    const closed = settled(connection.close("idle"));
    await moveTime(0);
    assert.deepEqual([connection.live(), waiting.reason<TransportError>().sent], [null, true]);
    assert.equal(closed.state, "pending");
    await moveTime(1_000);
    assert.equal(closed.state, "fulfilled");
    attempts[0]?.steps.onClose(gone());
    assert.deepEqual(types(), ["connecting", "connected", "disconnected"]);
    await moveTime(1_000_000);
    assert.equal(attempts.length, 1, "it is not opened again by itself");
    await connect();
    assert.equal(connection.facts().state, "connected");
  });

  test("that is closed while it opens was stopped and has not failed", async () => {
    const { connection, attempts, types } = sample();
    const opening = settled(connection.ensure());
    await moveTime(0);
    await connection.close("disconnected");
    assert.match(opening.reason<PlaneError>().message, /^Server 's' was stopped\.$/);
    assert.equal(attempts[0]?.channel.closings, 1);
    assert.deepEqual(types(), ["connecting"]);
    await moveTime(1_000_000);
    assert.equal(attempts.length, 1, "nothing is tried again");
    assert.deepEqual([connection.facts().state, connection.facts().error], ["disconnected", null]);
  });

  test("that is closed while it waits for its last process does not open any more", async () => {
    const { connection, attempts } = sample({ kept: false, closeMs: 3_000 });
    const first = connection.ensure();
    await moveTime(0);
    attempts[0]?.succeed();
    await first;
    attempts[0]?.steps.onClose(gone());
    const opening = settled(connection.ensure({ force: true }));
    const closed = settled(connection.close("disconnected"));
    await moveTime(3_000);
    await moveTime(3_000);
    assert.deepEqual([opening.state, closed.state], ["rejected", "fulfilled"]);
    assert.equal(attempts.length, 1);
    assert.equal(connection.facts().state, "disconnected");
  });

  test("that is closed while it backs off stays closed", async () => {
    const { connection, attempts } = sample();
    connection.ensure().catch(() => undefined);
    await moveTime(0);
    attempts[0]?.fail(gone());
    await moveTime(0);
    await connection.close("disconnected");
    await moveTime(1_000_000);
    assert.deepEqual([attempts.length, connection.facts().state], [1, "disconnected"]);
  });

  test("that could not be made ready ends its session as well", async () => {
    const { connection, attempts } = sample({ kept: false });
    const failed = settled(connection.ensure());
    await moveTime(0);
    attempts[0]?.steps.onClose(gone());
    attempts[0]?.succeed();
    await moveTime(0);
    assert.equal(failed.state, "rejected");
    assert.equal(attempts[0]?.session.ends, 1);
  });

  test("that is idle for long is closed and reported, but not while it is in use", async () => {
    const { connection, connect, world, types } = sample({ kept: false, idleTimeoutMs: 1_000 });
    await connect();
    connection.enter();
    await moveTime(5_000);
    assert.notEqual(connection.live(), null);
    connection.leave();
    await moveTime(999);
    assert.deepEqual([world.idle, connection.facts().state], [0, "connected"]);
    await moveTime(1);
    assert.deepEqual([world.idle, connection.live()], [1, null]);
    assert.deepEqual(types(), ["connecting", "connected", "disconnected"]);
  });

  test("and is asked for again while it closes is a new one, opened when the last has left", async () => {
    const { connection, connect, attempts, world } = sample({ kept: false, closeMs: 3_000 });
    const first = await connect();
    const closed = settled(connection.close("cleared"));
    const again = connection.ensure();
    await moveTime(3_000);
    assert.deepEqual([closed.state, attempts.length, world.most], ["fulfilled", 2, 1]);
    attempts[1]?.succeed();
    assert.notEqual(await again, first);
    assert.equal(connection.facts().state, "connected");
  });
});
