import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { suite, test } from "node:test";
import { temporaryDirectory } from "../../fixtures/start-server.ts";
import { until } from "../../fixtures/until.ts";
import { assertFailed, errorOf, planeOf, textsOf, within } from "../support.ts";
import { oracle, received, rogue, startRogue, statusOf } from "./rogue.ts";

suite("rogue: oddities over HTTP", { concurrency: 4 }, () => {
  for (const [mode, why] of [
    ["silent", "a server that accepts and never answers"],
    ["trickle-all", "a server that answers one byte per second"],
  ] as const) {
    test(`ODD: ${why} fails at the connect limit and leaves its neighbour alone`, async () => {
      await using server = await startRogue("http-odd", ["--mode", mode]);
      const odd = { url: server.url, connectTimeoutMs: 1_500 };
      await using plane = await planeOf({ odd, neighbour: rogue("echo") });
      const calling = plane.call("odd.ok");
      assert.equal((await plane.call("neighbour.echo")).ok, true);
      const outcome = await calling;
      assertFailed(outcome, "SERVER_UNAVAILABLE", "failed");
      assert.match(errorOf(outcome).message, /'odd'.*1\.5 s/);
    });
  }

  test("ODD: a web page instead of an answer is called that, in few words", async () => {
    await using page = await startRogue("http-odd", ["--mode", "html-all"]);
    await using pageLater = await startRogue("http-odd");
    await using plane = await planeOf({ page: { url: page.url }, later: { url: pageLater.url } });
    for (const tool of ["page.ok", "later.html"]) {
      const { message } = errorOf(await within(tool, plane.call(tool)));
      assert.match(message, /HTML|text\/html|not JSON|web page/i);
      assert.ok(message.length < 600, `${message.length} characters`);
      assert.doesNotMatch(message, /<p>/);
    }
  });

  test("ODD: a body that breaks off fails its call at once, and the next one works", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startRogue("http-odd", ["--log", log]);
    await using plane = await planeOf({ odd: { url: server.url } });
    await plane.tools.list();
    assertFailed(await plane.call("odd.cut"), "OUTCOME_UNKNOWN", "failed");
    assert.equal(received(log, "tools/call", "cut").length, 1);
    assert.deepEqual(textsOf(await plane.call("odd.ok")), ["http-odd ok"]);
  });

  for (const [tool, why] of [
    ["nothing", "a call that is only accepted"],
    ["other_id", "a call that is answered with another id"],
  ] as const) {
    test(`ODD: ${why} fails at once, for nothing more can come`, async () => {
      await using server = await startRogue("http-odd");
      await using plane = await planeOf({ odd: { url: server.url } });
      await plane.tools.list();
      const outcome = await plane.call(`odd.${tool}`);
      assert.equal(outcome.ok, false);
      assert.match(errorOf(outcome).message, /'odd'/);
      assert.notEqual(errorOf(outcome).code, "TIMEOUT");
    });
  }

  for (const tool of ["heartbeat", "trickle"]) {
    test(`ODD: signs of life without an answer (${tool}) do not stretch a call beyond its limit`, async () => {
      await using directory = await temporaryDirectory();
      const log = directory.file("log");
      await using server = await startRogue("http-odd", ["--log", log]);
      await using plane = await planeOf({ odd: { url: server.url, timeoutMs: 1_500 } });
      await plane.tools.list();
      const outcome = await within("the end at the limit", plane.call(`odd.${tool}`));
      assertFailed(outcome, "TIMEOUT", "failed");
      await until("closing the connection", () => oracle(log, "left").length > 0);
    });
  }

  test("ODD: one event above the limit fails its call with the limit and is not read to its end", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startRogue("http-odd", ["--log", log]);
    await using plane = await planeOf({ odd: { url: server.url } });
    const outcome = await plane.call("odd.endless_event");
    assert.match(errorOf(outcome).message, /10 ?MiB|10[,.]?485[,.]?760/);
    await until("closing the connection", () => oracle(log, "left").length > 0);
    assert.ok(Number(oracle(log, "left")[0]?.sent) < 100, "most of it was never sent");
    assert.equal((await plane.call("odd.ok")).ok, true);
  });

  test("ODD: 401 with a challenge says what to set, is not tried again and again, and hides the token", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startRogue("http-odd", ["--mode", "unauthorized", "--log", log]);
    const headers = { Authorization: "Bearer CANARY-token" };
    await using plane = await planeOf({ odd: { url: server.url, headers } });
    const outcome = await plane.call("odd.ok");
    assert.match(errorOf(outcome).message, /401.*(token|header|auth)/i);
    assert.ok(received(log, "initialize").length <= 2);
    assert.doesNotMatch(JSON.stringify([outcome, await plane.servers.list()]), /CANARY/);
  });

  test("ODD: 429 is asked again, but not before the time that Retry-After names", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startRogue("http-odd", ["--log", log]);
    await using plane = await planeOf({ odd: { url: server.url, trusted: true } });
    const outcome = await plane.call("odd.busy", { id: "one" });
    assert.deepEqual(textsOf(outcome), ["http-odd busy"]);
    const [first, second] = received(log, "tools/call", "busy");
    const gap = (second?.t ?? 0) - (first?.t ?? 0);
    assert.ok(gap >= 1_950, `asked again after ${gap} ms`);
  });

  test("ODD: a redirect to itself ends after a few requests in a clear error", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startRogue("http-odd", ["--mode", "loop", "--log", log]);
    await using plane = await planeOf({ odd: { url: server.url } });
    const outcome = await within("the failure", plane.call("odd.ok"));
    assert.match(errorOf(outcome).message, /redirect/);
    assert.ok(oracle(log, "recv").length <= 25, `${oracle(log, "recv").length} requests`);
  });

  test("ODD: connections that the server closes while they are idle lose no call", async () => {
    await using server = await startRogue("http-odd", ["--mode", "hang-up"]);
    using closed = watchClosed(server.port);
    await using plane = await planeOf({ odd: { url: server.url } });
    for (let call = 1; call <= 10; call++) {
      const outcome = await plane.call("odd.ok");
      assert.equal(outcome.ok, true, `call ${call}: ${outcome.error?.message}`);
      await until("the end of its connection", () => closed.count() === call);
    }
  });

  test("ODD: a server that agrees to every method without knowing it is still understood", async () => {
    await using server = await startRogue("http-odd", ["--mode", "agreeable"]);
    await using plane = await planeOf({ odd: { url: server.url } });
    assert.deepEqual(textsOf(await plane.call("odd.ok")), ["http-odd ok"]);
  });

  test("ODD: a WebSocket address of a server without WebSocket is reported as such", async () => {
    await using server = await startRogue("http-odd");
    const url = server.url.replace("http:", "ws:");
    await using plane = await planeOf({
      odd: { url, transport: "websocket", connectTimeoutMs: 5_000 },
    });
    const outcome = await within("the failure", plane.call("odd.ok"));
    assert.match(errorOf(outcome).message, /'odd'.*(WebSocket|upgrade|handshake|HTTP \d{3})/i);
    assert.notEqual((await statusOf(plane, "odd")).error, null);
  });
});

/** How many connections of this process to a port are over. That a server closes one is known here a moment later. */
function watchClosed(port: number): Disposable & { count(): number } {
  let count = 0;
  const watch = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    socket.once("connect", () => {
      if (socket.remotePort !== port) return;
      socket.once("close", () => {
        count += 1;
      });
    });
  };
  subscribe("net.client.socket", watch);
  return {
    count: () => count,
    [Symbol.dispose]: () => void unsubscribe("net.client.socket", watch),
  };
}
