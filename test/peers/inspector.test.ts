import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { commandLineFile } from "../fixtures/bundled.ts";
import { hangMs } from "../fixtures/patience.ts";
import { fixtureEnvironment, temporaryDirectory } from "../fixtures/start-server.ts";
import { metaNames } from "../scenarios/lazy-world.ts";
import { fixture, startServe, writeConfig } from "../scenarios/support.ts";

const run = promisify(execFile);
const here = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const inspector = here(
  "test/peers/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
);

type Answer = { tools?: { name: string }[]; content?: { text: string }[] };

/** The official inspector's command line, once for each question. */
async function ask(words: readonly string[], home: string): Promise<Answer> {
  const all = [inspector, "--cli", "--quiet", "--format", "json", ...words];
  const env = { ...fixtureEnvironment(), HOME: home };
  const { stdout } = await run(process.execPath, all, { env, timeout: hangMs });
  const printed = JSON.parse(stdout) as Answer & { result?: Answer };
  return printed.result ?? printed;
}

test("the official inspector lists and calls through both ways in, with all tools and with few", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { one: fixture("echo") });
  const data = directory.file("data");
  await using serving = await startServe(config, data);
  const spawned = (mode: string) => ({
    command: process.execPath,
    args: [
      commandLineFile,
      "mcp",
      "--mode",
      mode,
      "--config",
      config,
      "--data-dir",
      directory.file("own"),
    ],
  });
  const session = directory.file("session.json");
  await writeFile(
    session,
    JSON.stringify({ mcpServers: { full: spawned("full"), lazy: spawned("lazy") } }),
  );
  for (const mode of ["full", "lazy"]) {
    const places = [
      ["--config", session, "--server", mode],
      ["--server-url", `${serving.url}/mcp?mode=${mode}`, "--transport", "http"],
      [
        "--server-url",
        `${serving.url}/mcp?mode=${mode}`,
        "--transport",
        "http",
        "--protocol-era",
        "modern",
      ],
    ];
    for (const place of places) {
      const { tools = [] } = await ask([...place, "--method", "tools/list"], directory.path);
      const names = tools.map(({ name }) => name);
      if (mode === "lazy") assert.deepEqual(names, metaNames);
      else assert.ok(names.includes("one__echo") && !names.includes("call_tool"), names.join());
      const args = { message: "seen by the inspector" };
      const [tool, given] =
        mode === "lazy"
          ? ["call_tool", { name: "one__echo", arguments: args }]
          : ["one__echo", args];
      const words = [
        "--method",
        "tools/call",
        "--tool-name",
        tool,
        "--tool-args-json",
        JSON.stringify(given),
      ];
      const { content } = await ask([...place, ...(words as string[])], directory.path);
      assert.deepEqual(content, [{ type: "text", text: "seen by the inspector" }]);
    }
  }
});
