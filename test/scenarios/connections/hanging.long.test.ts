import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { temporaryDirectory } from "../../fixtures/start-server.ts";
import { until } from "../../fixtures/until.ts";
import { rogue, startsIn } from "../rogue/rogue.ts";
import { assertFailed, callsAt, processFixture as fixture, planeOf, textsOf } from "../support.ts";

suite("servers that only look alive", () => {
  test("one that stops answering altogether is replaced, and one that is only slow is not", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({
      stopped: rogue("echo", ["--log", log], { timeoutMs: 500 }),
      slow: fixture("echo", [], { timeoutMs: 500 }),
    });
    const before = [
      await plane.servers.get("stopped", { connect: true }),
      await plane.servers.get("slow", { connect: true }),
    ];
    process.kill(Number(before[0]?.pid), "SIGSTOP");
    assertFailed(await plane.call("stopped.echo"), "TIMEOUT", "failed");
    assertFailed(await plane.call("slow.slow", { ms: 60_000 }), "TIMEOUT", "failed");
    await until("its end", () => startsIn(log).length >= 1 && !isThere(Number(before[0]?.pid)));
    assert.equal((await plane.call("stopped.echo", {}, { timeoutMs: 20_000 })).ok, true);
    assert.equal(startsIn(log).length, 2);
    assert.equal((await plane.servers.get("slow")).pid, before[1]?.pid);
  });

  test("one that is busy with an older call is not disturbed", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ echo: fixture("echo", ["--log", log]) });
    const { pid } = await plane.servers.get("echo", { connect: true });
    const older = plane.call("echo.slow", { ms: 7_000 });
    await until("the older call", () => callsAt(log).length === 1);
    process.kill(Number(pid), "SIGSTOP");
    assertFailed(await plane.call("echo.do_it_now", {}, { timeoutMs: 300 }), "TIMEOUT", "failed");
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    process.kill(Number(pid), "SIGCONT");
    assert.deepEqual(textsOf(await older), ["waited 7000"]);
    assert.equal((await plane.servers.get("echo")).pid, pid);
  });
});

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
