import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { hostLabel } from "../../packages/containers/src/leftovers.ts";
import { userTemporaryDirectory } from "../../src/lib/private-directory.ts";
import { installRuntime } from "../fixtures/container-runtime.ts";
import { fixtureCommand, temporaryDirectory } from "../fixtures/start-server.ts";
import { inSurroundings } from "../fixtures/surroundings.ts";
import { until } from "../fixtures/until.ts";
import { assertFailed, planeOf, runCli, startCli, textsOf, writeConfig } from "./support.ts";

const image = "example/echo:1.2";
const { command, args } = fixtureCommand("echo");
const skip = process.platform === "win32" && "the stand-in is a script";

async function world() {
  const directory = await temporaryDirectory();
  const runtime = installRuntime(directory.path, { [image]: [command, ...args] });
  const env = { ...process.env, PATH: runtime.path };
  const run = <T>(work: () => Promise<T>) =>
    inSurroundings({ env, directory: directory.path }, work);
  return {
    directory,
    runtime,
    env,
    run,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

test("a server in a container has no network, no root to write to, limits, and its variables in a private file", {
  skip,
}, async () => {
  await using it = await world();
  await mkdir(it.directory.file("data, old"));
  const container = {
    image,
    mounts: ["data, old:/data", "/tmp:/work:rw"],
    user: "1000:1000",
    env: ["SHARED", "UNSET"],
  };
  const env = { API_TOKEN: "do-not-show-me" };
  const config = await writeConfig(it.directory, { boxed: { container, env } });
  Object.assign(it.env, { SHARED: "from the plane" });
  const { code, stdout, stderr } = await it.run(() =>
    runCli(
      ["call", "boxed.echo", "message=hello", "--config", config, "--data-dir", it.directory.path],
      {
        env: it.env,
        cwd: it.directory.path,
      },
    ),
  );
  assert.equal(code, 0, stderr);
  assert.match(stdout, /hello/);
  const [started] = it.runtime.lines().filter(({ verb }) => verb === "run");
  const words = started?.words ?? [];
  const name = words[words.indexOf("--name") + 1] ?? "";
  assert.match(name, /^toolplane-\d+-[0-9a-f]{12}$/);
  const file = join(userTemporaryDirectory(), `${name}.env`);
  assert.deepEqual(words, [
    "--rm",
    "-i",
    "--init",
    "--name",
    name,
    "--label",
    hostLabel(hostname()),
    "--network",
    "none",
    "--read-only",
    "--tmpfs",
    "/tmp",
    "--cap-drop",
    "ALL",
    "--security-opt",
    "no-new-privileges",
    "--memory",
    "512m",
    "--pids-limit",
    "256",
    "--user",
    "1000:1000",
    "--mount",
    `type=bind,"source=${it.directory.file("data, old")}",target=/data,readonly`,
    "--mount",
    "type=bind,source=/tmp,target=/work",
    "--env-file",
    file,
    image,
  ]);
  assert.equal(JSON.stringify(words).includes("do-not-show-me"), false);
  assert.deepEqual(started?.envFile, {
    text: "SHARED=from the plane\nAPI_TOKEN=do-not-show-me\n",
    mode: 0o600,
  });
  assert.deepEqual(
    [started?.environment.API_TOKEN, started?.environment.SHARED],
    [undefined, undefined],
  );
  assert.equal(existsSync(file), false, "removed once it was read");
  assert.deepEqual(it.runtime.lines().at(-1)?.words, ["-f", name], "removed by name at the end");
  assert.equal(it.runtime.has(name), false);
});

test("a container whose client is killed is removed, and the server comes back in another", {
  skip,
}, async () => {
  await using it = await world();
  await it.run(async () => {
    await using plane = await planeOf({
      boxed: { container: { image }, command, args, backoffMs: 10 },
    });
    assert.deepEqual(textsOf(await plane.call("boxed.echo", { message: "a" })), ["a"]);
    const nameOf = () =>
      it.runtime
        .lines()
        .filter(({ verb }) => verb === "run")
        .map(({ words }) => words[words.indexOf("--name") + 1] ?? "");
    const [first = ""] = nameOf();
    const { pid } = await plane.servers.get("boxed");
    assert.equal(it.runtime.has(first), true);
    process.kill(pid ?? 0, "SIGKILL");
    await until("the first container is gone", () => !it.runtime.has(first));
    assert.deepEqual(textsOf(await plane.call("boxed.echo", { message: "b" })), ["b"]);
    assert.equal(new Set(nameOf()).size, 2);
  });
});

test("a plane that is killed leaves no container, and one that was left is removed by the next", {
  skip,
}, async () => {
  await using it = await world();
  const config = await writeConfig(it.directory, { boxed: { container: { image }, lazy: false } });
  const data = ["--config", config, "--data-dir", it.directory.path];
  const sleeper = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], {
    stdio: "ignore",
  });
  const gone = once(sleeper, "exit");
  const dead = spawn(process.execPath, ["-e", ""], { stdio: "ignore" });
  await once(dead, "exit");
  const left = `toolplane-${dead.pid}-0123456789ab`;
  const theirs = `toolplane-${dead.pid}-aaaaaaaaaaaa`;
  const alive = `toolplane-${process.pid}-0123456789ab`;
  it.runtime.leave(left, sleeper.pid ?? 0, hostLabel(hostname()));
  it.runtime.leave(theirs, 999_999_999, hostLabel("another machine"));
  it.runtime.leave(alive, 999_999_999, hostLabel(hostname()));
  const serving = startCli(["serve", "--port", "0", ...data], {
    env: { PATH: it.runtime.path },
    cwd: it.directory.path,
  });
  await gone;
  await until("the leftover is gone", () => !it.runtime.has(left));
  assert.equal(it.runtime.has(theirs), true, "what another machine answers for stays");
  assert.equal(it.runtime.has(alive), true, "what another process answers for stays");
  const running = () => it.runtime.lines().find(({ verb }) => verb === "run")?.words;
  await until(
    "the server runs",
    () => running() !== undefined && it.runtime.has(running()?.[4] ?? ""),
  );
  serving.process.kill("SIGKILL");
  await serving.result;
  await until("its container is gone", () => !it.runtime.has(running()?.[4] ?? ""));
});

test("a container counts as isolated, one in the network of the host does not", {
  skip,
}, async () => {
  await using it = await world();
  const overlay = { safety_level: "high" as const };
  const config = {
    mcpServers: {
      boxed: { container: { image } },
      open: { container: { image, network: "host" } },
    },
    overlays: { "boxed.echo": overlay, "open.echo": overlay },
    policy: { isolation: "required" as const },
  };
  await it.run(async () => {
    await using plane = await planeOf({}, { config });
    assert.deepEqual(textsOf(await plane.call("boxed.echo", { message: "x" }, { consent: true })), [
      "x",
    ]);
    assertFailed(
      await plane.call("open.echo", { message: "x" }, { consent: true }),
      "APPROVAL_DENIED",
      "refused",
    );
  });
});

test("doctor says which runtime is missing, which mount is not there, and what an unknown image needs", {
  skip,
}, async () => {
  await using it = await world();
  const config = await writeConfig(it.directory, {
    none: { container: { image, runtime: "podman" } },
    mount: { container: { image, mounts: ["./nowhere:/data"] } },
    unknown: { container: { image: "example/nothing" } },
    fine: { container: { image } },
  });
  const options = { env: it.env, cwd: it.directory.path };
  const { code, stdout } = await it.run(() =>
    runCli(["doctor", "--json", "--config", config, "--data-dir", it.directory.path], options),
  );
  assert.equal(code, 1);
  type Checks = {
    name: string;
    checks: { name: string; ok: boolean; detail: string; fix: string }[];
  }[];
  const servers = (JSON.parse(stdout) as { servers: Checks }).servers;
  const failure = (name: string) =>
    servers.find((one) => one.name === name)?.checks.find(({ ok }) => !ok);
  assert.match(failure("none")?.detail ?? "", /Podman was not found|podman was not found/i);
  assert.match(failure("none")?.fix ?? "", /Install/);
  assert.match(failure("mount")?.detail ?? "", /nowhere, which does not exist/);
  assert.match(failure("unknown")?.fix ?? "", /Correct the name of the image/);
  assert.equal(failure("fine"), undefined);
});

test("what would be an option of the runtime is no image, network or mount", async () => {
  await using directory = await temporaryDirectory();
  const wrong = [
    { image: "--privileged" },
    { image: "a b" },
    { image, network: "none --privileged" },
    { image, mounts: ["/etc"] },
    { image, user: "--root" },
    { image, env: ["A=b"] },
    { image, memory: "much" },
    {},
  ];
  for (const container of wrong) {
    const config = directory.file("wrong.json");
    await writeFile(config, JSON.stringify({ mcpServers: { boxed: { container } } }));
    const { code } = await runCli(["config", "validate", "--config", config]);
    assert.equal(code, 1, JSON.stringify(container));
  }
});
