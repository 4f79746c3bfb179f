import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { suite, test } from "node:test";
import { createSetup } from "../../../src/config/setup.ts";
import { createPlane } from "../../../src/index.ts";
import { fixtureCommand, temporaryDirectory } from "../../fixtures/start-server.ts";
import { fixture, runCli, writeConfig } from "../support.ts";

/** The names and values that a server sees, asked from the command line. */
async function seenBy(config: string, dataDirectory: string, env: Record<string, string>) {
  const words = ["call", "fx.env", "--yes", "--json", "--config", config, "--data-dir", dataDirectory];
  const { stdout, stderr } = await runCli(words, { env });
  const { result } = JSON.parse(stdout || `{"stderr":${JSON.stringify(stderr)}}`);
  return result.structuredContent as Record<string, string>;
}

function setupOf(file: string, environment: Record<string, string> = {}) {
  const directory = dirname(file);
  return createSetup({
    ...{ files: [file], directory, environment, platform: "linux" },
    program: ["toolplane"],
  });
}

async function configOf(directory: { file(name: string): string }, content: unknown): Promise<string> {
  const file = directory.file("toolplane.json");
  await writeFile(file, JSON.stringify(content));
  return file;
}

suite("a stdio server starts as it does by hand", () => {
  test("certificate, proxy and registry settings of the plane arrive at a server, its secrets do not", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(
      directory,
      { fx: fixture("echo", [], { inheritEnv: ["ACME_*"], env: { OWN: "server" } }) },
      { env: { OWN: "top", SHARED: "top" }, inheritEnv: ["GIVEN_BY_TOP"] },
    );
    const seen = await seenBy(config, directory.file("data"), {
      NODE_EXTRA_CA_CERTS: directory.file("ca.pem"),
      HTTPS_PROXY: "http://proxy.test:3128",
      npm_config_registry: "https://registry.test/",
      "npm_config_//registry.test/:_authToken": "hunter2hunter2",
      PRIVATE_TOKEN: "hunter2hunter2",
      ACME_URL: "https://acme.test",
      GIVEN_BY_TOP: "yes",
    });
    const { NODE_EXTRA_CA_CERTS, HTTPS_PROXY, npm_config_registry, ACME_URL, OWN, SHARED, GIVEN_BY_TOP } = seen;
    assert.deepEqual(
      { NODE_EXTRA_CA_CERTS, HTTPS_PROXY, npm_config_registry, ACME_URL, OWN, SHARED, GIVEN_BY_TOP },
      {
        NODE_EXTRA_CA_CERTS: directory.file("ca.pem"),
        HTTPS_PROXY: "http://proxy.test:3128",
        npm_config_registry: "https://registry.test/",
        ACME_URL: "https://acme.test",
        OWN: "server",
        SHARED: "top",
        GIVEN_BY_TOP: "yes",
      },
    );
    assert.doesNotMatch(JSON.stringify(seen), /hunter2/);
  });

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

  test("'cwd' and a relative command start where the file stands that has them", async () => {
    await using directory = await temporaryDirectory();
    const { command, args } = fixtureCommand("echo");
    await mkdir(directory.file("work"));
    const script = `#!/bin/sh\nexec '${command}' ${args.map((word) => `'${word}'`).join(" ")}\n`;
    await writeFile(directory.file("run.sh"), script, { mode: 0o755 });
    await writeFile(directory.file("work/inner.sh"), script, { mode: 0o755 });
    const config = await writeConfig(directory, {
      fx: { command: "./run.sh", cwd: "work" },
      inner: { command: "./inner.sh", cwd: "work" },
    });
    await using plane = await createPlane({ config });
    for (const server of ["fx", "inner"]) {
      const { result } = await plane.call(`${server}.env`, {});
      const { PWD = "" } = (result?.structuredContent ?? {}) as Record<string, string>;
      assert.equal(join(basename(dirname(PWD)), basename(PWD)), join(basename(directory.path), "work"), server);
    }
  });
});

suite("a configuration that cannot work says so", () => {
  const urls: [entry: object, message: string][] = [
    [{ url: "htp:/x" }, "'htp:/x' is not a URL; start it with http:// or https://"],
    [{ url: "ftp://host/mcp" }, "'ftp://host/mcp' is not a URL; start it with http:// or https://"],
    [{ url: "wx://h", transport: "websocket" }, "'wx://h' is not a URL; start it with ws:// or wss://"],
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
      assert.match(`${problem?.message} ${problem?.hint}`, /no server in it is read Did you mean '(mcpS|s)ervers'\?/);
    });
  }

  test("a misspelled key beside servers that are read stays a warning", async () => {
    await using directory = await temporaryDirectory();
    const config = await configOf(directory, { mcpServers: { fx: { command: "x" } }, serverz: true });
    assert.equal((await setupOf(config).check()).ok, true);
  });
});
