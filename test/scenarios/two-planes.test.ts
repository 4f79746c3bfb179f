import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { principalOf } from "../../src/model/principal.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import {
  assertFailed,
  processFixture as fixture,
  isAlive,
  pidsIn,
  planeOf,
  sleepyServer,
  textsOf,
  untilLogged,
  within,
} from "./support.ts";

suite("planes in one process", { concurrency: 4 }, () => {
  test("two planes do not meet: servers, tools, events, calls and policy are their own", async () => {
    await using left = await planeOf(
      { same: fixture("echo", ["--name", "left"]), only_left: fixture("state") },
      { principal: principalOf({ user: "ann" }) },
    );
    await using right = await planeOf(
      { same: fixture("echo", ["--name", "right"]) },
      { policy: { rules: [{ tool: "same.pid", verdict: "deny" }] } },
    );
    const heard: string[] = [];
    right.on("tool.call", ({ tool }) => heard.push(tool));
    assert.deepEqual(textsOf(await left.call("same.whoami_server")), ["left"]);
    assert.deepEqual(heard, []);
    assert.deepEqual(textsOf(await right.call("same.whoami_server")), ["right"]);
    assert.deepEqual(heard, ["same.whoami_server"]);
    assert.notDeepEqual(
      textsOf(await left.call("same.pid")),
      textsOf(await right.call("same.whoami_server")),
    );
    assertFailed(await right.call("same.pid"), "APPROVAL_DENIED", "refused");
    assertFailed(await right.call("only_left.current"), "TOOL_NOT_FOUND", "refused");
    const [leftCalls, rightCalls] = await Promise.all([left.calls.list(), right.calls.list()]);
    assert.deepEqual([leftCalls.length, rightCalls.length], [2, 4]);
    assert.deepEqual([leftCalls[0]?.principal.user, rightCalls[0]?.principal.user], ["ann", null]);
    const { health } = await right.tools.get("same.whoami_server");
    assert.equal(health.total, 2);
  });

  test("ending one plane leaves the other running", async () => {
    await using directory = await temporaryDirectory();
    const log = (side: string) => directory.file(`${side}.log`);
    const left = await planeOf({ echo: fixture("echo", ["--log", log("left")]) });
    await using right = await planeOf({ echo: fixture("echo", ["--log", log("right")]) });
    await Promise.all([left.tools.list(), right.tools.list()]);
    await left.stop();
    assert.deepEqual(pidsIn(log("left")).filter(isAlive), []);
    assert.deepEqual(textsOf(await right.call("echo.echo", { message: "still here" })), [
      "still here",
    ]);
    assert.equal(pidsIn(log("right")).length, 1);
  });

  test("await using ends every server, also in the middle of calls", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    let pending: Promise<unknown>[] = [];
    {
      await using plane = await planeOf(
        {
          one: fixture("echo", ["--log", log], { trusted: true }),
          two: fixture("echo", ["--log", log]),
        },
        { dataDirectory: directory.path },
      );
      await plane.tools.list();
      assert.equal(pidsIn(log).length, 2);
      pending = ["one", "two"].map((name) => plane.call(`${name}.slow`, { ms: 60_000 }));
      await untilLogged(log, ({ message }) => message?.method === "tools/call");
    }
    assert.deepEqual(pidsIn(log).filter(isAlive), []);
    const outcomes = await within("ending the calls", Promise.all(pending));
    assert.equal(outcomes.length, 2);
    assert.equal(pidsIn(log).length, 2, "no call started a server again");
  });

  test("stopping is quick while calls that may be repeated are running", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const plane = await planeOf({ echo: fixture("echo", ["--log", log], { trusted: true }) });
    const calling = plane.call("echo.slow", { ms: 60_000 });
    await untilLogged(log, ({ message }) => message?.method === "tools/call");
    await within("stopping", plane.stop());
    assert.equal((await calling).ok, false);
  });

  test("a stopped plane stays stopped and says so", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const plane = await planeOf({ echo: fixture("echo", ["--log", log]), sleepy: sleepyServer() });
    assert.equal((await plane.call("echo.echo", { message: "hi" })).ok, true);
    await Promise.all([plane.stop(), plane.stop()]);
    await plane.stop();
    const outcome = await within("a call to a stopped plane", plane.call("echo.do_it_now"));
    const code = outcome.error?.code ?? "";
    assert.ok(
      ["SERVER_UNAVAILABLE", "SHUTTING_DOWN"].includes(code),
      `${code}: ${outcome.error?.message}`,
    );
    assert.equal(pidsIn(log).length, 1);
  });

  test("a plane that was never used starts nothing and ends at once", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    {
      await using plane = await planeOf({ echo: fixture("echo", ["--log", log]) });
      assert.equal((await plane.servers.list())[0]?.state, "disconnected");
    }
    assert.deepEqual(pidsIn(log), []);
  });
});
