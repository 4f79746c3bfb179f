import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { JsonObject } from "@toolplane/core/model/json";
import {
  emptyHome,
  fullHome,
  platforms,
  userFiles,
} from "@toolplane/test/fixtures/clients/client-home";
import { temporaryDirectory } from "@toolplane/test/fixtures/start-server";
import type { Where } from "./client-files.ts";
import { clientNames } from "./clients.ts";
import { findClientServers, launchOf } from "./import-clients.ts";

function place(where: Where, path: string, content: JsonObject | string): void {
  const file = join(where.home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
}

for (const platform of platforms) {
  test(`on ${platform} the servers of all clients are found`, async () => {
    await using root = await temporaryDirectory();
    const where = fullHome(root.path, platform);
    const { found, servers, renamed } = findClientServers([], where);
    assert.deepEqual([...new Set(found.map(({ client }) => client))], clientNames());
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
        "vscode search",
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
        "opencode grep",
        "opencode everything",
        "opencode tickets",
        "cline local-server",
        "cline remote-server",
        "roo time-roo",
        "roo events",
        "goose linear-goose",
        "goose slack",
        "continue SQLite MCP",
        "continue supabase",
        "amp playwright",
        "amp semgrep",
        "jetbrains idea-docs",
        "jetbrains youtrack",
        "copilot-cli playwright-cli",
        "copilot-cli context7",
        "lmstudio hf-mcp-server",
        "lmstudio notes",
        "kiro aws-docs",
        "kiro api-server",
        "antigravity bigquery",
        "antigravity chrome-devtools",
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
    {
      name: "filesystem",
      reason: "claude-code: it is the same server as 'filesystem' of claude-desktop",
    },
    { name: "vault", reason: "claude-code: a command makes its headers (headersHelper)" },
    {
      name: "docs",
      reason:
        "cursor: it reads its environment from a file (envFile); put the variables into 'env' instead",
    },
    { name: "mcp-server-context7", reason: "zed: an extension of the client provides it" },
    { name: "jira", reason: "opencode: it has neither a command nor a url" },
    { name: "developer", reason: "goose: it is part of the client" },
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
    message:
      /^No client 'cursr'\. Did you mean 'cursor'\? Known: claude-desktop, .*, antigravity\.$/,
  });
});

test("without any client nothing is found and nothing is wrong", async () => {
  await using root = await temporaryDirectory();
  assert.deepEqual(findClientServers([], emptyHome(root.path, "win32")), {
    found: [],
    servers: [],
    skipped: [],
    renamed: [],
    translated: [],
    variables: [],
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
  assert.match(skipped[0]?.reason ?? "", /\.cursor.mcp\.json:3:\d+: invalid JSON: /);
  assert.equal(skipped.find(({ name }) => name === "codex")?.reason.includes("invalid TOML"), true);
});

test("equal definitions under one name are one server, whatever the order of their keys", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "linux");
  place(where, ".cursor/mcp.json", {
    mcpServers: { a: { command: "x", args: ["y"] }, b: { command: "b" } },
  });
  place(where, ".gemini/settings.json", {
    mcpServers: { a: { args: ["y"], command: "x" }, b: { command: "c" } },
  });
  place(where, ".config/zed/settings.json", {
    context_servers: { b: { command: "c" }, "b-gemini": { command: "d" } },
  });
  const { servers } = findClientServers(["cursor", "gemini", "zed"], where);
  assert.deepEqual(servers, [
    { name: "a", client: "cursor", scope: "user", definition: { command: "x", args: ["y"] } },
    { name: "b", client: "cursor", scope: "user", definition: { command: "b" } },
    { name: "b-gemini", client: "gemini", scope: "user", definition: { command: "c" } },
    { name: "b-gemini-zed", client: "zed", scope: "user", definition: { command: "d" } },
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

test("what a client asks its user for becomes variables, and it is said which to set", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "linux");
  place(where, ".config/Code/User/mcp.json", {
    inputs: [
      { id: "apiKey", type: "promptString", description: "Key of the search", password: true },
      { id: "region", type: "pickString", options: ["eu", "us"], default: "eu" },
    ],
    servers: {
      search: { command: "s", env: { KEY: "${input:apiKey}", REGION: "${input:region}" } },
      index: {
        command: "i",
        args: ["--key=${input:apiKey}", "${workspaceFolder}/x", "${unknown-thing}"],
      },
      ask: { url: "https://example.org/mcp", headers: { A: "${input:not-declared}" } },
    },
  });
  const report = findClientServers(["vscode"], { ...where, environment: { NOT_DECLARED: "x" } });
  const definitions = Object.fromEntries(
    report.servers.map(({ name, definition }) => [name, definition]),
  );
  assert.deepEqual(definitions, {
    search: { command: "s", env: { KEY: "${API_KEY}", REGION: "${REGION:-eu}" } },
    ask: { url: "https://example.org/mcp", headers: { A: "${NOT_DECLARED}" } },
  });
  assert.deepEqual(report.variables, [
    {
      name: "API_KEY",
      servers: ["search"],
      isSet: false,
      description: "Key of the search",
      isSecret: true,
    },
    { name: "NOT_DECLARED", servers: ["ask"], isSet: true, description: null, isSecret: false },
  ]);
  assert.deepEqual(report.translated[0], {
    server: "search",
    from: "${input:apiKey}",
    to: "${API_KEY}",
  });
  assert.match(
    report.skipped[0]?.reason ?? "",
    /only the client knows what \$\{unknown-thing\} stands for/,
  );
});

test("what would be started says so of a server that is switched off", () => {
  const entry = { command: "npx", args: ["-y", "a b"], env: { TOKEN: "x" } };
  assert.equal(launchOf(entry), "npx '-y' 'a b'");
  assert.equal(launchOf({ ...entry, enabled: false }), "npx '-y' 'a b' (once it is switched on)");
  assert.equal(launchOf({ url: "https://example.org/mcp" }), "https://example.org/mcp");
});
