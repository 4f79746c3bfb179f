import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createPlane } from "../../../src/index.ts";
import { temporaryDirectory } from "../../fixtures/start-server.ts";
import { until } from "../../fixtures/until.ts";
import { planeOf, textsOf } from "../support.ts";
import { oracle, received, rogue, startRogue } from "./rogue.ts";

suite("servers that misuse streams, sessions and waits", () => {
  test("a stream that brings nothing is opened again after pauses that double", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startRogue("http-streams", ["--mode", "silent", "--log", log]);
    await using plane = await planeOf({ silent: { url: server.url } });
    await plane.servers.connect("silent");
    const gets = () => oracle(log, "recv").filter(({ http }) => http === "GET");
    await until("six streams", () => gets().length >= 6);
    const at = gets().map(({ t }) => t);
    const gaps = at.slice(1).map((t, index) => t - (at[index] ?? 0));
    // 100, 200, 400, 800, 1600 ms, and what the machine adds.
    for (const [index, gap] of gaps.entries()) assert.ok(gap >= 95 * 2 ** index, `${gaps}`);
  });

  test("an answer on a stream that belongs to no request of that stream is dropped and logged", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startRogue("http-streams", ["--log", log]);
    await using plane = await planeOf({ bad: { url: server.url } });
    const slow = plane.call("bad.slow");
    await until("the slow call", () => oracle(log, "slow").length === 1);
    assert.deepEqual(textsOf(await plane.call("bad.stray")), ["mine"]);
    assert.deepEqual(textsOf(await slow), ["slow"]);
    const [status] = await plane.servers.list();
    assert.equal(status?.noise, 1);
    const lines = await plane.servers.logs("bad");
    assert.ok(JSON.stringify(lines).includes("an answer to no request of its stream"));
  });

  test("a session keeps the id of its handshake, whatever ids the server sends later", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startRogue("http-streams", ["--mode", "rotate", "--log", log]);
    await using plane = await planeOf({ rotating: { url: server.url } });
    const seen = [];
    for (let call = 0; call < 3; call++) seen.push(textsOf(await plane.call("rotating.whose"))[0]);
    assert.equal(new Set(seen).size, 1, `${seen}`);
  });

  test("callers that differ have sessions of their own with a remote server, unless it is shared", async () => {
    await using server = await startRogue("http-streams");
    const config = {
      mcpServers: {
        own: { url: server.url },
        one: { url: server.url, session: "shared" as const },
      },
    };
    await using plane = await createPlane({ config });
    const whose = async (tool: string, user?: string) => {
      const caller =
        user === undefined ? {} : { principal: { ...plane.identity.usualCaller(), user } };
      return textsOf(await plane.call(tool, {}, caller))[0];
    };
    const own = [
      await whose("own.whose"),
      await whose("own.whose", "ann"),
      await whose("own.whose", "bob"),
    ];
    assert.equal(new Set(own).size, 3, `${own}`);
    assert.deepEqual([await whose("own.whose"), await whose("own.whose", "ann")], own.slice(0, 2));
    const shared = [
      await whose("one.whose"),
      await whose("one.whose", "ann"),
      await whose("one.whose", "bob"),
    ];
    assert.equal(new Set(shared).size, 1, `${shared}`);
  });

  for (const after of ["past", "1"]) {
    test(`every call gets through where Retry-After is '${after}', and no retry budget is used up`, async () => {
      await using directory = await temporaryDirectory();
      const log = directory.file("log");
      // However slow this machine is, so many are refused.
      const bounds = ["--refused", "25", "--turns", "8", "--window", "700", "--after", after];
      await using server = await startRogue("http-streams", [...bounds, "--log", log]);
      await using plane = await planeOf({ busy: { url: server.url, trusted: true } });
      const calls = Array.from({ length: 30 }, () => plane.call("busy.turn"));
      for (const outcome of await Promise.all(calls)) assert.deepEqual(textsOf(outcome), ["turn"]);
      assert.ok(
        received(log, "tools/call").length > 50,
        "more retries than a budget of twenty allows",
      );
    });
  }

  test("50,000 notifications of progress reach a caller as a few, the last one among them", async () => {
    await using plane = await planeOf({ loud: rogue("stdio-odd") });
    const heard: number[] = [];
    const relay = { onProgress: ({ progress }: { progress: number }) => void heard.push(progress) };
    let events = 0;
    plane.on("tool.progress", () => {
      events += 1;
    });
    const startedAt = performance.now();
    const outcome = await plane.call("loud.progress", {}, { relay });
    const seconds = Math.ceil((performance.now() - startedAt) / 1_000);
    assert.equal(outcome.ok, true);
    assert.equal(heard.at(-1), 50_000);
    assert.ok(heard.length <= 10 * (seconds + 1) + 1, `${heard.length} in ${seconds} s`);
    assert.ok(events <= heard.length);
  });
});
