import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { fixtureEnvironment, temporaryDirectory } from "../fixtures/start-server.ts";
import { processFixture as fixture, writeConfig } from "./support.ts";

const bin = fileURLToPath(new URL("../../src/bin.ts", import.meta.url));

test("an MCP client uses one server instead of many", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, {
    one: fixture("echo"),
    two: fixture("echo", ["--name", "two"]),
  });
  const client = new Client({ name: "test", version: "1.0.0" });
  const env = Object.fromEntries(
    Object.entries(fixtureEnvironment()).map(([name, value]) => [name, value ?? ""]),
  );
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [bin, "mcp", "--config", config, "--data-dir", directory.file("data")],
      env,
      stderr: "ignore",
    }),
  );
  try {
    const { tools } = await client.listTools();
    assert.ok(
      tools.some(({ name }) => name === "one__echo") &&
        tools.some(({ name }) => name === "two__echo"),
    );
    const said = await client.callTool({ name: "one__echo", arguments: { message: "through" } });
    assert.deepEqual(said.content, [{ type: "text", text: "through" }]);
    const failed = await client.callTool({ name: "one__fail", arguments: {} });
    assert.equal(failed.isError, true);
    const refused = await client.callTool({ name: "one__echo", arguments: { message: 7 } });
    assert.equal(refused.isError, true);
    assert.match(JSON.stringify(refused.content), /must be string.*INVALID_ARGUMENTS/);
    await assert.rejects(
      client.callTool({ name: "one__ecko", arguments: {} }),
      /Unknown tool.*one__echo/,
    );
    // In the spelling that the client was shown, whatever it wrote.
    await assert.rejects(
      client.callTool({ name: "one.ecko", arguments: {} }),
      /Unknown tool: 'one\.ecko'\. Did you mean 'one__echo'/,
    );
  } finally {
    await client.close();
  }
});
