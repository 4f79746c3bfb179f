import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { errorOf, planeOf, textsOf, within } from "../support.ts";
import { scriptedProcess } from "./scripted-server.ts";

suite("faulty wires", () => {
  test("bytes without a line end fail the calls of their connection, and the next call has a new one", async () => {
    const flood = `setInterval(() => write("x".repeat(10_000)), 1)`;
    const pid = "answer(id, text(process.pid))";
    await using plane = await planeOf({ wire: scriptedProcess({ flood, pid }, { maxMessageBytes: 100_000 }) });
    const [before] = textsOf(await plane.call("wire.pid"));
    const failed = errorOf(await within("the end of the call", plane.call("wire.flood", {}, { timeoutMs: 900_000 })));
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
});
