import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const directory = await mkdtemp(join(tmpdir(), "migrating-"));
const config = join(directory, "toolplane.json");

function toolplane(...words: string[]): string {
  console.log(`$ toolplane ${words.slice(0, 2).join(" ")} …`);
  const args = [join(root, "src/bin.ts"), ...words];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: "utf8",
  });
  assert.equal(status, 0, stdout + stderr);
  console.log(stdout.trim());
  return stdout;
}

try {
  const file = fileURLToPath(new URL("litellm.yaml", import.meta.url));
  toolplane("import", file, "--to", config, "--data-dir", directory);
  const { mcpServers } = JSON.parse(await readFile(config, "utf8")) as {
    mcpServers: Record<string, unknown>;
  };
  assert.deepEqual(mcpServers.tracker, {
    url: "https://tracker.example.org/mcp",
    transport: "http",
    headers: { Authorization: "Bearer ${TRACKER_TOKEN}" },
  });
  const demo = { command: process.execPath, args: [join(root, "src/bin.ts"), "demo"] };
  assert.deepEqual(mcpServers.demo, { command: "node", args: ["src/bin.ts", "demo"] });
  const edits = [`command=${demo.command}`, `args:=${JSON.stringify(demo.args)}`];
  toolplane("servers", "edit", "demo", ...edits, "--config", config, "--data-dir", directory);
  const said = toolplane(
    "call",
    "demo.greet",
    "name=Ann",
    "--config",
    config,
    "--data-dir",
    directory,
  );
  assert.equal(said.trim(), "Hello, Ann!");
} finally {
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
}
