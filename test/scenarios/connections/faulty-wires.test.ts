import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { errorOf, planeOf, type ServerEntry, textsOf, within } from "../support.ts";

/** A process whose tools are functions of its script: `flood(id)` is called for the tool 'flood'. */
function script(tools: Record<string, string>, more: ServerEntry = {}): ServerEntry {
  const names = JSON.stringify(Object.keys(tools));
  const program = `
    const write = (text) => process.stdout.write(text);
    const answer = (id, result) => write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
    const text = (value) => ({ content: [{ type: "text", text: String(value) }] });
    const tools = { ${Object.entries(tools)
      .map(([name, body]) => `${name}: (id) => { ${body} }`)
      .join()} };
    const methods = {
      initialize: (id) => answer(id, { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }),
      "tools/list": (id) => answer(id, { tools: ${names}.map((name) => ({ name, inputSchema: { type: "object" } })) }),
      "tools/call": (id, { name }) => tools[name](id),
      ping: (id) => answer(id, {}),
    };
    require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, params } = JSON.parse(line);
      if (id === undefined) return;
      if (methods[method]) methods[method](id, params);
      else write(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } }) + "\\n");
    }).on("close", () => process.exit(0));`;
  return { command: process.execPath, args: ["-e", program], ...more };
}

suite("faulty wires", () => {
  test("bytes without a line end fail the calls of their connection, and the next call has a new one", async () => {
    const flood = `setInterval(() => write("x".repeat(10_000)), 1)`;
    const pid = "answer(id, text(process.pid))";
    await using plane = await planeOf({ wire: script({ flood, pid }, { maxMessageBytes: 100_000 }) });
    const [before] = textsOf(await plane.call("wire.pid"));
    const failed = errorOf(await within("the end of the call", plane.call("wire.flood", {}, { timeoutMs: 900_000 })));
    assert.match(failed.message, /more than 100000 bytes \('maxMessageBytes'\)/);
    const [after] = textsOf(await within("the next call", plane.call("wire.pid")));
    assert.notEqual(after, before);
  });

  test("a server that drips is replaced when its call is given up, and the next call does not wait for it", async () => {
    const drip = `write("{"); setInterval(() => write(" "), 20); methods.ping = methods["tools/call"] = () => {}`;
    const pid = "answer(id, text(process.pid))";
    await using plane = await planeOf({ wire: script({ drip, pid }) });
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
