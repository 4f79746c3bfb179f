import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { until } from "../../fixtures/until.ts";
import { errorOf, planeOf, textsOf, within } from "../support.ts";
import { scriptedProcess } from "./scripted-server.ts";

suite("faulty wires", () => {
  test("bytes without a line end fail the calls of their connection, and the next call has a new one", async () => {
    const flood = `setInterval(() => write("x".repeat(10_000)), 1)`;
    const pid = "answer(id, text(process.pid))";
    await using plane = await planeOf({
      wire: scriptedProcess({ flood, pid }, { maxMessageBytes: 100_000 }),
    });
    const [before] = textsOf(await plane.call("wire.pid"));
    const failed = errorOf(
      await within("the end of the call", plane.call("wire.flood", {}, { timeoutMs: 900_000 })),
    );
    assert.match(failed.message, /more than 100000 bytes \('maxMessageBytes'\)/);
    const [after] = textsOf(await within("the next call", plane.call("wire.pid")));
    assert.notEqual(after, before);
  });

  test("a server that drips is replaced when its call is given up, and the next call does not wait for it", async () => {
    const drip = `write("{"); setInterval(() => write(" "), 20); methods.ping = methods["tools/call"] = () => {}`;
    const pid = "answer(id, text(process.pid))";
    await using plane = await planeOf({ wire: scriptedProcess({ drip, pid }) });
    const [before] = textsOf(await plane.call("wire.pid"));
    const lost: string[] = [];
    plane.on("server.disconnected", ({ reason }) => lost.push(reason));
    assert.equal(errorOf(await plane.call("wire.drip", {}, { timeoutMs: 4_000 })).code, "TIMEOUT");
    // It may have run, so an attempt at the dripping process would end it as unknown.
    const [after] = textsOf(await within("the next call", plane.call("wire.pid")));
    assert.notEqual(after, before);
    assert.match(lost[0] ?? "", /message that it began does not end/);
  });

  test("a crash that ends many calls is one failure and one reconnect", async () => {
    const hang = "seen += 1";
    const crash = "if (seen >= 30) process.exit(3); else answer(id, text(seen))";
    const pid = "answer(id, text(process.pid))";
    const entry = scriptedProcess({ hang, crash, pid }, {}, "let seen = 0;");
    await using plane = await planeOf({ wire: entry });
    await plane.call("wire.pid");
    let starts = 0;
    plane.on("server.connecting", () => {
      starts += 1;
    });
    const hanging = Array.from({ length: 30 }, () => plane.call("wire.hang"));
    await until("the crash", async () => !(await plane.call("wire.crash")).ok);
    const ended = await within("the end of the calls", Promise.all(hanging));
    assert.ok(ended.every(({ error }) => error?.code === "OUTCOME_UNKNOWN"));
    const again = await within(
      "the next calls",
      Promise.all(Array.from({ length: 30 }, () => plane.call("wire.pid"))),
    );
    assert.ok(again.every(({ ok }) => ok));
    assert.equal(starts, 1);
    const { health } = await plane.tools.get("wire.hang");
    assert.deepEqual([health.failure, health.providers.mcp?.metrics.failure], [1, 1]);
  });
});
