import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { after, before, suite, test } from "node:test";
import { bundled } from "../../src/bundled.ts";
import { processEnvironment } from "../../src/config/environment.ts";
import { createSetup } from "../../src/config/setup.ts";
import type { Setup } from "../../src/model/config/setup.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture, namedServer, runCli, writeConfig } from "./support.ts";

const secret = "supersecretvalue1234";
const config = {
  mcpServers: {
    git: {
      command: "node",
      auth_env: ["GITHUB_TOKEN"],
      env: { API_KEY: "${SHORT}", PASSWORD: "${LONG}", TOKEN: `\${UNSET:-${secret}}` },
    },
    odd: { command: "node", timeoutMs: "soon", env: { A: "${NOT_SET}" } },
  },
  models: {
    default: {
      provider: "openai-compatible",
      baseURL: "http://x/v1",
      model: "m",
      apiKey: "${LONG}",
    },
  },
  policy: { rules: [{ tool: "*", verdict: "perhaps" }] },
};

suite("looking at a configuration", () => {
  let directory: TemporaryDirectory;
  let setup: Setup;
  before(async () => {
    directory = await temporaryDirectory();
    const file = directory.file("toolplane.json");
    writeFileSync(file, JSON.stringify(config));
    setup = createSetup(
      {
        files: [file],
        directory: directory.path,
        environment: { SHORT: "ab", LONG: secret },
        platform: process.platform,
        program: ["toolplane"],
      },
      bundled.import,
    );
  });
  after(() => directory[Symbol.asyncDispose]());

  test("the names of variables are shown, and never what they hold", async () => {
    const shown = await setup.show();
    const { git } = shown.servers as Record<string, Record<string, unknown>>;
    assert.deepEqual(git?.auth_env, ["GITHUB_TOKEN"]);
    assert.deepEqual(git?.env, {
      API_KEY: "${SHORT}",
      PASSWORD: "${LONG}",
      TOKEN: "${UNSET:-***}",
    });
    const { default: model } = shown.models as Record<string, Record<string, unknown>>;
    assert.equal(model?.apiKey, "${LONG}");
    assert.doesNotMatch(JSON.stringify(shown), new RegExp(secret));
  });

  test("a key that is not set is explained with its default, wherever that is decided", async () => {
    const defaultOf = async (key: string) => {
      const [explained] = await setup.explain(key);
      return [explained?.key, explained?.value, explained?.origin.file];
    };
    assert.deepEqual(await defaultOf("git.timeoutMs"), [
      "servers.git.timeoutMs",
      60_000,
      "default",
    ]);
    assert.deepEqual(await defaultOf("mcpServers.git.persona"), [
      "servers.git.persona",
      null,
      "default",
    ]);
    assert.deepEqual(await defaultOf("odd.connectTimeoutMs"), [
      "servers.odd.connectTimeoutMs",
      30_000,
      "default",
    ]);
    assert.deepEqual(await defaultOf("approvals.holdMs"), ["approvals.holdMs", 300_000, "default"]);
  });

  test("a key that there is not is refused with the nearest", async () => {
    for (const key of ["git.nonsense", "mcpServers.nowhere.url"])
      await assert.rejects(setup.explain(key), { code: "NOT_FOUND" });
    await assert.rejects(setup.explain("odd.timoutMs"), /Did you mean 'odd\.timeoutMs'\?$/);
  });

  test("problems are reported with the path that stands in the file", async () => {
    const { problems } = await setup.check();
    const paths = problems.map(({ path }) => path);
    assert.ok(paths.includes("mcpServers.odd.timeoutMs"), paths.join());
    assert.ok(paths.includes("mcpServers.odd.env.A"), paths.join());
    assert.ok(paths.includes("policy.rules[0].verdict"), paths.join());
  });
});

test("client options at the top level mean what they mean under lazy", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(
    directory,
    { echo: fixture("echo") },
    {
      lazyLoading: true,
      alwaysLoadTools: ["echo.add"],
      summaryDescriptionLimit: 40,
      maxToolsPerSearch: 2,
    },
  );
  const { stdout, stderr } = await runCli(["config", "show", "--json", "--config", config]);
  const { lazy } = JSON.parse(stdout);
  assert.deepEqual(
    [lazy.mode, lazy.alwaysLoadTools, lazy.summaryDescriptionLimit, lazy.maxToolsPerSearch],
    ["always", ["echo.add"], 40, 2],
    stderr,
  );
});

test("problems of the configuration are counted in one line, and one alone is reported", async () => {
  await using directory = await temporaryDirectory();
  const tools = (...more: string[]) =>
    runCli(["tools", "list", "--data-dir", directory.file("data"), "--config", ...more]);
  const many = await writeConfig(directory, {
    named: namedServer("named", ["a"]),
    bad: { comand: "x" },
    worse: { command: "x", timeoutMs: -1, transport: "zap" },
  });
  const { stdout, stderr } = await tools(many);
  assert.match(stdout, /named\.a/);
  const told = stderr.split("\n").filter((line) => line.includes("config"));
  assert.equal(told.length, 1, stderr);
  assert.match(
    told[0] ?? "",
    /^warning: The configuration has \d errors? and 1 warning\. Run: toolplane config validate --config /,
  );
  const one = directory.file("one.json");
  await writeFile(
    one,
    JSON.stringify({ mcpServers: { named: namedServer("named", ["a"]) }, polcy: {} }),
  );
  assert.match(
    (await tools(one)).stderr,
    /^warning: .*one\.json:1: polcy: .* Did you mean 'policy'\?\n$/,
  );
});

test("a file whose servers are not found because of a misspelled key is wrong, and one without servers worth a warning", async () => {
  await using directory = await temporaryDirectory();
  const check = async (content: object) => {
    const file = directory.file("check.json");
    await writeFile(file, JSON.stringify(content));
    const where = { files: [file], directory: directory.path, platform: process.platform };
    return createSetup(
      { ...where, environment: processEnvironment(), program: ["toolplane"] },
      bundled.import,
    ).check();
  };
  const misspelled = await check({ mcpServer: { echo: fixture("echo") } });
  assert.equal(misspelled.ok, false);
  const error = misspelled.problems.find(({ severity }) => severity === "error");
  assert.deepEqual([error?.path, error?.hint], ["mcpServer", "Did you mean 'mcpServers'?"]);
  const empty = await check({ mcpServers: {} });
  assert.deepEqual(
    [empty.ok, empty.problems.map(({ severity, message }) => [severity, message])],
    [true, [["warning", "no server is configured"]]],
  );
  assert.deepEqual((await check({ mcpServers: { echo: fixture("echo") } })).problems, []);
});

function setupOf(file: string, environment: Record<string, string> = {}) {
  const directory = dirname(file);
  return createSetup(
    {
      files: [file],
      directory,
      environment,
      platform: "linux",
      program: ["toolplane"],
    },
    bundled.import,
  );
}

async function configOf(
  directory: { file(name: string): string },
  content: unknown,
): Promise<string> {
  const file = directory.file("toolplane.json");
  await writeFile(file, JSON.stringify(content));
  return file;
}

test("'config show' and 'config explain' know the settings for all servers, secrets masked", async () => {
  await using directory = await temporaryDirectory();
  const config = await configOf(directory, {
    env: { REGION: "eu", API_TOKEN: "hunter2hunter2" },
    inheritEnv: ["ACME_*"],
    mcpServers: {
      fx: { command: "x", inheritEnv: ["GITHUB_TOKEN"] },
      alone: { command: "x", inheritEnv: false },
      far: { url: "https://far.test/mcp" },
    },
  });
  const setup = setupOf(config);
  const shown = JSON.stringify(await setup.show());
  assert.doesNotMatch(shown, /hunter2hunter2/);
  const { servers, inheritEnv } = JSON.parse(shown);
  assert.deepEqual(inheritEnv, ["ACME_*"]);
  assert.deepEqual(servers.fx.inheritEnv, ["ACME_*", "GITHUB_TOKEN"]);
  assert.equal(servers.alone.inheritEnv, false);
  assert.deepEqual([servers.fx.env.REGION, servers.far.env], ["***", {}]);
  const [top] = await setup.explain("env.REGION");
  assert.deepEqual([top?.value, top?.origin.file], ["***", config]);
  const [ofServer] = await setup.explain("fx.env.REGION");
  assert.deepEqual([ofServer?.value, ofServer?.origin.file], ["***", config]);
  const [secret] = await setup.explain("env.API_TOKEN");
  assert.equal(secret?.value, "***");
  const [inherited] = await setup.explain("fx.inheritEnv");
  assert.deepEqual(inherited?.value, ["GITHUB_TOKEN"]);
});

test("a variable of the top level whose reference is not set costs only itself", async () => {
  await using directory = await temporaryDirectory();
  const config = await configOf(directory, {
    env: { LOST: "${NOT_SET_ANYWHERE}", KEPT: "yes" },
    mcpServers: { fx: { command: "x" } },
  });
  const { problems } = await setupOf(config).check();
  assert.deepEqual(
    problems.map(({ path, severity, message }) => [path, severity, message]),
    [["env.LOST", "error", "environment variable NOT_SET_ANYWHERE is not set"]],
  );
  const { servers } = JSON.parse(JSON.stringify(await setupOf(config).show()));
  assert.deepEqual(servers.fx.env, { KEPT: "***" });
});

suite("a configuration that cannot work says so", () => {
  const urls: [entry: object, message: string][] = [
    [{ url: "htp:/x" }, "'htp:/x' is not a URL; start it with http:// or https://"],
    [{ url: "ftp://host/mcp" }, "'ftp://host/mcp' is not a URL; start it with http:// or https://"],
    [
      { url: "wx://h", transport: "websocket" },
      "'wx://h' is not a URL; start it with ws:// or wss://",
    ],
  ];
  for (const [entry, message] of urls) {
    test(`${JSON.stringify(entry)} is reported with the scheme to write`, async () => {
      await using directory = await temporaryDirectory();
      const config = await configOf(directory, { mcpServers: { fx: entry } });
      const { ok, problems } = await setupOf(config).check();
      assert.equal(ok, false);
      assert.deepEqual(
        problems.map((problem) => [problem.path.replace(/^.*(?=fx)/, ""), problem.message]),
        [["fx.url", message]],
      );
    });
  }

  for (const key of ["mcpServer", "mcp_servers", "mcpservers", "Servers"]) {
    test(`servers under the misspelled key '${key}' are an error that names the right one`, async () => {
      await using directory = await temporaryDirectory();
      const config = await configOf(directory, { [key]: { fx: { command: "x" } } });
      const { ok, problems } = await setupOf(config).check();
      assert.equal(ok, false);
      const [problem] = problems;
      assert.match(
        `${problem?.message} ${problem?.hint}`,
        /no server in it is read Did you mean '(mcpS|s)ervers'\?/,
      );
    });
  }

  test("a misspelled key beside servers that are read stays a warning", async () => {
    await using directory = await temporaryDirectory();
    const config = await configOf(directory, {
      mcpServers: { fx: { command: "x" } },
      serverz: true,
    });
    assert.equal((await setupOf(config).check()).ok, true);
  });
});
