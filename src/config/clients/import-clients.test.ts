import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { emptyHome, fullHome, platforms, userFiles } from "../../../test/fixtures/clients/client-home.ts";
import { temporaryDirectory } from "../../../test/fixtures/start-server.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Where } from "./clients.ts";
import { findClientServers } from "./import-clients.ts";

function place(where: Where, path: string, content: JsonObject | string): void {
  const file = join(where.home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
}

for (const platform of platforms) {
  test(`on ${platform} the servers of all eight clients are found`, async () => {
    await using root = await temporaryDirectory();
    const where = fullHome(root.path, platform);
    const { found, servers, renamed } = findClientServers([], where);
    assert.deepEqual([...new Set(found.map(({ client }) => client))], Object.keys(userFiles[platform]));
    for (const [client, path] of Object.entries(userFiles[platform])) {
      assert.ok(
        found.some((file) => file.client === client && file.path === join(where.home, path)),
        client,
      );
    }
    assert.deepEqual(
      servers.map(({ client, name }) => `${client} ${name}`),
      [
        "claude-desktop filesystem",
        "claude-desktop github",
        "claude-code sentry",
        "claude-code postgres",
        "claude-code asana",
        "cursor github-cursor",
        "cursor browser",
        "cursor lint",
        "vscode memory",
        "vscode time",
        "windsurf linear",
        "windsurf puppeteer",
        "codex git",
        "codex figma",
        "zed fetch",
        "zed sqlite",
        "zed remote",
        "gemini github-gemini",
        "gemini weather",
      ],
    );
    assert.deepEqual(renamed, [
      { name: "github-cursor", client: "cursor", from: "github" },
      { name: "github-gemini", client: "gemini", from: "github" },
    ]);
  });
}

test("what cannot be taken over is left out with the reason", async () => {
  await using root = await temporaryDirectory();
  const { skipped } = findClientServers([], fullHome(root.path, "linux"));
  assert.deepEqual(skipped, [
    { name: "vault", reason: "claude-code: a command makes its headers (headersHelper)" },
    {
      name: "docs",
      reason: "cursor: it reads its environment from a file (envFile); put the variables into 'env' instead",
    },
    { name: "search", reason: "vscode: it asks its user for ${input:search-key}" },
    { name: "mcp-server-context7", reason: "zed: an extension of the client provides it" },
  ]);
});

test("looking for servers writes nothing", async () => {
  await using root = await temporaryDirectory();
  const where = fullHome(root.path, "linux");
  const files = () =>
    readdirSync(root.path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path, readFileSync(path, "utf8")]);
  const before = files();
  findClientServers([], where);
  assert.deepEqual(files(), before);
});

test("only the chosen clients are read, and an unknown one is refused with the nearest", async () => {
  await using root = await temporaryDirectory();
  const where = fullHome(root.path, "darwin");
  const { servers } = findClientServers(["zed", "zed"], where);
  assert.deepEqual(
    servers.map(({ name }) => name),
    ["fetch", "sqlite", "remote"],
  );
  assert.throws(() => findClientServers(["cursr"], where), {
    code: "USAGE",
    message: /^No client 'cursr'\. Did you mean 'cursor'\? Known: claude-desktop, .*, gemini\.$/,
  });
});

test("without any client nothing is found and nothing is wrong", async () => {
  await using root = await temporaryDirectory();
  assert.deepEqual(findClientServers([], emptyHome(root.path, "win32")), {
    found: [],
    servers: [],
    skipped: [],
    renamed: [],
  });
});

test("a broken file is reported and the others are read", async () => {
  await using root = await temporaryDirectory();
  const where = fullHome(root.path, "linux");
  place(where, ".cursor/mcp.json", '{\n  "mcpServers": {\n');
  place(where, ".codex/config.toml", "[mcp_servers.git\n");
  const { servers, skipped } = findClientServers(["cursor", "codex", "zed"], where);
  assert.deepEqual(
    servers.map(({ name }) => name),
    ["lint", "fetch", "sqlite", "remote"],
  );
  assert.match(skipped[0]?.reason ?? "", /\.cursor.mcp\.json:3: is not valid JSON: /);
  assert.equal(
    skipped.find(({ name }) => name === "codex")?.reason.includes("config.toml:1: is not valid TOML"),
    true,
  );
});

test("equal definitions under one name are one server, whatever the order of their keys", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "linux");
  place(where, ".cursor/mcp.json", { mcpServers: { a: { command: "x", args: ["y"] }, b: { command: "b" } } });
  place(where, ".gemini/settings.json", {
    mcpServers: { a: { args: ["y"], command: "x" }, b: { command: "c" } },
  });
  place(where, ".config/zed/settings.json", {
    context_servers: { b: { command: "c" }, "b-gemini": { command: "d" } },
  });
  const { servers } = findClientServers(["cursor", "gemini", "zed"], where);
  assert.deepEqual(servers, [
    { name: "a", client: "cursor", definition: { command: "x", args: ["y"] } },
    { name: "b", client: "cursor", definition: { command: "b" } },
    { name: "b-gemini", client: "gemini", definition: { command: "c" } },
    { name: "b-gemini-zed", client: "zed", definition: { command: "d" } },
  ]);
});

test("entries that lead back to us are left out", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "linux");
  place(where, ".cursor/mcp.json", {
    mcpServers: {
      toolplane: { url: "http://127.0.0.1:7420/mcp" },
      gateway: { command: "C:\\tools\\toolplane.cmd", args: ["--config", "a.json", "mcp"] },
      package: { command: "npx", args: ["-y", "toolplane@1.2.3", "mcp"] },
      other: { url: "http://127.0.0.1:7420/mcp" },
      neighbour: { command: "toolplane-like", args: ["mcp"] },
    },
  });
  const { servers, skipped } = findClientServers(["cursor"], where);
  assert.deepEqual(
    servers.map(({ name }) => name),
    ["other", "neighbour"],
  );
  assert.deepEqual(
    skipped.map(({ name, reason }) => [name, reason]),
    [
      ["toolplane", "cursor: it is Toolplane itself"],
      ["gateway", "cursor: it is Toolplane itself"],
      ["package", "cursor: it is Toolplane itself"],
    ],
  );
});
