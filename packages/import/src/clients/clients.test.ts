import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
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
import { clientFiles, isInstalled, targetFile, type Where } from "./client-files.ts";
import { clientNames } from "./clients.ts";
import { findClientServers } from "./import-clients.ts";

function place(where: Where, path: string, content: JsonObject | string): void {
  const file = join(where.home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
}

test("in the home directory a file is not read twice", async () => {
  await using root = await temporaryDirectory();
  const where = fullHome(root.path, "linux");
  const { found } = findClientServers(["cursor", "gemini"], { ...where, directory: where.home });
  assert.equal(found.length, 2);
});

test("variables of the environment move the files of a client", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "linux");
  place(where, "xdg/zed/settings.json", { context_servers: { a: { command: "a" } } });
  place(where, "xdg/Claude/claude_desktop_config.json", { mcpServers: { b: { command: "b" } } });
  place(where, "my-codex/config.toml", '[mcp_servers.c]\ncommand = "c"\n');
  place(where, "my-claude/.claude.json", { mcpServers: { d: { command: "d" } } });
  const environment = {
    XDG_CONFIG_HOME: join(where.home, "xdg"),
    CODEX_HOME: join(where.home, "my-codex"),
    CLAUDE_CONFIG_DIR: join(where.home, "my-claude"),
  };
  const { servers } = findClientServers([], { ...where, environment });
  assert.deepEqual(servers.map(({ name }) => name).sort(), ["a", "b", "c", "d"]);
});

test("Claude Desktop from the Microsoft Store is found where it keeps its own copy", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "win32");
  const path =
    "AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude/claude_desktop_config.json";
  place(where, path, { mcpServers: { a: { command: "a" } } });
  assert.equal(findClientServers(["claude-desktop"], where).found[0]?.path, join(where.home, path));
});

for (const platform of platforms) {
  test(`on ${platform} every client has the files that its documentation names`, () => {
    const isWindows = platform === "win32";
    const home = isWindows ? "C:\\Users\\ann" : "/home/ann";
    const directory = isWindows ? "D:\\work\\app" : "/work/app";
    const where: Where = { platform, home, directory, environment: {} };
    for (const client of clientNames()) {
      // OpenCode's file with comments is used only where it is there.
      const expected = userFiles[platform][client].replace(/opencode\.jsonc$/, "opencode.json");
      const native = isWindows ? expected.replaceAll("/", "\\") : expected;
      const separator = isWindows ? "\\" : "/";
      assert.equal(targetFile(client, where, "user")?.path, `${home}${separator}${native}`, client);
      for (const { path, scope } of clientFiles(client, where))
        assert.ok(path.startsWith(scope === "user" ? home : directory), path);
    }
  });
}

test("on Windows %APPDATA%, %LOCALAPPDATA% and a share as home directory count", () => {
  const environment = { APPDATA: "E:\\Roaming", LOCALAPPDATA: "E:\\Local" };
  const where: Where = {
    platform: "win32",
    home: "\\\\server\\ann",
    directory: "D:\\app",
    environment,
  };
  const files = clientFiles("claude-desktop", where).map(({ path }) => path);
  assert.deepEqual(files, [
    "E:\\Local\\Packages\\Claude_pzs8sxrjxfjjc\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json",
    "E:\\Roaming\\Claude\\claude_desktop_config.json",
  ]);
  assert.equal(
    targetFile("goose", where, "user")?.path,
    "E:\\Roaming\\Block\\goose\\config\\config.yaml",
  );
  assert.equal(targetFile("cursor", where, "user")?.path, "\\\\server\\ann\\.cursor\\mcp.json");
  assert.equal(targetFile("cursor", where, "project")?.path, "D:\\app\\.cursor\\mcp.json");
});

test("of several files the one that is there is written, and a client without project scope has none", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "linux");
  place(where, ".gemini/antigravity/mcp_config.json", {});
  place(where, ".config/amp/settings.jsonc", "{}");
  const written = (client: "antigravity" | "amp" | "lmstudio") =>
    targetFile(client, where, "user")?.path;
  assert.equal(written("antigravity"), join(where.home, ".gemini/antigravity/mcp_config.json"));
  assert.equal(written("amp"), join(where.home, ".config/amp/settings.jsonc"));
  assert.equal(written("lmstudio"), join(where.home, ".lmstudio/mcp.json"));
  assert.equal(targetFile("windsurf", where, "project"), null);
});

test("a client is there when one of its files or folders is", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "linux");
  assert.deepEqual(
    clientNames().filter((client) => isInstalled(client, where)),
    [],
  );
  for (const folder of [".cursor", ".claude", ".kiro"]) mkdirSync(join(where.home, folder));
  place(where, ".codex/config.toml", "");
  assert.deepEqual(
    clientNames().filter((client) => isInstalled(client, where)),
    ["claude-code", "cursor", "codex", "kiro"],
  );
});

test("OpenCode's servers are found in the form of version 1 and in that of version 2", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "linux");
  const server = { type: "local", command: ["a", "b"], timeout: { startup: 5, request: 7 } };
  place(where, ".config/opencode/opencode.json", {
    mcp: { servers: { a: { ...server, disabled: true } } },
  });
  const { found, servers } = findClientServers(["opencode"], where);
  assert.deepEqual(found[0]?.servers, ["a"]);
  assert.deepEqual(servers[0]?.definition, {
    command: "a",
    args: ["b"],
    enabled: false,
    timeoutMs: 7,
    connectTimeoutMs: 5,
  });
});
