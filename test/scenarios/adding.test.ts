import assert from "node:assert/strict";
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { bundled } from "../../src/bundled.ts";
import { createSetup } from "../../src/config/setup.ts";
import { askFor } from "../../src/faces/cli/commands/add.ts";
import type { AddedServer } from "../../src/model/config/adding.ts";
import { fixtureFile } from "../fixtures/bundled.ts";
import {
  fixtureCommand,
  fixtureEnvironment,
  startHttpFixture,
  temporaryDirectory,
} from "../fixtures/start-server.ts";
import { writeZip } from "../fixtures/write-zip.ts";
import { processFixture, runCli, startServe } from "./support.ts";

const { command, args } = fixtureCommand("echo");
/** A program that is the echo server. */
const runEcho = `import { define } from ${JSON.stringify(args[0])};
import { serveRaw } from ${JSON.stringify(fixtureFile("raw-server"))};
serveRaw(define());`;
const isWindows = process.platform === "win32" && "the stand-ins are scripts";

/** An empty directory with a home of its own; `npx` and `uvx` run the echo server and show what they were given. */
async function emptyDirectory() {
  const directory = await temporaryDirectory();
  const bin = directory.file("bin");
  await mkdir(bin);
  for (const name of ["npx", "uvx"]) {
    await writeFile(
      join(bin, name),
      `#!/bin/sh\necho "$0 $@ KEY=$API_KEY" >> ${directory.file("started")}\nexec ${[command, ...args].join(" ")}\n`,
    );
    await chmod(join(bin, name), 0o755);
  }
  const cwd = directory.file("project");
  await mkdir(cwd);
  const env = {
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    NODE_COMPILE_CACHE: String(fixtureEnvironment().NODE_COMPILE_CACHE),
    XDG_CONFIG_HOME: directory.file("config"),
    XDG_DATA_HOME: directory.file("data"),
  };
  const run = (...words: string[]) => runCli(words, { cwd, env });
  return {
    directory,
    cwd,
    env,
    run,
    config: async (file = join(cwd, "toolplane.json")) =>
      JSON.parse(await readFile(file, "utf8")).mcpServers,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

const added = (stdout: string) => JSON.parse(stdout) as AddedServer;

test("a package, in one command from an empty directory to a call that works", {
  skip: isWindows,
}, async () => {
  await using it = await emptyDirectory();
  const { code, stdout, stderr } = await it.run("add", "@example/server-files@2", "--json");
  assert.equal(code, 0, stdout + stderr);
  const { name, entry, file, tools } = added(stdout);
  assert.deepEqual(
    [name, entry, tools],
    ["files", { command: "npx", args: ["-y", "@example/server-files@2"] }, 17],
  );
  assert.equal(file, join(it.cwd, "toolplane.json"));
  assert.deepEqual(await it.config(), { files: entry });
  const called = await it.run("call", "files.echo", "message=hello");
  assert.match(called.stdout, /hello/, called.stderr);
  assert.match(
    await readFile(it.directory.file("started"), "utf8"),
    /npx -y @example\/server-files@2/,
  );
});

test("a URL, in one command from an empty directory to a call that works", async () => {
  await using it = await emptyDirectory();
  await using remote = await startHttpFixture("http");
  const { code, stdout, stderr } = await it.run("add", remote.url, "--json");
  assert.equal(code, 0, stdout + stderr);
  const { name, entry, tools, kind } = added(stdout);
  assert.deepEqual([name, entry, kind], ["local", { url: remote.url }, "url"]);
  assert.ok((tools ?? 0) > 0);
  const called = await it.run("call", "local.echo", "message=hello");
  assert.match(called.stdout, /hello/, called.stdout + called.stderr);
});

const petstore = (url: string) => `openapi: 3.0.3
info: { title: Pet Store, version: "1" }
servers: [{ url: "${url}" }]
paths:
  /pets/{id}:
    get:
      operationId: getPet
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses: { "200": { description: a pet } }
`;

async function startApi() {
  const server = createServer((request, response) => {
    const isDocument = request.url === "/openapi";
    const body = isDocument ? petstore("/") : JSON.stringify({ pet: request.url });
    response.writeHead(request.method === "GET" ? 200 : 404, {
      "content-type": isDocument ? "application/yaml" : "application/json",
    });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => new Promise<void>((resolve) => void server.close(() => resolve()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: stop,
  };
}

test("an OpenAPI document is recognised by its content, in a file and behind a URL", async () => {
  await using it = await emptyDirectory();
  await using api = await startApi();
  await writeFile(join(it.cwd, "pets.yaml"), petstore(api.url));
  const file = added((await it.run("add", "pets.yaml", "--dry-run", "--json")).stdout);
  assert.deepEqual(
    [file.name, file.kind, file.entry, file.tools],
    ["pet-store", "openapi", { openapi: "./pets.yaml" }, 1],
  );
  const url = added((await it.run("add", `${api.url}/openapi`, "--dry-run", "--json")).stdout);
  assert.deepEqual([url.kind, url.entry], ["openapi", { openapi: `${api.url}/openapi` }]);
  await writeFile(
    join(it.cwd, "bare.json"),
    JSON.stringify({ openapi: "3.1.0", info: {}, paths: {} }),
  );
  const bare = added((await it.run("add", "bare.json", "--dry-run", "--json")).stdout);
  assert.deepEqual(bare.missing, ["baseUrl"]);
  const said = added(
    (await it.run("add", "bare.json", "--set", "baseUrl=https://a.example", "--dry-run", "--json"))
      .stdout,
  );
  assert.deepEqual(said.entry, { openapi: "./bare.json", baseUrl: "https://a.example" });
});

test("an OpenAPI file, in one command from an empty directory to a call that works", async () => {
  await using it = await emptyDirectory();
  await using api = await startApi();
  await writeFile(join(it.cwd, "pets.yaml"), petstore(api.url));
  const { code, stdout, stderr } = await it.run("add", "pets.yaml", "--name", "pets", "--json");
  assert.equal(code, 0, stdout + stderr);
  assert.equal(added(stdout).tools, 1);
  const called = await it.run("call", "pets.getPet", "id=7");
  assert.match(called.stdout, /pets\/7/, called.stdout + called.stderr);
});

test("what does not answer is not written, says why, and is written with --force", {
  skip: isWindows,
}, async () => {
  await using it = await emptyDirectory();
  const { code, stderr } = await it.run(
    "add",
    "node",
    "-e",
    "console.error('no licence'); process.exit(3)",
    "--name",
    "broken",
  );
  assert.equal(code, 4);
  assert.match(stderr, /'broken' was not added.*no licence.*--force/s);
  assert.deepEqual(
    (await readdir(it.cwd)).filter((name) => name.includes("toolplane")),
    [],
  );
  const forced = await it.run(
    "add",
    "node",
    "-e",
    "process.exit(3)",
    "--name",
    "broken",
    "--force",
  );
  assert.equal(forced.code, 0);
  assert.deepEqual(Object.keys(await it.config()), ["broken"]);
  const missing = await it.run("add", "no-such-program-here", "with", "words");
  assert.equal(missing.code, 4);
  assert.match(missing.stderr, /was not found/);
});

test("a secret that was pasted is tried, and a reference to its file is written", {
  skip: isWindows,
}, async () => {
  await using it = await emptyDirectory();
  const secret = "sk-abcdefgh12345678";
  const words = [
    "claude",
    "mcp",
    "add",
    "files",
    "-e",
    `API_KEY=${secret}`,
    "-e",
    "LEVEL=2",
    "--",
    "npx",
    "-y",
    "@example/files",
  ];
  const { code, stdout, stderr } = await it.run("add", ...words);
  assert.equal(code, 0, stderr);
  const kept = join(it.env.XDG_CONFIG_HOME, "toolplane", "secrets", "files-API_KEY");
  assert.deepEqual((await it.config()).files, {
    command: "npx",
    args: ["-y", "@example/files"],
    env: { API_KEY: `\${file:${kept}}`, LEVEL: "2" },
  });
  assert.match(await readFile(it.directory.file("started"), "utf8"), /KEY=sk-abcdefgh12345678/);
  assert.match(stdout, /API_KEY is kept in .*files-API_KEY/);
  assert.equal(`${stdout}${stderr}`.includes(secret), false);
});

test("a variable that is not set is asked for, and the answer is used for the trial alone", {
  skip: isWindows,
}, async () => {
  await using it = await emptyDirectory();
  const json = JSON.stringify({
    mcpServers: { files: { command: "npx", args: ["-y", "f"], env: { API_KEY: "<your key>" } } },
  });
  const refused = await it.run("add", json);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /'files' needs API_KEY/);
  const environment = { ...process.env, ...it.env };
  const tried: (string | undefined)[] = [];
  const setup = createSetup(
    {
      files: [],
      directory: it.cwd,
      dataDirectory: it.env.XDG_DATA_HOME,
      environment,
      platform: process.platform,
      program: ["x"],
      async tryServer(_, { env }) {
        tried.push(env.API_KEY);
        return { tools: 3, needsSignIn: false, problem: null };
      },
    },
    bundled.import,
  );
  const ask = askFor({
    confirm: async () => true,
    choose: async () => assert.fail("nothing to choose"),
    async write(message, { isHidden }) {
      assert.deepEqual([message, isHidden], ["API_KEY", true]);
      return "typed in";
    },
  });
  const { tools, entry } = await setup.addServers([json], {}, { ask });
  assert.deepEqual([tools, entry.env, tried], [3, { API_KEY: "${API_KEY}" }, ["typed in"]]);
  assert.equal(
    (await readFile(join(it.cwd, "toolplane.json"), "utf8")).includes("typed in"),
    false,
  );
});

test("comments stay, names do not collide, and --user writes the user's own file", {
  skip: isWindows,
}, async () => {
  await using it = await emptyDirectory();
  await writeFile(
    join(it.cwd, "toolplane.json"),
    `{\n  // mine\n  "mcpServers": { "files": { "command": "x" } } // end\n}\n`,
  );
  const { code, stdout } = await it.run("add", "npx", "-y", "@example/files", "--json");
  assert.equal(code, 0, stdout);
  assert.equal(added(stdout).name, "files-2");
  const text = await readFile(join(it.cwd, "toolplane.json"), "utf8");
  assert.match(text, /\/\/ mine[\s\S]*"files-2"[\s\S]*\/\/ end/);
  const taken = await it.run("add", "npx", "-y", "x", "--name", "files");
  assert.deepEqual([taken.code, /There is a server 'files' already/.test(taken.stderr)], [1, true]);
  await writeFile(join(it.cwd, "server.mjs"), "");
  const user = await it.run(
    "add",
    "npx",
    "-y",
    "@example/notes",
    "./server.mjs",
    "--user",
    "--json",
  );
  assert.equal(user.code, 0, user.stdout);
  const file = join(it.env.XDG_CONFIG_HOME, "toolplane", "toolplane.json");
  assert.deepEqual(await it.config(file), {
    notes: { command: "npx", args: ["-y", "@example/notes", join(it.cwd, "server.mjs")] },
  });
});

test("a pasted secret is kept in a private file or where the person says, and never in the configuration", async () => {
  await using it = await emptyDirectory();
  const secret = "sk-live-51Hq8rTzQpLmN4vXc2Bd7Wf";
  const pasted = JSON.stringify({
    mcpServers: { echo: { ...processFixture("echo"), env: { API_TOKEN: secret } } },
  });
  const kept = await it.run("add", pasted, "--json");
  assert.equal(kept.code, 0, kept.stderr);
  const { entry, variables, kept: where } = added(kept.stdout);
  const [one] = where as { name: string; where: string }[];
  assert.deepEqual([one?.name, variables], ["API_TOKEN", []]);
  assert.deepEqual(entry.env, { API_TOKEN: `\${file:${one?.where}}` });
  assert.equal(await readFile(one?.where ?? "", "utf8"), secret);
  assert.equal((await stat(one?.where ?? "")).mode & 0o777, 0o600);
  const called = await it.run("call", "echo.echo", "message=hi");
  assert.equal(called.code, 0, called.stderr);
  assert.ok(!(kept.stdout + kept.stderr + called.stdout).includes(secret));
  const dropped = await it.run("add", pasted, "--name", "other", "--secrets", "env");
  assert.match(
    dropped.stdout,
    /refers to API_TOKEN, and no value is kept.*--secrets file or --secrets keychain/,
  );
});

test("a bundle is unpacked, its settings are asked for, and it runs", async () => {
  await using it = await emptyDirectory();
  const manifest = {
    manifest_version: "0.3",
    name: "Echo Bundle",
    version: "1.0.0",
    author: { name: "A" },
    server: {
      type: "node",
      entry_point: "server/index.mjs",
      mcp_config: {
        command: process.execPath,
        args: [
          "${__dirname}/server/index.mjs",
          "--folder",
          "${user_config.folders}",
          "${user_config.none}",
        ],
        env: { API_KEY: "${user_config.api_key}", LEVEL: "${user_config.level}" },
        platform_overrides: { [process.platform]: { command: command } },
      },
    },
    user_config: {
      folders: { type: "directory", title: "Folders", multiple: true, required: true },
      api_key: { type: "string", title: "Key", sensitive: true, required: true },
      level: { type: "number", default: 3 },
      none: { type: "string" },
    },
  };
  const files = [
    { path: "manifest.json", content: JSON.stringify(manifest) },
    { path: "server/", content: "" },
    { path: "server/index.mjs", content: runEcho, mode: 0o100755 },
  ];
  await writeFile(
    join(it.cwd, "echo.mcpb"),
    Buffer.concat([writeZip(files), Buffer.from("a signature behind it")]),
  );
  const refused = await it.run("add", "echo.mcpb");
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /needs FOLDERS and API_KEY/);
  Object.assign(it.env, { API_KEY: "from the environment" });
  const { code, stdout, stderr } = await it.run(
    "add",
    "echo.mcpb",
    "--set",
    // As the manifest spells it.
    "folders=/a",
    "--set",
    "folders=/b c",
    "--json",
  );
  assert.equal(code, 0, stdout + stderr);
  const { name, entry, tools } = added(stdout);
  const home = String(entry.cwd);
  assert.deepEqual([name, tools], ["echo-bundle", 17]);
  assert.deepEqual(entry, {
    command,
    args: [join(home, "server/index.mjs"), "--folder", "/a", "/b c"],
    cwd: home,
    env: { API_KEY: "${API_KEY}", LEVEL: "3" },
  });
  assert.ok(
    home.startsWith(join(it.env.XDG_DATA_HOME, "toolplane", "bundles", "echo-bundle-1-0-0-")),
  );
  const called = await it.run("call", "echo-bundle.echo", "message=hello");
  assert.match(called.stdout, /hello/, called.stderr);
});

test("a bundle that is no archive, leads out, links, lies about its size or is for another system is refused", async () => {
  await using it = await emptyDirectory();
  const manifest = (more: object = {}) => ({
    path: "manifest.json",
    content: JSON.stringify({
      name: "a",
      version: "1",
      server: { type: "node", entry_point: "i.js" },
      ...more,
    }),
  });
  const cases: [Buffer, RegExp][] = [
    [Buffer.from("nothing"), /not a zip archive/],
    [writeZip([manifest(), { path: "../out", content: "x" }]), /leads out/],
    [writeZip([manifest(), { path: "a\\..\\..\\out", content: "x" }]), /leads out/],
    [writeZip([manifest(), { path: "/etc/x", content: "x" }]), /leads out/],
    [writeZip([manifest(), { path: "l", content: "/etc", mode: 0o120777 }]), /symbolic link/],
    [
      writeZip([manifest(), { path: "big", content: "x".repeat(100_000), size: 10 }]),
      /larger than it says|checksum/,
    ],
    [writeZip([manifest(), { path: "huge", content: "x", size: 0x7fffffff }]), /more than/],
    [writeZip([{ path: "server.js", content: "" }]), /no manifest.json/],
    [writeZip([{ path: "manifest.json", content: "{" }]), /not JSON/],
    [writeZip([manifest({ server: { type: "cobol" } })]), /kind 'cobol'/],
    [writeZip([manifest({ compatibility: { platforms: ["plan9"] } })]), /made for plan9/],
  ];
  for (const [bytes, reason] of cases) {
    await writeFile(join(it.cwd, "bad.mcpb"), bytes);
    const { code, stderr } = await it.run("add", "bad.mcpb");
    assert.equal(code, 2, `${reason}: ${stderr}`);
    assert.match(stderr, reason);
  }
  const left = await readdir(join(it.env.XDG_DATA_HOME, "toolplane", "bundles")).catch(() => []);
  assert.deepEqual(left, []);
});

test("over HTTP the same operation shows a form, and adds with its answers", {
  skip: isWindows,
}, async () => {
  await using it = await emptyDirectory();
  const file = join(it.cwd, "toolplane.json");
  await writeFile(file, JSON.stringify({ mcpServers: {} }));
  await using serving = await startServe(file, it.directory.file("data"));
  const ask = async (body: object) => {
    const headers = { ...serving.proof, "content-type": "application/json" };
    const response = await fetch(`${serving.url}/servers/add`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return {
      status: response.status,
      body: (await response.json()) as AddedServer & { code?: string; detail?: string },
    };
  };
  const what = JSON.stringify({ echo: { command, args, env: { ECHO_TOKEN: "YOUR_TOKEN" } } });
  const planned = await ask({ what, dryRun: true });
  assert.equal(planned.status, 200, JSON.stringify(planned.body));
  assert.deepEqual(planned.body.missing, ["ECHO_TOKEN"]);
  assert.deepEqual(planned.body.form, {
    type: "object",
    properties: { ECHO_TOKEN: { type: "string", writeOnly: true, format: "password" } },
    required: ["ECHO_TOKEN"],
  });
  assert.deepEqual([planned.body.file, planned.body.isWritten], ["toolplane.json", false]);
  assert.deepEqual((await ask({ what })).body.code, "USAGE");
  const done = await ask({ what: [command, ...args].join(" "), name: "echo" });
  assert.deepEqual(
    [done.status, done.body.tools, done.body.isWritten],
    [200, 17, true],
    JSON.stringify(done.body),
  );
  const servers = (await (await fetch(`${serving.url}/servers`)).json()) as {
    servers: { name: string }[];
  };
  assert.deepEqual(
    servers.servers.map(({ name }) => name),
    ["echo"],
  );
  const broken = await ask({ what: "node -e process.exit(1)" });
  assert.equal(broken.body.code, "SERVER_UNAVAILABLE");
  assert.match(broken.body.detail ?? "", /exited with code 1/);
  assert.equal((await ask({ what, values: { ECHO_TOKEN: "a value to hide" } })).status, 200);
  const audit = await (await fetch(`${serving.url}/audit`, { headers: serving.proof })).text();
  assert.deepEqual(
    [audit.includes("servers.add"), audit.includes("a value to hide")],
    [true, false],
    audit,
  );
  assert.equal((await ask({ what: "" })).status, 400);
});
