import assert from "node:assert/strict";
import {
  existsSync,
  lstatSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  emptyHome,
  filesBelow,
  fullHome,
  platforms,
  userFiles,
} from "../../../test/fixtures/clients/client-home.ts";
import { temporaryDirectory } from "../../../test/fixtures/start-server.ts";
import { readData } from "../edit/edit-file.ts";
import { clientNames } from "./clients.ts";
import { connectClient, disconnectClient } from "./connect-client.ts";
import { findClientServers } from "./import-clients.ts";

const gateway = { command: "toolplane", args: ["mcp"] };

for (const platform of platforms) {
  for (const client of clientNames()) {
    test(`on ${platform}, connecting and disconnecting ${client} leaves its file byte for byte as it was`, async () => {
      await using root = await temporaryDirectory();
      const where = fullHome(root.path, platform);
      const file = join(where.home, userFiles[platform][client]);
      const [files, before] = [filesBelow(root.path), readFileSync(file)];
      const backup = `${file}.toolplane-backup`;
      const connected = connectClient(client, where, gateway);
      assert.deepEqual({ ...connected, server: null }, { client, path: file, backup, server: null });
      assert.deepEqual(readFileSync(backup), before);
      const { skipped } = findClientServers([client], where);
      assert.ok(skipped.some(({ name, reason }) => name === "toolplane" && /Toolplane itself/.test(reason)));
      assert.deepEqual(disconnectClient(client, where), { client, path: file, backup: null, server: null });
      assert.deepEqual(readFileSync(file), before);
      assert.deepEqual(filesBelow(root.path), files);
    });
  }
}

for (const client of clientNames()) {
  test(`a file that ${client} did not have yet is gone after disconnecting`, async () => {
    await using root = await temporaryDirectory();
    const where = emptyHome(root.path, "linux");
    const { path, backup } = connectClient(client, where, gateway);
    assert.equal(path, join(where.home, userFiles.linux[client]));
    assert.equal(backup, null);
    assert.ok(existsSync(path));
    disconnectClient(client, where);
    assert.deepEqual(filesBelow(root.path), []);
  });

  test(`what was edited in the file of ${client} since connecting stays`, async () => {
    await using root = await temporaryDirectory();
    const where = fullHome(root.path, "linux");
    const edit = (text: string) =>
      text.replace(/uvx|npx|linear\.app|githubcopilot\.com/, (word) => `edited-${word}`);
    const before = readFileSync(join(where.home, userFiles.linux[client]), "utf8");
    const { path } = connectClient(client, where, gateway);
    writeFileSync(path, edit(readFileSync(path, "utf8")));
    disconnectClient(client, where);
    assert.equal(readFileSync(path, "utf8"), edit(before));
    assert.notEqual(edit(before), before);
    assert.equal(existsSync(`${path}.toolplane-backup`), false);
    assert.throws(() => disconnectClient(client, where), { code: "NOT_FOUND" });
  });
}

test("every client gets the entry in its own words", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "darwin");
  const entries = (server: typeof gateway | { url: string; headers: object }) =>
    Object.fromEntries(
      clientNames()
        .filter((client) => !("url" in server) || client !== "claude-desktop")
        .map((client) => [client, connectClient(client, where, JSON.parse(JSON.stringify(server))).server]),
    );
  assert.deepEqual(entries(gateway), {
    "claude-desktop": gateway,
    "claude-code": { type: "stdio", ...gateway },
    cursor: gateway,
    vscode: { type: "stdio", ...gateway },
    windsurf: gateway,
    codex: gateway,
    zed: { source: "custom", ...gateway },
    gemini: gateway,
  });
  const [url, headers] = ["http://127.0.0.1:7420/mcp", { "X-Key": "1" }];
  assert.deepEqual(entries({ url, headers }), {
    "claude-code": { type: "http", url, headers },
    cursor: { url, headers },
    vscode: { type: "http", url, headers },
    windsurf: { serverUrl: url, headers },
    codex: { url, http_headers: headers },
    zed: { source: "custom", url, headers },
    gemini: { httpUrl: url, headers },
  });
  assert.throws(() => connectClient("claude-desktop", where, { url }), {
    code: "USAGE",
    message: /only by a command/,
  });
});

test("a client that was never connected cannot be disconnected", async () => {
  await using root = await temporaryDirectory();
  assert.throws(() => disconnectClient("zed", emptyHome(root.path, "darwin")), {
    code: "NOT_FOUND",
    message: /^Zed is not connected: there is no 'toolplane' in .*settings\.json\.$/,
  });
  assert.throws(() => disconnectClient("wind", emptyHome(join(root.path, "home"), "darwin")), {
    code: "USAGE",
    message: /Did you mean 'windsurf'\?/,
  });
});

test("a broken file is left as it is, without a backup", async () => {
  await using root = await temporaryDirectory();
  const where = fullHome(root.path, "linux");
  for (const client of clientNames()) {
    const file = join(where.home, userFiles.linux[client]);
    const broken = `${readFileSync(file, "utf8")}\n[`;
    writeFileSync(file, broken);
    const files = filesBelow(root.path);
    assert.throws(() => connectClient(client, where, gateway), { code: "CONFIG_INVALID" });
    assert.throws(() => disconnectClient(client, where), { code: "CONFIG_INVALID" });
    assert.equal(readFileSync(file, "utf8"), broken);
    assert.deepEqual(filesBelow(root.path), files);
  }
});

test("a file behind a link stays behind it, and the backup is for its owner alone", async () => {
  await using root = await temporaryDirectory();
  const where = fullHome(root.path, "linux");
  const [file, real] = [join(where.home, ".cursor/mcp.json"), join(root.path, "dotfiles.json")];
  renameSync(file, real);
  symlinkSync(real, file);
  const before = readFileSync(real);
  connectClient("cursor", where, gateway);
  assert.ok(lstatSync(file).isSymbolicLink());
  assert.ok(JSON.stringify(readData(real)).includes("toolplane"));
  if (process.platform !== "win32") assert.equal(statSync(`${file}.toolplane-backup`).mode & 0o777, 0o600);
  disconnectClient("cursor", where);
  assert.ok(lstatSync(file).isSymbolicLink());
  assert.deepEqual(readFileSync(real), before);
});
