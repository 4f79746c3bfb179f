import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { emptyHome, fullHome } from "../../../test/fixtures/clients/client-home.ts";
import { temporaryDirectory } from "../../../test/fixtures/start-server.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Where } from "./clients.ts";
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
