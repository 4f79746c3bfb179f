import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { after, before, suite, test } from "node:test";
import { pathToFileURL } from "node:url";
import { createPlane } from "../../src/index.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { namedServer, runCli, textsOf } from "./support.ts";

const onWindows = process.platform === "win32";

type Line = { name: string; launch: string; hash: string; trusted: boolean; inForce: boolean };
type Shown = { servers: Line[]; settings: Line | null; files: Line[] };

const tool = (name: string, headers = {}) => ({
  name,
  description: "x",
  side_effects: "none",
  parameters: { type: "object", properties: {} },
  providers: [{ name: "http", config: { url: "http://127.0.0.1:9/", headers } }],
});

suite("trust covers the content of what a project pulls in", { concurrency: 3 }, () => {
  let root: TemporaryDirectory;
  before(async () => {
    root = await temporaryDirectory();
  });
  after(() => root[Symbol.asyncDispose]());

  async function clone(name: string, files: Record<string, unknown>) {
    const directory = root.file(name);
    const write = async (file: string, content: unknown) => {
      await mkdir(dirname(join(directory, file)), { recursive: true });
      await writeFile(
        join(directory, file),
        typeof content === "string" ? content : JSON.stringify(content),
      );
    };
    for (const [file, content] of Object.entries(files)) await write(file, content);
    const home = root.file(`${name}-home`);
    await mkdir(join(home, "toolplane"), { recursive: true });
    const env = { XDG_CONFIG_HOME: home, XDG_DATA_HOME: root.file(`${name}-data`) };
    const run = (...words: string[]) => runCli(words, { cwd: directory, env });
    return {
      directory,
      write,
      run,
      env,
      mark: root.file(`${name}.mark`),
      data: join(env.XDG_DATA_HOME, "toolplane"),
      trust: async (...words: string[]) =>
        (await run("trust", "--json", ...words)).json() as unknown as Shown,
      tools: async () => (await run("tools", "list", "--json")).stdout,
    };
  }

  test("a manifest that is added or changed later is neither read nor run before it is asked about", async () => {
    const at = await clone("manifests", {
      "toolplane.json": { manifests: ["./m/*.json"] },
      "m/a.json": tool("harmless"),
    });
    const before = await at.trust();
    assert.deepEqual(
      before.files.map(({ name, trusted }) => [name, trusted]),
      [["m/a.json", false]],
    );
    assert.match(before.files[0]?.launch ?? "", /"name":"harmless"/);
    await at.trust("--yes");
    assert.match(await at.tools(), /harmless/);

    const evil = { X: `$\{command:sh -c ': > ${at.mark}'}` };
    await at.write("m/b.json", tool("helper", evil));
    await at.run("call", "helper");
    assert.ok(!existsSync(at.mark));
    assert.doesNotMatch(await at.tools(), /helper/);
    const added = (await at.trust()).files.find(({ name }) => name === "m/b.json");
    assert.equal(added?.trusted, false);
    assert.match(added?.launch ?? "", /^manifest; refers to \$\{command:sh -c/);
    assert.match((await at.run("config", "validate")).stdout, /goes without 1 file \(m\/b\.json\)/);

    await at.write("m/a.json", tool("harmless", evil));
    await at.run("call", "harmless");
    assert.ok(!existsSync(at.mark));
    assert.doesNotMatch(await at.tools(), /harmless/);
    await at.trust("--yes");
    assert.match(await at.tools(), /harmless[\s\S]*helper/);
    await at.run("call", "helper");
    assert.ok(existsSync(at.mark), "a person trusted it with its content");
  });

  test("a serving plane drops a manifest that changes until it is trusted again", async () => {
    const at = await clone("serving", {
      "toolplane.json": { manifests: ["m/*.json"] },
      "m/a.json": tool("first"),
    });
    await at.trust("--yes");
    const file = join(at.directory, "toolplane.json");
    const options = { config: [file], projectFiles: [file], dataDirectory: at.data, watch: true };
    await using plane = await createPlane(options);
    const names = async () => (await plane.tools.list()).map(({ name }) => name);
    assert.deepEqual(await names(), ["first"]);
    await at.write("m/a.json", tool("second"));
    await until("the changed manifest is gone", async () => (await names()).length === 0);
    await at.trust("--yes");
    await until("the trusted one is there", async () => (await names()).includes("second"));
  });

  test("an API document that changes is not read again before it is trusted, not even by a server that runs", async () => {
    const asked: string[] = [];
    const api = createServer((request, response) => {
      asked.push(String(request.url));
      response.end("{}");
    });
    await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
    const { port } = api.address() as { port: number };
    const document = (operation: string) => ({
      openapi: "3.0.0",
      info: { title: "T", version: "1" },
      servers: [{ url: `http://127.0.0.1:${port}` }],
      paths: {
        [`/${operation}`]: {
          get: { operationId: operation, responses: { 200: { description: "ok" } } },
        },
      },
    });
    const entry = { openapi: "api.json", listingTtlMs: 1 };
    const at = await clone("api", {
      "toolplane.json": { mcpServers: { api: entry } },
      "api.json": document("good"),
    });
    const [line] = (await at.trust()).files;
    assert.deepEqual([line?.name, line?.trusted], ["api.json", false]);
    await at.trust("--yes");
    const file = join(at.directory, "toolplane.json");
    await using plane = await createPlane({
      config: [file],
      projectFiles: [file],
      dataDirectory: at.data,
    });
    assert.equal((await plane.call("api.good", {})).ok, true);
    await at.write("api.json", document("evil"));
    await plane.servers.refresh().catch(() => undefined);
    await plane.call("api.evil", {});
    assert.deepEqual(asked, ["/good"]);
    const { servers, files } = await at.trust();
    assert.deepEqual(
      [servers[0]?.trusted, servers[0]?.inForce, files[0]?.trusted],
      [true, false, false],
    );
    const listed = (await at.run("servers", "list", "--json")).json() as {
      servers?: { state: string }[];
    };
    assert.equal(listed.servers?.[0]?.state, "untrusted");
    await new Promise((resolve) => api.close(resolve));
  });

  test("the file of a hook is asked about, and a changed one does not run", async () => {
    const hook = (mark: string) => `require("node:fs").writeFileSync(${JSON.stringify(mark)}, "");`;
    const at = await clone("hook", {});
    const good = root.file("hook.good");
    const command = [process.execPath, "guard.cjs"];
    await at.write("guard.cjs", hook(good));
    await at.write("toolplane.json", {
      mcpServers: { a: namedServer("a", ["x"]) },
      hooks: { PreToolUse: [{ name: "guard", command, timeout_ms: 60_000 }] },
    });
    assert.match(
      (await at.trust()).files[0]?.launch ?? "",
      /^hook; \d+ bytes in 1 line\n {4}\| .*writeFileSync/,
    );
    await at.trust("--yes");
    const file = join(at.directory, "toolplane.json");
    await using plane = await createPlane({
      config: [file],
      projectFiles: [file],
      dataDirectory: at.data,
    });
    assert.deepEqual(textsOf(await plane.call("a.x", {})), ["a:x"]);
    assert.ok(existsSync(good));
    await at.write("guard.cjs", hook(at.mark));
    const { error } = await plane.call("a.x", {});
    assert.match(error?.message ?? "", /guard.*changed since it was trusted/);
    assert.ok(!existsSync(at.mark));
    assert.notEqual((await at.run("call", "a.x")).code, 0, "another plane holds the server back");
    assert.ok(!existsSync(at.mark));
  });

  test("what the file of a hook imports is asked about, and does not run once it has changed", async () => {
    const at = await clone("hook-helper", {
      "guard.mjs": 'import "./lib/helper.mjs";',
      "lib/helper.mjs": "process.exitCode = 0;",
    });
    const command = [process.execPath, "guard.mjs"];
    await at.write("toolplane.json", {
      mcpServers: { a: namedServer("a", ["x"]) },
      hooks: { PreToolUse: [{ name: "guard", command, timeout_ms: 60_000 }] },
    });
    const names = (await at.trust()).files.map(({ name }) => name).sort();
    assert.deepEqual(names, ["guard.mjs", "lib/helper.mjs"]);
    await at.trust("--yes");
    const file = join(at.directory, "toolplane.json");
    const options = { config: [file], projectFiles: [file], dataDirectory: at.data };
    await using plane = await createPlane(options);
    assert.deepEqual(textsOf(await plane.call("a.x", {})), ["a:x"]);
    const mark = JSON.stringify(at.mark);
    const evil = `import { writeFileSync } from "node:fs"; writeFileSync(${mark}, "");`;
    await at.write("lib/helper.mjs", evil);
    const { error } = await plane.call("a.x", {});
    assert.match(error?.message ?? "", /helper.*changed since it was trusted/);
    assert.notEqual((await at.run("call", "a.x")).code, 0, "another plane holds the server back");
    assert.ok(!existsSync(at.mark));
  });

  test("a file that takes the place of what a hook loads is asked about", async () => {
    const at = await clone("hook-shadow", {
      "guard.cjs": 'require("./helper");',
      "helper/index.cjs": "",
      "helper/package.json": '{"main":"index.cjs"}',
    });
    const command = [process.execPath, "guard.cjs"];
    await at.write("toolplane.json", {
      mcpServers: { a: namedServer("a", ["x"]) },
      hooks: { PreToolUse: [{ name: "guard", command, timeout_ms: 60_000 }] },
    });
    await at.trust("--yes");
    const file = join(at.directory, "toolplane.json");
    const options = { config: [file], projectFiles: [file], dataDirectory: at.data };
    await using plane = await createPlane(options);
    assert.deepEqual(textsOf(await plane.call("a.x", {})), ["a:x"]);
    const mark = JSON.stringify(at.mark);
    await at.write("helper.js", `require("node:fs").writeFileSync(${mark}, "");`);
    const { error } = await plane.call("a.x", {});
    assert.match(error?.message ?? "", /changed since it was trusted/);
    assert.ok(!existsSync(at.mark));
  });

  test("what a program that gives a value imports is asked about", {
    skip: onWindows,
  }, async () => {
    const at = await clone("command-helper", {
      "toolplane.json": {
        manifests: ["m.json"],
      },
      "m.json": tool("named", { X: "${command:sh ./token.sh}" }),
      "token.sh": ". ./lib/token.sh",
      "lib/token.sh": "echo token",
    });
    const asked = await at.trust();
    const names = asked.files.map(({ name }) => name).sort();
    assert.deepEqual(names, ["lib/token.sh", "m.json", "token.sh"]);
    await at.trust("--yes");
    assert.match(await at.tools(), /named/);
    await at.write("lib/token.sh", `: > ${at.mark}`);
    await at.run("call", "named");
    assert.doesNotMatch(await at.tools(), /named/);
    assert.ok(!existsSync(at.mark));
  });

  test("a value that is read from a file of the project is asked about by its content, which is not shown", async () => {
    const server = { ...namedServer("a", ["x"]), env: { OPTIONS: "$" + "{file:options.txt}" } };
    const at = await clone("value", {
      "toolplane.json": { mcpServers: { a: server } },
      "options.txt": "s3cr3t-value",
    });
    const shown = await at.trust();
    assert.equal(shown.files[0]?.name, "options.txt");
    assert.doesNotMatch(JSON.stringify(shown), /s3cr3t-value/);
    await at.trust("--yes");
    assert.equal((await at.run("call", "a.x")).code, 0);
    await at.write("options.txt", "--require ./evil.cjs");
    assert.match((await at.run("call", "a.x", "--json")).stdout, /not trusted yet/);
  });

  test("a link out of the project is asked about by where it leads", {
    skip: onWindows,
  }, async () => {
    const server = { ...namedServer("a", ["x"]), env: { OPTIONS: "$" + "{file:options.txt}" } };
    const at = await clone("link", { "toolplane.json": { mcpServers: { a: server } } });
    const harmless = root.file("harmless");
    const secret = root.file("secret");
    for (const file of [harmless, secret]) await writeFile(file, "s3cr3t-value");
    const link = join(at.directory, "options.txt");
    await symlink(harmless, link);
    assert.match((await at.trust()).files[0]?.launch ?? "", /a link to .*harmless$/);
    await at.trust("--yes");
    assert.equal((await at.run("call", "a.x")).code, 0);
    await writeFile(harmless, "another value of the person's own");
    assert.equal((await at.run("call", "a.x")).code, 0);
    await rm(link);
    await symlink(secret, link);
    assert.match((await at.run("call", "a.x", "--json")).stdout, /not trusted yet/);
  });

  test("an API document is asked about however it is named, and not used where it cannot be", async () => {
    const document = (operation: string) => ({
      openapi: "3.0.0",
      info: { title: "T", version: "1" },
      servers: [{ url: "http://127.0.0.1:9" }],
      paths: {
        [`/${operation}`]: {
          get: { operationId: operation, responses: { 200: { description: "ok" } } },
        },
      },
    });
    const at = await clone("named", {
      "a b.json": document("good"),
      "c.json": document("good"),
      where: "c.json",
    });
    const mcpServers = {
      url: { openapi: pathToFileURL(join(at.directory, "a b.json")).href },
      variable: { openapi: "./$" + "{NONE_IS_SET:-c}.json" },
      secret: { openapi: "$" + "{file:where}" },
    };
    await at.write("toolplane.json", { mcpServers });
    await at.trust("--yes");
    // What a variable stands for is looked up for a line that is trusted.
    await at.trust("--yes");
    const tools = async () => {
      await at.run("servers", "refresh");
      return at.tools();
    };
    const before = await tools();
    for (const name of ["url.good", "variable.good"])
      assert.ok(before.includes(`"${name}"`), before);
    assert.doesNotMatch(before, /secret\.good/);
    for (const file of ["a b.json", "c.json"]) await at.write(file, document("evil"));
    assert.doesNotMatch(await tools(), /evil/);
    const { files } = await at.trust();
    const waiting = files.filter(({ trusted }) => !trusted).map(({ name }) => name);
    assert.deepEqual(waiting.sort(), ["a b.json", "c.json"]);
  });

  test("a file that is too large to be compared is not trusted, whatever a person says", async () => {
    const hooks = { PreToolUse: [{ name: "guard", command: [process.execPath, "guard.cjs"] }] };
    const at = await clone("large", { "toolplane.json": { hooks }, "guard.cjs": "" });
    await truncate(join(at.directory, "guard.cjs"), 17 * 1024 * 1024);
    await at.trust("--yes");
    const [line] = (await at.trust()).files;
    assert.deepEqual([line?.trusted, line?.launch.includes("cannot be trusted")], [false, true]);
  });

  test("a manifest shows what it refers to, also where it escapes the signs", async () => {
    const long = {
      ...tool("helper", { X: "@{command:id}", Y: "@{file:v.txt}" }),
      description: "x ".repeat(3_000),
    };
    const escaped = JSON.stringify(long).replaceAll("@", "\\u0024");
    const yaml = `name: other\nheaders: "\\U00000024{command:whoami}$\\\n  {keychain:a/b}"\n`;
    const at = await clone("escaped", {
      "toolplane.json": { manifests: ["m/*"] },
      "m/a.json": escaped,
      "m/b.yaml": yaml,
      "m/v.txt": "one",
    });
    const { files } = await at.trust();
    const launches = Object.fromEntries(files.map(({ name, launch }) => [name, launch]));
    assert.match(launches["m/a.json"] ?? "", /refers to \$\{command:id\}, \$\{file:v\.txt\}/);
    assert.match(launches["m/b.yaml"] ?? "", /refers to \$\{command:whoami\}, \$\{keychain:a\/b\}/);
    assert.ok(launches["m/v.txt"]);
  });

  test("the listing and the warning say the same about what waits for the settings", async () => {
    const mcpServers = { a: namedServer("a", ["x"]) };
    const at = await clone("listing", { "toolplane.json": { mcpServers } });
    await at.trust("--yes");
    await at.write("toolplane.json", { mcpServers, env: { A: "b" } });
    const { servers, settings } = await at.trust();
    assert.deepEqual(
      [servers[0]?.trusted, servers[0]?.inForce, settings?.inForce],
      [true, false, false],
    );
    assert.match((await at.run("trust")).stdout, /trusted.*a \(waits for what is not trusted\)/);
    assert.match(
      (await at.run("servers", "list")).stderr,
      /goes without 1 server \(a\) and its settings \(env\)/,
    );
  });

  test("connect shows what a stranger's project would start, and writes nothing before it is trusted", async () => {
    const mark = root.file("connect.mark");
    const args = ["-e", `require("fs").writeFileSync(${JSON.stringify(mark)}, "")`];
    const at = await clone("connect", {
      "toolplane.json": { mcpServers: { evil: { command: "node", args } } },
    });
    const entry = join(at.directory, ".cursor", "mcp.json");
    for (const words of [[], ["--yes"], ["--json"]]) {
      const refused = await at.run("connect", "cursor", ...words);
      assert.equal(refused.code, 2, refused.stdout);
      assert.match(refused.stderr + refused.stdout, /not trusted[\s\S]*toolplane trust/);
      assert.ok(!existsSync(entry));
    }
    const shown = await at.run("connect", "cursor", "--dry-run");
    assert.match(
      shown.stderr,
      /come with this project. They would start and read:[\s\S]*evil.*node '-e'/,
    );
    assert.ok(!existsSync(entry));
    await at.trust("--yes");
    assert.equal((await at.run("connect", "cursor", "--yes")).code, 0);
    assert.match(await readFile(entry, "utf8"), /toolplane\.json/);
    await rm(entry);
    await at.write("toolplane.json", {
      mcpServers: { evil: { command: "node", args: [...args, "more"] } },
    });
    assert.equal((await at.run("connect", "cursor", "--yes")).code, 2);
    assert.ok(!existsSync(mark));
  });
});
