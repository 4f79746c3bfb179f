import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { emptyHome, filesBelow, fullHome, userFiles } from "../../../test/fixtures/clients/client-home.ts";
import { temporaryDirectory } from "../../../test/fixtures/start-server.ts";
import { readData } from "../edit/edit-file.ts";
import { clientNames } from "./clients.ts";
import { connectClient, disconnectClient } from "./connect-client.ts";

const gateway = { command: "toolplane", args: ["mcp"] };

test("connecting twice is harmless and keeps the first backup", async () => {
  await using root = await temporaryDirectory();
  const where = fullHome(root.path, "linux");
  for (const client of clientNames()) {
    const file = join(where.home, userFiles.linux[client]);
    const before = readFileSync(file);
    connectClient(client, where, gateway);
    const connected = readFileSync(file);
    assert.equal(connectClient(client, where, gateway).backup, `${file}.toolplane-backup`);
    assert.deepEqual(readFileSync(file), connected);
    connectClient(client, where, { command: "/opt/toolplane", args: ["mcp", "--standalone"] });
    assert.deepEqual(readFileSync(`${file}.toolplane-backup`), before);
    disconnectClient(client, where);
    assert.deepEqual(readFileSync(file), before, client);
  }
});

test("an entry of the same name that was there before comes back", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "linux");
  const file = join(where.home, ".codeium/windsurf/mcp_config.json");
  mkdirSync(dirname(file), { recursive: true });
  const before = '{"mcpServers":{"toolplane":{"serverUrl":"http://example.org:7420/mcp"}}}';
  writeFileSync(file, before);
  connectClient("windsurf", where, gateway);
  writeFileSync(file, `${readFileSync(file, "utf8")}\n`);
  disconnectClient("windsurf", where);
  assert.equal(readFileSync(file, "utf8"), `${before}\n`);
});

test("maps that were made for our entry go with it, others stay", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "linux");
  const file = join(where.home, ".gemini/settings.json");
  mkdirSync(dirname(file));
  for (const before of ['{\n  "ui": {}\n}\n', '{\n  "ui": {},\n  "mcpServers": {}\n}\n']) {
    writeFileSync(file, before);
    connectClient("gemini", where, gateway);
    writeFileSync(file, readFileSync(file, "utf8").replace('"ui": {}', '"ui": { "theme": "x" }'));
    disconnectClient("gemini", where);
    assert.equal(readFileSync(file, "utf8"), before.replace('"ui": {}', '"ui": { "theme": "x" }'));
  }
});

test("a file made for us goes even when the client wrote it anew", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "linux");
  const { path } = connectClient("claude-code", where, gateway);
  writeFileSync(path, JSON.stringify(readData(path)));
  disconnectClient("claude-code", where);
  assert.deepEqual(filesBelow(root.path), []);
});

test("a connection that somebody ended by hand starts anew with a new backup", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "linux");
  connectClient("cursor", where, gateway);
  const file = join(where.home, ".cursor/mcp.json");
  writeFileSync(file, '{"mcpServers":{"mine":{"command":"x"}}}');
  connectClient("cursor", where, gateway);
  disconnectClient("cursor", where);
  assert.equal(readFileSync(file, "utf8"), '{"mcpServers":{"mine":{"command":"x"}}}');
  assert.deepEqual(filesBelow(root.path), [file]);
});

test("an entry that nobody has a backup for is taken out alone", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "linux");
  const file = join(where.home, ".cursor/mcp.json");
  mkdirSync(dirname(file));
  writeFileSync(file, JSON.stringify({ mcpServers: { toolplane: gateway } }));
  assert.equal(connectClient("cursor", where, gateway).backup, null);
  disconnectClient("cursor", where);
  assert.equal(readFileSync(file, "utf8"), '{"mcpServers":{}}');
});
