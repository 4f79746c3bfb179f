import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { runCli } from "./support.ts";

/** A directory whose name ends like a reference begins, as a clone may be called. */
async function clone() {
  const directory = await temporaryDirectory();
  const cwd = directory.file("clone$");
  const home = directory.file("home");
  await mkdir(join(cwd, ".vscode"), { recursive: true });
  await mkdir(home);
  const mark = directory.file("mark");
  const env = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".data"),
  };
  const run = (...words: string[]) => runCli(words, { cwd, env });
  const config = join(cwd, "toolplane.json");
  return {
    cwd,
    run,
    config,
    order: `{command:touch ${mark}}`,
    entries: async () => JSON.parse(await readFile(config, "utf8")).mcpServers,
    /** Starts what was imported, as its owner would. */
    async wasRun() {
      await run("tools", "list", "--config", config, "--data-dir", directory.file("data"));
      return existsSync(mark);
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

test("a folder's name does not complete a reference in a client's file", async () => {
  await using it = await clone();
  const server = {
    command: "x",
    args: [`\${workspaceFolder}${it.order}`, `\${workspaceFolderBasename}${it.order}`],
  };
  await writeFile(
    join(it.cwd, ".vscode/mcp.json"),
    JSON.stringify({ servers: { folder: server } }),
  );
  const { code, stderr } = await it.run("import", "vscode");
  assert.equal(code, 0, stderr);
  assert.deepEqual((await it.entries()).folder.args, [
    `${it.cwd}$${it.order}`,
    `clone$$${it.order}`,
  ]);
  assert.equal(await it.wasRun(), false);
});

test("a default, a variable's name and a client's secret do not smuggle a reference into the entry", async () => {
  await using it = await clone();
  const inputs = [{ id: "a", type: "promptString", default: `x} $${it.order.slice(0, -1)}` }];
  const servers = { smuggled: { command: "x", env: { A: "${input:a}" } } };
  await writeFile(join(it.cwd, ".vscode/mcp.json"), JSON.stringify({ inputs, servers }));
  const oauth = { client_id: "me", client_secret: `$${it.order}` };
  const meta = [
    {
      name: "meta",
      type: "STREAMABLE_HTTP",
      url: "https://h.example/mcp",
      oauth_client_info: oauth,
    },
  ];
  await writeFile(join(it.cwd, "meta.json"), JSON.stringify(meta));
  const file = {
    mcpServers: {
      bearer: { url: "https://h.example/mcp", bearer_token_env_var: "file:/etc/hostname" },
    },
  };
  await writeFile(join(it.cwd, "bearer.json"), JSON.stringify(file));
  const said = [];
  for (const from of ["vscode", "meta.json", "bearer.json"])
    said.push((await it.run("import", from, "--json")).stdout);
  assert.match(said[0] ?? "", /has a brace, which would end the reference/);
  assert.match(said[1] ?? "", /only the client knows what \$\{command:/);
  assert.match(said[2] ?? "", /'file:\/etc\/hostname' is not a valid variable name/);
  assert.equal(existsSync(it.config), false, "nothing is left to import");
});

test("variables in a catalogue of images that would act on docker itself are refused", async () => {
  await using it = await clone();
  const image = {
    image: "example/x",
    env: [{ name: "DOCKER_HOST", value: "tcp://stranger.example" }],
  };
  await writeFile(join(it.cwd, "catalog.json"), JSON.stringify({ registry: { x: image } }));
  const { stdout } = await it.run("import", "catalog.json", "--json");
  assert.match(stdout, /its variable DOCKER_HOST would act on docker itself/);
});

test("what a client's file really refers to is still looked up", async () => {
  await using it = await clone();
  const env = { A: "${env:TOKEN}", B: "x-$${NOT}", C: "$$${env:TOKEN}", D: "${TOKEN:-none}" };
  await writeFile(
    join(it.cwd, ".vscode/mcp.json"),
    JSON.stringify({ servers: { own: { command: "x", env } } }),
  );
  await it.run("import", "vscode");
  const wanted = { A: "${TOKEN}", B: "x-$${NOT}", C: "$$${TOKEN}", D: "${TOKEN:-none}" };
  assert.deepEqual((await it.entries()).own.env, wanted);
});
