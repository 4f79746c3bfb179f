import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { bundled } from "../../src/bundled.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { defaultConfigFiles } from "../../src/config/locations.ts";
import { createSetup } from "../../src/config/setup.ts";
import type { Setup } from "../../src/model/config/setup.ts";
import { filesBelow } from "../fixtures/clients/client-home.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { runCli } from "./support.ts";

const cursor = `// Servers of Ann
{
  "mcpServers": {
    // version control
    "git": {
      "command": "uvx",
      "args": ["mcp-server-git"],
      "env": { "GIT_PAGER": "cat", "TOKEN": "\${env:GIT_TOKEN}" } // quiet
    },
    "docs": { "url": "https://docs.example.org/mcp" },
    "secret": { "command": "vault-mcp", "envFile": ".env" }
  },
  "other": { "kept": true } // not ours
}
`;

describe("taking over and giving back", () => {
  const earlier = { HOME: process.env.HOME, USERPROFILE: process.env.USERPROFILE };
  let root: TemporaryDirectory;
  let home: string;

  before(async () => {
    root = await temporaryDirectory();
    home = root.file("home");
    Object.assign(process.env, { HOME: home, USERPROFILE: home });
  });
  beforeEach(() => {
    for (const folder of ["home", "a", "b"])
      rmSync(root.file(folder), { recursive: true, force: true });
    for (const folder of ["home", "a", "b"]) mkdirSync(root.file(folder));
  });
  after(async () => {
    for (const [name, value] of Object.entries(earlier)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    await root[Symbol.asyncDispose]();
  });

  function write(file: string, content: string | object): string {
    const path = root.file(file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content, null, 2));
    return path;
  }

  function setupIn(directory: string, environment: Record<string, string> = {}): Setup {
    return createSetup(
      {
        files: [],
        directory: root.file(directory),
        dataDirectory: root.file("data"),
        platform: "linux",
        environment: { XDG_CONFIG_HOME: join(home, ".config"), ...environment },
        program: ["toolplane"],
      },
      bundled.import,
    );
  }

  /** The same once the person has trusted the project's servers. */
  async function trustedIn(directory: string): Promise<Setup> {
    const setup = setupIn(directory);
    await setup.trust.answer((await setup.trust.show()).servers, true);
    return setup;
  }

  test("import, connect and disconnect as the README says lose nothing, even with an edit in between", async () => {
    const file = write("home/.cursor/mcp.json", cursor);
    const env = {
      HOME: home,
      USERPROFILE: home,
      XDG_CONFIG_HOME: join(home, ".config"),
      GIT_TOKEN: "x",
    };
    const run = (...args: string[]) => runCli(args, { cwd: root.file("a"), env });
    const imported = await run("import");
    assert.match(imported.stdout, /skipped secret: cursor: it reads its environment from a file/);
    assert.match(imported.stdout, /translated git: \$\{env:GIT_TOKEN\} → \$\{GIT_TOKEN\}/);
    const connected = (await run("connect", "cursor", "--global", "--json")).json();
    assert.partialDeepStrictEqual(connected, {
      client: "cursor",
      scope: "user",
      path: file,
      backup: `${file}.toolplane-backup`,
      into: root.file("a/toolplane.json"),
      moved: [
        { name: "git", as: "git", isNew: false },
        { name: "docs", as: "docs", isNew: false },
      ],
      server: { args: ["mcp", "--config", root.file("a/toolplane.json")] },
    });
    assert.match(JSON.stringify(connected.kept), /"secret".*envFile/);
    const edited = readFileSync(file, "utf8").replace('"kept": true', '"kept": true, "mine": 1');
    writeFileSync(file, edited);
    const { stdout } = await run("disconnect", "cursor");
    assert.match(stdout, /your later changes stay/);
    assert.match(stdout, /back in Cursor: git, docs\n/);
    assert.equal(
      readFileSync(file, "utf8"),
      cursor.replace('"kept": true', '"kept": true, "mine": 1'),
    );
    assert.deepEqual(filesBelow(dirname(file)), [file]);
  });

  for (const words of [
    ["connect", "cursor", "--yes"],
    ["connect", "cursor"],
    ["import", "cursor"],
  ])
    test(`'${words.join(" ")}' without a terminal keeps secrets in private files, and says so without them`, async () => {
      const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
      const entry = { command: "node", args: ["-e", "0"], env: { GITHUB_TOKEN: secret } };
      const file = write("home/.cursor/mcp.json", { mcpServers: { github: entry } });
      const before = readFileSync(file, "utf8");
      const env = { HOME: home, USERPROFILE: home, XDG_CONFIG_HOME: join(home, ".config") };
      const run = (...args: string[]) => runCli(args, { cwd: root.file("a"), env });
      const planned = await run(...words, "--dry-run");
      assert.match(
        planned.stdout,
        /secret GITHUB_TOKEN of github stands in clear: it would go into a file/,
      );
      const done = await run(...words);
      assert.match(
        done.stdout,
        /secret GITHUB_TOKEN of github is kept in \S+github-GITHUB_TOKEN\n/,
      );
      const [kept = ""] = /\S+github-GITHUB_TOKEN/.exec(done.stdout) ?? [];
      assert.equal(readFileSync(kept, "utf8"), secret);
      const shown = await run("config", "show");
      assert.match(shown.stdout, /\$\{file:/);
      for (const { stdout, stderr } of [planned, done, shown])
        assert.ok(!(stdout + stderr).includes(secret));
      const again = await run(...words);
      assert.match(again.stdout, /connected already|has it already/);
      if (words[0] === "connect") await run("disconnect", "cursor");
      assert.equal(readFileSync(file, "utf8"), before);
    });

  test("servers that were taken out by hand are in the backup, and disconnect says so", async () => {
    const file = write("home/.cursor/mcp.json", cursor);
    write("a/toolplane.json", { mcpServers: { own: { command: "x" } } });
    const setup = await trustedIn("a");
    await setup.connectClient("cursor", { scope: "user", keep: true });
    writeFileSync(file, '{ "mcpServers": {} }');
    const done = await setup.disconnectClient("cursor");
    assert.deepEqual(
      done.missing.map(({ name }) => name),
      ["git", "docs", "secret"],
    );
    assert.equal(readFileSync(String(done.backup), "utf8"), cursor);
  });

  test("in a project with a configuration the client's file of that project is written", async () => {
    const file = write("home/.cursor/mcp.json", cursor);
    write("a/toolplane.json", { mcpServers: { own: { command: "x" } } });
    const done = await setupIn("a").connectClient("cursor");
    assert.deepEqual([done.scope, done.path], ["project", root.file("a/.cursor/mcp.json")]);
    assert.equal(readFileSync(file, "utf8"), cursor);
    assert.deepEqual(done.elsewhere, [
      { path: file, scope: "user", servers: ["git", "docs", "secret"] },
    ]);
    assert.equal(done.isForEveryProject, false);
    assert.equal((await setupIn("a").disconnectClient("cursor")).outcome, "deleted");
  });

  test("a project's servers never go into the user's file", async () => {
    write("a/.vscode/mcp.json", {
      servers: { tool: { command: "x", args: ["${workspaceFolder}"] } },
    });
    write("home/.config/toolplane/toolplane.json", { mcpServers: { own: { command: "y" } } });
    const done = await setupIn("a").connectClient("vscode", { scope: "project" });
    assert.equal(done.into, root.file("a/toolplane.json"));
    assert.deepEqual(
      done.moved.map(({ name }) => name),
      ["tool"],
    );
  });

  test("a variable that a moved server needs and that is not set is named", async () => {
    write("home/.cursor/mcp.json", {
      mcpServers: { t: { command: "x", env: { T: "${env:UNSET_TOKEN}" } } },
    });
    const { variables } = await setupIn("a").connectClient("cursor", { scope: "user" });
    assert.deepEqual(
      variables.map(({ name, isSet }) => [name, isSet]),
      [["UNSET_TOKEN", false]],
    );
  });

  test("a client without project scope is said to use this directory everywhere, and the next one names it", async () => {
    write("home/.codeium/windsurf/mcp_config.json", { mcpServers: { w: { command: "w" } } });
    for (const name of ["a", "b"])
      write(`${name}/toolplane.json`, { mcpServers: { [name]: { command: "x" } } });
    const first = await (await trustedIn("a")).connectClient("windsurf");
    assert.deepEqual([first.isForEveryProject, first.replaces], [true, null]);
    const second = await (await trustedIn("b")).connectClient("windsurf");
    assert.deepEqual(second.replaces, [root.file("a/toolplane.json")]);
    assert.deepEqual(second.config, [root.file("b/toolplane.json")]);
    assert.deepEqual(second.leftBehind, [{ name: "w", path: root.file("a/toolplane.json") }]);
    const statuses = await setupIn("b").clients();
    const windsurf = statuses.find(({ client }) => client === "windsurf");
    assert.deepEqual(
      [windsurf?.isInstalled, windsurf?.connected[0]?.config],
      [true, second.config],
    );
    await assert.rejects(setupIn("b").connectClient("windsurf", { scope: "project" }), {
      code: "USAGE",
      message: /^Windsurf has no file for one project\./,
    });
  });

  test("without any configuration the servers go into the user's own, which is made for them", async () => {
    write("home/.cursor/mcp.json", cursor);
    const own = join(home, ".config/toolplane/toolplane.json");
    const done = await setupIn("a").connectClient("cursor");
    assert.deepEqual([done.scope, done.into, done.config], ["user", own, [own]]);
    assert.equal(done.isForEveryProject, false);
    assert.ok(existsSync(own));
    await assert.rejects(setupIn("a", { XDG_CONFIG_HOME: root.file("b") }).connectClient("kiro"), {
      code: "USAGE",
      message: /Kiro is not on this machine/,
    });
  });

  test("questions of VS Code and folders of the workspace are translated when its servers are moved", async () => {
    write("a/toolplane.json", '{\n  // mine\n  "mcpServers": {}\n}\n');
    write("a/.vscode/mcp.json", {
      inputs: [{ id: "api-key", type: "promptString", description: "The key", password: true }],
      servers: {
        tool: {
          command: "node",
          args: ["${workspaceFolder}/tool.js"],
          env: { KEY: "${input:api-key}" },
        },
      },
    });
    const done = await setupIn("a").connectClient("vscode");
    assert.deepEqual(done.translated, [
      { server: "tool", from: "${workspaceFolder}", to: root.file("a") },
      { server: "tool", from: "${input:api-key}", to: "${API_KEY}" },
    ]);
    const [variable] = done.variables;
    assert.deepEqual(
      [variable?.name, variable?.description, variable?.isSecret],
      ["API_KEY", "The key", true],
    );
    const text = readFileSync(root.file("a/toolplane.json"), "utf8");
    assert.match(text, /\/\/ mine/);
    assert.ok(text.includes('"${API_KEY}"') && text.includes(`${root.file("a")}/tool.js`));
  });

  test("a folder of the workspace is that of each project, and its name stays where it has no meaning", async () => {
    const args = ["${workspaceFolder}", "${workspaceRoot}/x"];
    write("home/.cursor/mcp.json", {
      mcpServers: {
        here: { command: "x", args },
        name: { command: "x", args: ["${workspaceFolderBasename}"] },
      },
    });
    const done = await setupIn("a").connectClient("cursor");
    assert.deepEqual(
      done.moved.map(({ name }) => name),
      ["here"],
    );
    assert.match(done.kept[0]?.reason ?? "", /another folder in each project/);
    const { mcpServers } = JSON.parse(readFileSync(done.into ?? "", "utf8"));
    assert.deepEqual(mcpServers.here.args, ["${workspaceFolder}", "${workspaceFolder}/x"]);
  });

  test("the same server of several clients becomes one, whatever they add or call it", async () => {
    const everything = { command: "npx", args: ["-y", "@modelcontextprotocol/server-everything"] };
    write("home/.cursor/mcp.json", { mcpServers: { everything, other: { command: "o" } } });
    write("home/.codeium/windsurf/mcp_config.json", {
      mcpServers: {
        everything: { ...everything, args: everything.args.slice(1), env: {} },
        o: { command: "o", args: [] },
      },
    });
    write("home/.kiro/settings/mcp.json", {
      mcpServers: { everything: { command: "else" }, twice: { command: "else" } },
    });
    write("home/.lmstudio/mcp.json", { mcpServers: { everything: { command: "else" } } });
    for (const client of ["cursor", "windsurf", "kiro", "lmstudio"])
      await setupIn("a").connectClient(client);
    const { mcpServers } = JSON.parse(
      readFileSync(root.file("home/.config/toolplane/toolplane.json"), "utf8"),
    );
    assert.deepEqual(Object.keys(mcpServers).sort(), [
      "everything",
      "everything-kiro",
      "other",
      "twice",
    ]);
  });

  test("Claude Code's .mcp.json starts the plane, and the plane does not start itself", async () => {
    const file = root.file("a/.mcp.json");
    cpSync(join(import.meta.dirname, "../fixtures/clients/claude-code-project.json"), file);
    const original = readFileSync(file);
    write("a/toolplane.json", { mcpServers: {} });
    const done = await (await trustedIn("a")).connectClient("claude-code");
    assert.deepEqual([done.path, done.config], [file, [root.file("a/toolplane.json")]]);
    // The client's entry and a command in this project mean the same plane.
    assert.deepEqual(
      defaultConfigFiles(root.file("a"), { XDG_CONFIG_HOME: root.file("none") }),
      done.config,
    );
    const { config } = await loadConfig([file, root.file("a/toolplane.json")], {
      ASANA_TOKEN: "x",
    });
    assert.deepEqual(Object.keys(config.servers).sort(), ["asana", "vault"]);
    await setupIn("a").disconnectClient("claude-code", { remove: true });
    assert.deepEqual(readFileSync(file), original);
  });
});
