import assert from "node:assert/strict";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, before, suite, test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { manifestOf, type Package, startPackages } from "../fixtures/npm-packages.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { inSurroundings } from "../fixtures/surroundings.ts";
import { until } from "../fixtures/until.ts";
import { startGateway } from "./gateway-client.ts";
import { processFixture as fixture, runCli, textsOf } from "./support.ts";

/** A server without dependencies that tells where it runs, with which words, and who wrote it. */
const source = (author: string) => `#!/usr/bin/env node
const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
const text = JSON.stringify({ author: ${JSON.stringify(author)}, cwd: process.cwd(), args: process.argv.slice(2) });
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  const tools = [{ name: "where", inputSchema: { type: "object" } }];
  if (method === "initialize")
    answer(id, { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } });
  else if (method === "tools/list") answer(id, { tools });
  else if (method === "tools/call") answer(id, { content: [{ type: "text", text }] });
  else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }));
});
`;
const published: Package = {
  name: "where-server",
  version: "1.0.0",
  bin: { "where-server": "run.cjs" },
  files: { "run.cjs": source("publisher") },
};

type Instance = { directory: string; state: string; pid: number | null };
type Where = { author: string; cwd: string; args: string[] };

suite("nothing of a cloned directory runs", {
  concurrency: 3,
  skip: process.platform === "win32",
}, () => {
  let root: TemporaryDirectory;
  let packages: Awaited<ReturnType<typeof startPackages>>;
  before(async () => {
    root = await temporaryDirectory();
    packages = await startPackages([published], root.file("npm-cache"));
  });
  after(async () => {
    await packages[Symbol.asyncDispose]();
    await root[Symbol.asyncDispose]();
  });

  /** A person with these servers of their own, in a directory that a stranger made. */
  async function world(
    name: string,
    mcpServers: Record<string, object>,
    files: Record<string, string> = {},
  ) {
    const home = root.file(`${name}/home`);
    const clone = root.file(`${name}/clone`);
    const own = join(home, "toolplane", "toolplane.json");
    await Promise.all([
      mkdir(dirname(own), { recursive: true }),
      mkdir(clone, { recursive: true }),
    ]);
    await writeFile(own, JSON.stringify({ mcpServers }));
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(clone, file)), { recursive: true });
      await writeFile(join(clone, file), text);
      await chmod(join(clone, file), 0o755);
    }
    const env = { XDG_CONFIG_HOME: home, XDG_DATA_HOME: root.file(`${name}/data`) };
    const run = (...words: string[]) => runCli(words, { cwd: clone, env });
    const where = async (tool: string): Promise<Where | null> => {
      const { code, stdout } = await run("call", tool);
      return code === 0 ? (JSON.parse(stdout) as Where) : null;
    };
    return { own, clone: realpathSync(clone), env, run, where, mark: root.file(`${name}.mark`) };
  }

  /** A package of the same name and version, npm's settings, and programs that npm would find first. */
  async function trap(clone: string, mark: string): Promise<void> {
    const directory = join(clone, "node_modules", "where-server");
    const bin = join(clone, "node_modules", ".bin");
    await Promise.all([mkdir(directory, { recursive: true }), mkdir(bin, { recursive: true })]);
    const evil = `require("node:fs").writeFileSync(${JSON.stringify(mark)}, "");\n`;
    await writeFile(join(directory, "package.json"), JSON.stringify(manifestOf(published)));
    await writeFile(join(directory, "run.cjs"), source("stranger").replace("\n", `\n${evil}`));
    await chmod(join(directory, "run.cjs"), 0o755);
    await symlink("../where-server/run.cjs", join(bin, "where-server"));
    await writeFile(join(clone, "package.json"), "{}");
    await writeFile(join(clone, "evil.cjs"), evil);
    await writeFile(join(clone, ".npmrc"), `node-options=--require=${join(clone, "evil.cjs")}\n`);
    for (const program of ["node", "sh"]) {
      await writeFile(join(bin, program), `#!/bin/sh\n: > '${mark}'\nexec /bin/${program} "$@"\n`);
      await chmod(join(bin, program), 0o755);
    }
  }

  const npx = (...args: string[]) => ({
    command: "npx",
    args: ["-y", "where-server@1.0.0", ...args],
    env: packages.env,
  });

  test("npx takes a server of the user's own from its publisher, not from the directory it is used in", async () => {
    const at = await world("npx", { mine: npx() });
    await trap(at.clone, at.mark);
    const listed = await at.run("tools", "list", "--json");
    assert.match(listed.stdout, /where/, listed.stderr);
    const { author, cwd } = (await at.where("mine.where")) ?? {};
    assert.deepEqual([author, cwd], ["publisher", realpathSync(dirname(at.own))]);
    assert.ok(!existsSync(at.mark));
  });

  test("a program that is missing beside the user's file is not taken from the directory it is used in", async () => {
    const script = '#!/bin/sh\n: > "$0.mark"\n';
    const files = {
      "bin/mcp-server": script,
      "server.js": 'require("fs").writeFileSync(__filename + ".mark", "")',
    };
    const servers = {
      beside: { command: "./bin/mcp-server" },
      words: { command: "node", args: ["server.js"] },
      dotted: { command: "node", args: ["./server.js"] },
    };
    const at = await world("relative", servers, files);
    for (const words of [
      ["tools", "list"],
      ["doctor"],
      ["servers", "list"],
      ["call", "beside.x"],
      ["call", "dotted.x"],
    ])
      await at.run(...words);
    for (const file of ["bin/mcp-server.mark", "server.js.mark"])
      assert.ok(!existsSync(join(at.clone, file)), file);
    const { servers: listed } = (await at.run("servers", "list", "--json")).json() as {
      servers: { name: string; state: string; error: string }[];
    };
    const dotted = listed.find(({ name }) => name === "dotted");
    assert.equal(dotted?.state, "untrusted");
    assert.match(dotted?.error ?? "", /would work in .*toolplane trust/);
  });

  test("a background plane that a client starts in a cloned directory runs nothing there, for any client", async () => {
    const at = await world("background", { echo: fixture("echo") }, { "toolplane.json.bak": "" });
    const other = root.file("background/other");
    await mkdir(other);
    for (const cwd of [at.clone, other]) {
      await using client = await startGateway([], {}, () => undefined, { cwd, env: at.env });
      assert.equal((await client.call("echo__cwd", {})).text, realpathSync(dirname(at.own)));
      const [record] = servingIn(at.env.XDG_DATA_HOME);
      assert.equal(record?.directory, null, "it belongs to no directory");
      if (process.platform === "linux")
        assert.equal(
          realpathSync(`/proc/${record?.pid}/cwd`),
          realpathSync(join(at.env.XDG_DATA_HOME, "toolplane")),
        );
    }
    assert.equal((await at.run("stop")).code, 0);
  });

  const asking: [how: string, args: string[], more: object][] = [
    ["a relative cwd", [], { cwd: "." }],
    ["a dot among its arguments", ["."], {}],
    ["a relative path among its arguments", ["--root=./x"], {}],
    ["a variable", ["$" + "{workspaceFolder}"], {}],
  ];
  for (const [how, args, more] of asking)
    test(`a server that asks for the directory by ${how} runs there once it is trusted there, and only there`, async () => {
      const name = `asks-${asking.findIndex(([one]) => one === how)}`;
      const at = await world(name, { echo: { ...fixture("echo", args), ...more } });
      const refused = await at.run("call", "echo.cwd", "--json");
      assert.match(refused.stdout, /not trusted yet: it would work in .*toolplane trust/s);
      const shown = (await at.run("trust", "--json")).json() as {
        own: { name: string; launch: string; trusted: boolean }[];
      };
      assert.deepEqual(
        shown.own.map(({ name: one, trusted }) => [one, trusted]),
        [["echo", false]],
      );
      assert.match(shown.own[0]?.launch ?? "", /works in this directory/);
      assert.match((await at.run("config", "validate")).stdout, /is not trusted for it yet/);
      await at.run("trust", "--yes");
      assert.equal((await at.run("call", "echo.cwd")).stdout.trim(), at.clone);
      const elsewhere = root.file(`${name}/elsewhere`);
      await mkdir(elsewhere);
      const { stdout } = await runCli(["call", "echo.cwd", "--json"], {
        cwd: elsewhere,
        env: at.env,
      });
      assert.match(stdout, /not trusted yet/);
    });

  test("npx hands a trusted directory on, and takes neither packages nor settings nor programs from it", async () => {
    const servers = {
      by_argument: npx("."),
      by_path: npx("--root=./data", "plain"),
      by_cwd: { ...npx("plain"), cwd: "." },
    };
    const at = await world("npx-workspace", servers);
    await trap(at.clone, at.mark);
    assert.equal(await at.where("by_argument.where"), null);
    await at.run("trust", "--yes");
    const argument = await at.where("by_argument.where");
    const path = await at.where("by_path.where");
    const cwd = await at.where("by_cwd.where");
    assert.deepEqual([argument?.author, argument?.args], ["publisher", [at.clone]]);
    assert.deepEqual(
      [path?.author, path?.args],
      ["publisher", [`--root=${join(at.clone, "data")}`, "plain"]],
    );
    assert.deepEqual([cwd?.author, cwd?.cwd, cwd?.args], ["publisher", at.clone, ["plain"]]);
    assert.notEqual(argument?.cwd, at.clone);
    assert.ok(!existsSync(at.mark));
  });

  test("a launcher that cannot hand a directory on is refused with the remedy", async () => {
    const at = await world("pnpm", { one: { command: "pnpm", args: ["dlx", "x"], cwd: "." } });
    const { stdout, code } = await at.run("config", "validate");
    assert.equal(code, 1);
    assert.match(
      stdout,
      /pnpm dlx looks for packages in the directory where it starts[\s\S]*as an argument/,
    );
    const { servers } = (await at.run("servers", "list", "--json")).json() as {
      servers: { state: string }[];
    };
    assert.equal(servers[0]?.state, "config_error");
  });

  test("clients in two directories work on their own files by one plane, each in a trusted one", async () => {
    const folder = { ...fixture("echo"), cwd: "$" + "{workspaceFolder}/sub" };
    const at = await world("two", {
      echo: fixture("echo", ["."]),
      shared: fixture("echo"),
      folder,
    });
    const other = root.file("two/other");
    const third = root.file("two/third");
    const linked = root.file("two/linked");
    await Promise.all([mkdir(other), mkdir(third), symlink(other, linked)]);
    for (const one of [at.clone, other]) await mkdir(join(one, "sub"));
    const open = (cwd: string) => startGateway([], {}, () => undefined, { cwd, env: at.env });
    for (const cwd of [at.clone, other]) await runCli(["trust", "--yes"], { cwd, env: at.env });
    await using one = await open(at.clone);
    await using two = await open(other);
    await using again = await open(linked);
    await using stranger = await open(third);
    assert.equal((await one.call("echo__cwd", {})).text, at.clone);
    assert.equal((await two.call("echo__cwd", {})).text, realpathSync(other));
    assert.equal((await again.call("echo__cwd", {})).text, realpathSync(other));
    assert.equal((await one.call("folder__cwd", {})).text, join(at.clone, "sub"));
    assert.equal((await two.call("folder__cwd", {})).text, join(realpathSync(other), "sub"));
    assert.equal(servingIn(at.env.XDG_DATA_HOME).length, 1);
    const refused = (await stranger.call("echo__cwd", {})).text;
    assert.match(
      refused,
      /not trusted yet: it would work in .*third\. .*run 'toolplane trust' in .*third/,
    );
    assert.equal((await stranger.call("shared__cwd", {})).text, realpathSync(dirname(at.own)));
    const listed = async (cwd: string) => {
      const { stdout } = await runCli(["servers", "list", "--json"], { cwd, env: at.env });
      const { servers } = JSON.parse(stdout) as {
        servers: { name: string; instances?: Instance[] }[];
      };
      return servers.find(({ name }) => name === "echo")?.instances ?? [];
    };
    const instances = await listed(at.clone);
    assert.deepEqual(
      instances.map(({ directory }) => directory).sort(),
      [at.clone, realpathSync(other)].sort(),
    );
    assert.equal(new Set(instances.map(({ pid }) => pid)).size, 2);
    assert.equal(
      (await runCli(["call", "echo.cwd"], { cwd: other, env: at.env })).stdout.trim(),
      realpathSync(other),
    );
    await runCli(["trust", "--revoke"], { cwd: other, env: at.env });
    await until("it has ended there", async () => (await listed(other)).length === 1);
    assert.match((await two.call("echo__cwd", {})).text, /not trusted yet/);
    assert.equal((await one.call("echo__cwd", {})).text, at.clone);
  });

  test("trust that is given later, by a command or by its hash, reaches a plane that runs", async () => {
    const at = await world("later", { echo: fixture("echo", ["."]) });
    await using client = await startGateway([], {}, () => undefined, {
      cwd: at.clone,
      env: at.env,
    });
    assert.match((await client.call("echo__cwd", {})).text, /not trusted yet: it would work in/);
    await at.run("trust", "--yes");
    await until(
      "the server runs",
      async () => (await client.call("echo__cwd", {})).text === at.clone,
    );
    const place = {
      config: at.own,
      projectDirectory: root.path,
      dataDirectory: root.file("later/other"),
    };
    const env = { ...process.env, ...at.env };
    await inSurroundings({ env, directory: at.clone }, async () => {
      await using plane = await createPlane(place);
      const { own } = await plane.trust.list();
      assert.deepEqual(Object.keys(plane.config().untrusted), ["echo"]);
      await plane.trust.approve(own.map(({ hash }) => hash));
      assert.deepEqual(textsOf(await plane.call("echo.cwd", {})), [realpathSync(root.path)]);
    });
  });

  test("a server of variables does not start in the directory it is used in", async () => {
    const { command, args } = fixture("echo") as { command: string; args: string[] };
    const at = await world("variables", {});
    const variables = {
      TOOLPLANE_MCP_SERVER_COMMAND: command,
      TOOLPLANE_MCP_SERVER_ARGS: args.join(" "),
      TOOLPLANE_MCP_DEFAULT_SERVER: "mine",
    };
    const { stdout } = await runCli(["call", "mine.cwd"], {
      cwd: at.clone,
      env: { ...at.env, ...variables },
    });
    assert.equal(stdout.trim(), realpathSync(join(at.env.XDG_DATA_HOME, "toolplane", "start")));
  });

  test("what is added is tried where it will run, and a launcher gets the directory as a whole path", async () => {
    const at = await world("adds", {});
    await trap(at.clone, at.mark);
    const words = ["add", "--user", "--name", "mine", "npx -y where-server@1.0.0 ."];
    const { stdout, stderr, code } = await runCli(words, {
      cwd: at.clone,
      env: { ...at.env, ...packages.env },
    });
    assert.equal(code, 0, stdout + stderr);
    const { mcpServers } = JSON.parse(readFileSync(at.own, "utf8"));
    assert.deepEqual(mcpServers.mine, {
      command: "npx",
      args: ["-y", "where-server@1.0.0", at.clone],
    });
    assert.ok(!existsSync(at.mark));
  });
});

function servingIn(data: string): { pid: number; directory: string | null }[] {
  const directory = join(data, "toolplane", "planes");
  const { readdirSync } = process.getBuiltinModule("node:fs");
  const names = existsSync(directory)
    ? readdirSync(directory).filter((name) => name.endsWith(".json"))
    : [];
  return names.map((name) => JSON.parse(readFileSync(join(directory, name), "utf8")));
}
