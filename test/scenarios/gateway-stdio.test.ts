import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { fixtureEnvironment, temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { startMcp } from "./rogue/mcp-client.ts";
import { processFixture as fixture, isRunning, pidsIn, within, writeConfig } from "./support.ts";

const bin = fileURLToPath(new URL("../../src/bin.ts", import.meta.url));

for (const era of ["legacy", "modern"] as const) {
  test(`the first message of a ${era} client over stdio decides how it is spoken to`, async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, {
      old: fixture("conformance", [], { protocol: "legacy" }),
      late: fixture("conformance", [], { protocol: "modern" }),
    });
    const env = Object.fromEntries(
      Object.entries(fixtureEnvironment()).map(([name, value]) => [name, value ?? ""]),
    );
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [bin, "mcp", "--config", config, "--data-dir", directory.file("data")],
      env,
      stderr: "ignore",
    });
    const mode = era === "modern" ? ({ pin: "2026-07-28" } as const) : "legacy";
    const client = new Client(
      { name: "official", version: "1.0.0" },
      { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} } } },
    );
    client.setRequestHandler("elicitation/create", async () => ({
      action: "accept",
      content: { name: "Ann" },
    }));
    await client.connect(transport);
    try {
      assert.equal(client.getProtocolEra(), era);
      assert.match(client.getInstructions() ?? "", /2 MCP servers/);
      for (const server of ["old", "late"]) {
        const progress: number[] = [];
        // The official client forgets what comes in one piece with the answer.
        await until(`progress of ${server}`, async () => {
          await client.callTool(
            { name: `${server}__test_tool_with_progress` },
            { onprogress: (one) => progress.push(one.progress) },
          );
          return progress.length >= 1;
        });
        const said = await client.callTool({
          name: `${server}__test_input_required_result_elicitation`,
        });
        assert.match(JSON.stringify(said.structuredContent), /Ann/);
      }
    } finally {
      await client.close();
    }
  });
}

for (const [signal, exitCode] of [
  ["SIGTERM", 143],
  ["SIGINT", 130],
] as const) {
  test(`${signal} ends a plane of the client's own and its servers, though its input stays open`, async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, { echo: fixture("echo", ["--log", log]) });
    await using client = await startMcp(config, directory.file("data"), { more: ["--standalone"] });
    await until("the tools of echo", async () => (await client.toolNames()).includes("echo__echo"));
    const ended = once(client.process, "exit");
    client.process.kill(signal);
    assert.deepEqual(await within("its end", ended), [exitCode, null]);
    assert.deepEqual(pidsIn(log).filter(isRunning), []);
  });
}
