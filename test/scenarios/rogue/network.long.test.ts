import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Plane } from "../../../src/index.ts";
import { freePort } from "../../fixtures/free-port.ts";
import { temporaryDirectory } from "../../fixtures/start-server.ts";
import { until } from "../../fixtures/until.ts";
import {
  assertFailed,
  errorOf,
  planeOf,
  startServe,
  textsOf,
  within,
  writeConfig,
} from "../support.ts";
import {
  eventually,
  oracle,
  received,
  restingStatus,
  rogue,
  startRogue,
  statusOf,
} from "./rogue.ts";

const works = async (plane: Plane, tool: string, args: object = {}) =>
  (await plane.call(tool, args)).ok;

suite("rogue: network transports", { concurrency: 4 }, () => {
  test("a session that the server forgets is opened again and no call is lost", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startRogue("http-session-404", ["--uses", "3", "--log", log]);
    await using plane = await planeOf({ forgetful: { url: server.url } });
    for (let call = 0; call < 10; call++) {
      const outcome = await plane.call("forgetful.session");
      assert.equal(outcome.ok, true, `call ${call + 1}: ${outcome.error?.message}`);
    }
    assert.equal(oracle(log, "executed").length, 10);
    assert.ok(received(log, "initialize").length > 1);
    const withSession = received(log, "initialize").filter(({ sid }) => sid !== null);
    assert.deepEqual(withSession, [], "a new session is asked for without the old one");
  });

  test("a session that is never accepted again ends in one clear error", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startRogue("http-session-404", [
      "--uses",
      "3",
      "--forever",
      "--log",
      log,
    ]);
    await using plane = await planeOf({ forgetful: { url: server.url } });
    for (let call = 0; call < 2; call++)
      assert.equal((await plane.call("forgetful.session")).ok, true);
    const before = received(log, "initialize").length;
    const outcome = await plane.call("forgetful.session");
    const tries = received(log, "initialize").length - before;
    assert.match(errorOf(outcome).message, /'forgetful'.*session/);
    assert.ok(tries <= 2, `${tries} more handshakes`);
    assert.equal(oracle(log, "executed").length, 2);
  });

  test("a stream that ends without an answer fails its call at once and repeats no write", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const ledger = directory.file("ledger");
    await using server = await startRogue("http-sse-drop", ["--log", log, "--ledger", ledger]);
    await using plane = await planeOf({ dropping: { url: server.url } });
    assert.deepEqual(textsOf(await plane.call("dropping.ok")), ["whole answer of ok"]);
    for (const tool of ["drop", "end_early", "commit_then_drop"]) {
      const outcome = await plane.call(`dropping.${tool}`);
      assert.match(errorOf(outcome).message, /stream ended without a response/, tool);
      assert.equal(received(log, "tools/call", tool).length, 1);
    }
    assert.equal(oracle(ledger).length, 1);
    assert.deepEqual(textsOf(await plane.call("dropping.ok")), ["whole answer of ok"]);
    assert.ok(oracle(log, "get").length < 10, "it is not asked again and again");
  });

  test("an answer that the server kept is fetched by resuming the stream", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const ledger = directory.file("ledger");
    await using server = await startRogue("http-sse-drop", [
      "--resume",
      "--log",
      log,
      "--ledger",
      ledger,
    ]);
    await using plane = await planeOf({ dropping: { url: server.url } });
    for (const tool of ["drop", "end_early", "commit_then_drop", "ok"]) {
      const outcome = await plane.call(`dropping.${tool}`);
      assert.equal(outcome.ok, true, `${tool}: ${outcome.error?.message}`);
      assert.deepEqual(textsOf(outcome), [`whole answer of ${tool}`]);
      assert.equal(received(log, "tools/call", tool).length, 1, "the call is not sent again");
    }
    assert.equal(oracle(ledger).length, 1);
    assert.ok(oracle(log, "get").length < 10);
    const places = oracle(log, "get").filter(({ last }) => last !== null);
    for (const { last } of places)
      assert.match(String(last), /^e\d+$/, "an event that never ended has no place");
  });

  for (const code of ["301", "302", "307", "308"]) {
    test(`a redirect (${code}) to another host is not followed, and no secret goes there`, async () => {
      await using directory = await temporaryDirectory();
      const log = directory.file("log");
      await using server = await startRogue("http-redirect", ["--code", code, "--log", log]);
      const headers = { Authorization: "Bearer CANARY-bearer", "X-Api-Key": "CANARY-key" };
      await using plane = await planeOf({ moved: { url: server.url, headers } });
      const outcome = await plane.call("moved.captured");
      assert.equal(outcome.ok, false);
      const { message } = errorOf(outcome);
      assert.match(message, new RegExp(`127\\.0\\.0\\.1:${server.port}`), "where it was asked");
      assert.match(message, /127\.0\.0\.2:\d+/, "where it points");
      assert.doesNotMatch(JSON.stringify([outcome, await plane.servers.list()]), /CANARY/);
      assert.ok(oracle(log, "recv").length > 0);
      assert.deepEqual(oracle(log, "foreign"), []);
    });
  }

  test("a lost socket fails its call at once and is opened again within five seconds", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startRogue("ws-rogue", ["--log", log]);
    await using plane = await planeOf({ ws: { url: server.url, transport: "websocket" } });
    assert.deepEqual(textsOf(await plane.call("ws.ok")), ["ws ok"]);
    for (const tool of ["close_mid_call", "close_1011"]) {
      const outcome = await plane.call(`ws.${tool}`);
      assertFailed(outcome, "OUTCOME_UNKNOWN", "failed");
      assert.match(errorOf(outcome).message, /'ws'/);
      await eventually(`a call after ${tool}`, () => works(plane, "ws.ok"));
      assert.equal(received(log, "tools/call", tool).length, 1);
    }
    assert.equal(oracle(log, "upgrade")[0]?.protocol, "mcp");
  });

  test("garbage between frames is dropped and counted, and fragments are joined", async () => {
    await using server = await startRogue("ws-rogue");
    await using plane = await planeOf({ ws: { url: server.url, transport: "websocket" } });
    assert.deepEqual(textsOf(await plane.call("ws.garbage")), ["ws garbage"]);
    assert.deepEqual(textsOf(await plane.call("ws.fragmented")), ["ws fragmented"]);
    assert.ok(((await statusOf(plane, "ws")).noise ?? 0) >= 1);
  });

  test("a peer that answers no ping is noticed and left", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startRogue("ws-rogue", ["--no-pong", "--log", log]);
    const entry = { url: server.url, transport: "websocket", pingIntervalMs: 1_000 };
    await using plane = await planeOf({ ws: entry });
    await eventually("a call", () => works(plane, "ws.ok"));
    await until("a ping", () => oracle(log, "ping").length > 0);
    await eventually("leaving the dead peer", async () => {
      const { state, error } = await statusOf(plane, "ws");
      return state !== "connected" && /pings/.test(error ?? "");
    });
  });

  test("every fault of the network is slow or told, and is over five seconds after its end", async () => {
    await using server = await startRogue("http-500", ["--fail", "0"]);
    await using proxy = await startRogue("toxi", ["--to", String(server.port)]);
    const url = `http://127.0.0.1:${proxy.port}/mcp`;
    await using plane = await planeOf({ far: { url, timeoutMs: 2_000, connectTimeoutMs: 2_000 } });
    await eventually("a first call", () => works(plane, "far.read_item", { id: "first" }));
    const faults = [
      "latency:500:200",
      "slicer:1:1",
      "bandwidth:50",
      "reset:200",
      "timeout",
      "down",
    ];
    for (const fault of faults) {
      proxy.tell(fault);
      const outcome = await within(
        `the end of a call with ${fault}`,
        plane.call("far.read_item", { id: fault }),
      );
      if (!outcome.ok) {
        const { code, message } = errorOf(outcome);
        assert.match(
          code,
          /^(TIMEOUT|OUTCOME_UNKNOWN|SERVER_UNAVAILABLE)$/,
          `${fault}: ${message}`,
        );
        assert.match(message, /far/);
      }
      proxy.tell("none");
      await eventually(`recovery from ${fault}`, () =>
        works(plane, "far.read_item", { id: "after" }),
      );
    }
  });

  test("a closed port, an unknown host and TLS on a plain port have reasons of their own", async () => {
    await using directory = await temporaryDirectory();
    await using plain = await startRogue("http-500");
    const secret = "?key=CANARY-query";
    const config = await writeConfig(directory, {
      closed: { url: `http://127.0.0.1:${await freePort()}/mcp${secret}` },
      unknown: { url: `http://nowhere.invalid/mcp${secret}` },
      secure: { url: `https://127.0.0.1:${plain.port}/mcp${secret}` },
      neighbour: rogue("echo"),
    });
    await using serving = await startServe(config, directory.file("data"));
    const names = ["closed", "unknown", "secure"];
    const found = await Promise.all(names.map((name) => restingStatus(serving.url, name)));
    const [closed = "", unknown = "", secure = ""] = found.map(({ error }) => error);
    assert.match(closed, /nothing listens|refused/i);
    assert.match(unknown, /nowhere\.invalid.*not found|not found.*nowhere\.invalid/i);
    assert.match(secure, /TLS|https/i);
    assert.equal(new Set([closed, unknown, secure]).size, 3);
    assert.doesNotMatch(JSON.stringify(found), /CANARY/);
  });
});
