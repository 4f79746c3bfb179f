import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { extname, join } from "node:path";
import { test } from "node:test";
import type { JsonObject } from "@toolplane/core/model/json";
import {
  emptyHome,
  filesBelow,
  fullHome,
  platforms,
  request,
  userFiles,
} from "@toolplane/test/fixtures/clients/client-home";
import { fixturePath } from "@toolplane/test/fixtures/fixture-path";
import { temporaryDirectory } from "@toolplane/test/fixtures/start-server";
import { readData, readServerEntries, setInText } from "@toolplane/test/samples/core";
import { revealKept } from "../adding/keep-secrets.ts";
import { clientNames } from "./clients.ts";
import { connectClient } from "./connect-client.ts";
import { disconnectClient } from "./disconnect-client.ts";
import { findClientServers } from "./import-clients.ts";

const goldens = fixturePath("clients", "connected");

for (const client of clientNames()) {
  test(`${client} gets its golden file when it is connected and its own one back, byte for byte`, async () => {
    await using root = await temporaryDirectory();
    const where = fullHome(root.path, "linux", client);
    const file = join(where.home, userFiles.linux[client]);
    const files = filesBelow(root.path);
    const before = readFileSync(file);
    const { servers } = findClientServers([client], {
      ...where,
      directory: join(root.path, "elsewhere"),
    });
    const wanted = request(where);
    const { backup, moved } = await connectClient(client, where, wanted);
    assert.equal(backup, `${file}.toolplane-backup`);
    assert.deepEqual(readFileSync(backup), before);
    const golden = readFileSync(join(goldens, `${client}${extname(file)}`), "utf8");
    assert.equal(readFileSync(file, "utf8").replace(where.directory, "@DIRECTORY@"), golden);
    const inPlane = readServerEntries(wanted.into).map(({ name, entry }) => [name, entry]);
    assert.deepEqual(
      moved.map(({ as }) => as),
      inPlane.map(([name]) => name),
    );
    for (const { name, definition } of servers.filter((server) =>
      moved.some(({ as }) => as === server.name),
    )) {
      const revealed = await revealKept(Object.fromEntries(inPlane)[name], where.environment);
      assert.equal(JSON.stringify(revealed), JSON.stringify(definition));
    }
    const done = await disconnectClient(client, where, { remove: true });
    assert.equal(done.outcome, "restored");
    assert.deepEqual(readFileSync(file), before);
    assert.deepEqual(filesBelow(root.path), [...files, wanted.into].sort());
    assert.deepEqual(readServerEntries(wanted.into), []);
  });

  test(`what was added to the file of ${client} while it was connected stays, and so do all comments`, async () => {
    await using root = await temporaryDirectory();
    const where = fullHome(root.path, "linux", client);
    const file = join(where.home, userFiles.linux[client]);
    const edit = (text: string) => setInText(file, text, ["added"], { since: true });
    const before = readFileSync(file, "utf8");
    await connectClient(client, where, request(where));
    writeFileSync(file, edit(readFileSync(file, "utf8")));
    const done = await disconnectClient(client, where);
    assert.equal(done.outcome, "merged");
    assert.deepEqual(
      JSON.stringify(sorted(readData(file))),
      JSON.stringify(sorted({ ...data(before, file), added: { since: true } })),
    );
    for (const comment of before.match(/(\/\/|#) .*$/gm) ?? [])
      assert.ok(readFileSync(file, "utf8").includes(comment) || done.backup !== null, comment);
    await assert.rejects(disconnectClient(client, where), { code: "NOT_FOUND" });
  });

  test(`a file that ${client} did not have yet is gone after disconnecting`, async () => {
    await using root = await temporaryDirectory();
    const where = emptyHome(root.path, "linux");
    const { path, backup } = await connectClient(client, where, request(where));
    assert.equal(path, join(where.home, userFiles.linux[client]).replace(/jsonc$/, "json"));
    assert.equal(backup, null);
    assert.ok(existsSync(path));
    assert.equal((await disconnectClient(client, where)).outcome, "deleted");
    assert.deepEqual(filesBelow(root.path), []);
  });
}

function data(text: string, file: string): object {
  const copy = `${file}.copy${extname(file)}`;
  writeFileSync(copy, text);
  return readData(copy) as object;
}

/** The order of keys, and that of servers in a list, is not what these tests are about. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [
    key,
    sorted(inner),
  ]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

for (const platform of platforms) {
  test(`on ${platform} the files that are elsewhere there are restored as well`, async () => {
    await using root = await temporaryDirectory();
    const where = fullHome(root.path, platform);
    for (const client of ["claude-desktop", "vscode", "zed", "roo", "goose"] as const) {
      const file = join(where.home, userFiles[platform][client]);
      const before = readFileSync(file);
      assert.equal((await connectClient(client, where, request(where))).path, file);
      await disconnectClient(client, where);
      assert.deepEqual(readFileSync(file), before);
    }
  });
}

test("every client gets the entry in its own words", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "darwin");
  const url = "http://127.0.0.1:7420/mcp";
  const headers = { "X-Key": "1" };
  const remote = (): JsonObject => ({ url, headers });
  const entries: Record<string, unknown> = {};
  for (const client of clientNames().filter((name) => name !== "claude-desktop"))
    entries[client] = (
      await connectClient(client, where, request(where, { gateway: remote }))
    ).server;
  const named = { name: "toolplane", description: "Toolplane", enabled: true, timeout: 300 };
  assert.deepEqual(entries, {
    "claude-code": { type: "http", url, headers },
    cursor: { url, headers },
    vscode: { type: "http", url, headers },
    windsurf: { serverUrl: url, headers },
    codex: { url, http_headers: headers },
    zed: { source: "custom", url, headers },
    gemini: { httpUrl: url, headers },
    opencode: { type: "remote", url, headers },
    cline: { type: "streamableHttp", url, headers },
    roo: { type: "streamable-http", url, headers },
    goose: { ...named, type: "streamable_http", uri: url, headers },
    continue: { name: "toolplane", type: "streamable-http", url, headers },
    amp: { url, headers },
    jetbrains: { url, headers },
    "copilot-cli": { tools: ["*"], type: "http", url, headers },
    lmstudio: { url, headers },
    kiro: { url, headers },
    antigravity: { serverUrl: url, headers },
  });
  await assert.rejects(
    connectClient("claude-desktop", where, request(where, { gateway: remote })),
    {
      code: "USAGE",
      message: /only by a command/,
    },
  );
});

test("a dry run says everything and writes nothing", async () => {
  await using root = await temporaryDirectory();
  const where = fullHome(root.path, "linux");
  const state = () => filesBelow(root.path).map((file) => [file, readFileSync(file, "utf8")]);
  const before = state();
  const planned = await connectClient("cursor", where, request(where, { dryRun: true }));
  assert.deepEqual(state(), before);
  assert.deepEqual(planned.moved, [
    { name: "github", as: "github", isNew: true, launch: "https://api.githubcopilot.com/mcp/" },
    { name: "browser", as: "browser", isNew: true, launch: "npx '@playwright/mcp@latest'" },
  ]);
  assert.equal(planned.isDryRun && planned.isChanged, true);
  const done = await connectClient("cursor", where, request(where));
  assert.deepEqual({ ...done, isDryRun: true, backup: null }, planned);
});

test("--keep leaves the servers in the client and only adds ours", async () => {
  await using root = await temporaryDirectory();
  const where = fullHome(root.path, "linux");
  const wanted = request(where, { keep: true });
  const { moved, kept, path, into } = await connectClient("windsurf", where, wanted);
  assert.deepEqual(
    [moved, into, kept.map(({ name }) => name)],
    [[], null, ["linear", "puppeteer"]],
  );
  assert.equal(existsSync(wanted.into), false);
  const { mcpServers } = readData(path) as { mcpServers: object };
  assert.deepEqual(Object.keys(mcpServers), ["linear", "puppeteer", "toolplane"]);
});

test("a server that the configuration has already is not written twice, a different one gets another name", async () => {
  await using root = await temporaryDirectory();
  const where = fullHome(root.path, "linux");
  const wanted = request(where);
  const linear = { url: "https://mcp.linear.app/mcp", deny_tools: ["delete_issue"] };
  writeFileSync(
    wanted.into,
    JSON.stringify({ mcpServers: { linear, puppeteer: { command: "other" } } }),
  );
  const { moved } = await connectClient("windsurf", where, wanted);
  assert.deepEqual(moved, [
    { name: "linear", as: "linear", isNew: false, launch: "https://mcp.linear.app/mcp" },
    {
      name: "puppeteer",
      as: "puppeteer-windsurf",
      isNew: true,
      launch: "npx '-y' '@modelcontextprotocol/server-puppeteer' (once it is switched on)",
    },
  ]);
  const done = await disconnectClient("windsurf", where, { remove: true });
  assert.deepEqual(
    [done.removed, done.stays].map((servers) => servers.map(({ name }) => name)),
    [["puppeteer-windsurf"], ["linear"]],
  );
});

test("a client that was never connected cannot be disconnected", async () => {
  await using root = await temporaryDirectory();
  await assert.rejects(disconnectClient("zed", emptyHome(root.path, "darwin")), {
    code: "NOT_FOUND",
    message: /^Zed is not connected: there is no 'toolplane' in .*settings\.json\.$/,
  });
  await assert.rejects(disconnectClient("wind", emptyHome(join(root.path, "home"), "darwin")), {
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
    await assert.rejects(connectClient(client, where, request(where)), { code: "CONFIG_INVALID" });
    await assert.rejects(disconnectClient(client, where), { code: "CONFIG_INVALID" });
    assert.equal(readFileSync(file, "utf8"), broken);
    assert.deepEqual(filesBelow(root.path), files);
  }
});

test("a file behind a link stays behind it with its mode, and the backup is for its owner alone", async () => {
  await using root = await temporaryDirectory();
  const where = fullHome(root.path, "linux");
  const file = join(where.home, ".cursor/mcp.json");
  const real = join(root.path, "dotfiles.json");
  renameSync(file, real);
  symlinkSync(real, file);
  chmodSync(real, 0o640);
  const before = readFileSync(real);
  await connectClient("cursor", where, request(where));
  assert.ok(lstatSync(file).isSymbolicLink());
  assert.ok(JSON.stringify(readData(real)).includes("toolplane"));
  if (process.platform !== "win32") {
    assert.equal(statSync(real).mode & 0o777, 0o640);
    for (const copy of ["backup", "connection.json"])
      assert.equal(statSync(`${file}.toolplane-${copy}`).mode & 0o777, 0o600);
  }
  await disconnectClient("cursor", where);
  assert.ok(lstatSync(file).isSymbolicLink());
  assert.deepEqual(readFileSync(real), before);
});
