import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { userTemporaryDirectory } from "../../src/lib/private-directory.ts";
import { installRuntime } from "../fixtures/container-runtime.ts";
import { fixtureCommand, temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { foreignWorld, image } from "./foreign-world.ts";
import { runCli, startCli, writeConfig } from "./support.ts";

const skip = process.platform === "win32" && "the stand-in is a script";

/** Each would change which daemon docker's client asks, what it loads, or whom it believes. */
const acting = {
  DOCKER_HOST: "tcp://stranger.example:2375",
  DOCKER_CONFIG: "/stranger",
  LD_PRELOAD: "/stranger.so",
  PATH: "/stranger/bin",
  HTTPS_PROXY: "http://stranger.example",
  NODE_OPTIONS: "--no-warnings",
};

test("variables for inside of a container do not reach the runtime's client outside", {
  skip,
}, async () => {
  await using it = await foreignWorld();
  const environmentVariables = Object.entries(acting).map(([name, value]) => ({ name, value }));
  const packages = [
    { registryType: "oci", identifier: image, transport: { type: "stdio" }, environmentVariables },
  ];
  const { code, stderr } = await it.run("add", it.publish("acting", { packages }));
  assert.equal(code, 0, stderr);
  const started = it.runtime.lines().filter(({ verb }) => verb === "run");
  assert.ok(started.length > 0);
  for (const { environment, envFile, words } of started) {
    for (const [name, value] of Object.entries(acting)) {
      assert.notEqual(environment[name], value, `${name} acts on the client`);
      assert.ok(envFile?.text.split("\n").includes(`${name}=${value}`), `${name} is there inside`);
    }
    assert.equal(words.includes("--env"), false);
  }
});

test("a name or a value of a variable cannot bring another one", { skip }, async () => {
  await using directory = await temporaryDirectory();
  const { command, args } = fixtureCommand("echo");
  const runtime = installRuntime(directory.path, { [image]: [command, ...args] });
  const wrong: [env: Record<string, string>, why: RegExp][] = [
    [{ A: "1\nB=2" }, /the variable A has several lines/],
    [{ A: "1\rB=2" }, /the variable A has several lines/],
    [{ "A=1\nB": "2" }, /is not a valid variable name/],
    [{ "#A": "2" }, /is not a valid variable name/],
  ];
  for (const [env, why] of wrong) {
    const config = await writeConfig(directory, { boxed: { container: { image }, env } });
    const words = [
      "call",
      "boxed.echo",
      "message=x",
      "--config",
      config,
      "--data-dir",
      directory.path,
    ];
    const { code, stderr } = await runCli(words, {
      env: { PATH: runtime.path },
      cwd: directory.path,
    });
    assert.notEqual(code, 0);
    assert.match(stderr, why);
  }
  assert.deepEqual(
    runtime.lines().filter(({ verb }) => verb === "run"),
    [],
  );
});

test("a plane that is killed before the server answers leaves no file with variables", {
  skip,
}, async () => {
  await using directory = await temporaryDirectory();
  const silent = [process.execPath, "-e", "setInterval(() => {}, 1000)"];
  const runtime = installRuntime(directory.path, { [image]: silent });
  const env = { TOKEN: "not-to-be-left-behind" };
  const config = await writeConfig(directory, {
    boxed: { container: { image }, env, lazy: false },
  });
  const serving = startCli(
    ["serve", "--port", "0", "--config", config, "--data-dir", directory.path],
    {
      env: { PATH: runtime.path },
      cwd: directory.path,
    },
  );
  const started = () => runtime.lines().find(({ verb }) => verb === "run");
  await until("the client has read the file", () => started() !== undefined);
  const words = started()?.words ?? [];
  const file = words[words.indexOf("--env-file") + 1] ?? "";
  assert.equal(existsSync(file), true);
  serving.process.kill("SIGKILL");
  await serving.result;
  await until("the file is gone", () => !existsSync(file));
  const left = readdirSync(userTemporaryDirectory()).filter((one) =>
    one.includes(`-${serving.process.pid}-`),
  );
  assert.deepEqual(left, []);
});
