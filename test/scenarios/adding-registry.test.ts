import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import type { AddedServer, ServerUpdate } from "../../src/model/config/adding.ts";
import { startRegistry } from "../fixtures/mcp-registry.ts";
import {
  fixtureCommand,
  fixtureEnvironment,
  temporaryDirectory,
} from "../fixtures/start-server.ts";
import { writeZip } from "../fixtures/write-zip.ts";
import { runCli } from "./support.ts";

const { command, args } = fixtureCommand("echo");
const skip = process.platform === "win32" && "the stand-in is a script";
const stdio = { type: "stdio" };

const weather = (version: string, more: object = {}) => ({
  name: "io.github.example/weather",
  title: "Weather",
  description: "Forecasts",
  version,
  packages: [
    {
      registryType: "npm",
      identifier: "@example/weather",
      version,
      transport: stdio,
      runtimeArguments: [{ type: "named", name: "--quiet", value: "true" }],
      packageArguments: [
        {
          type: "positional",
          valueHint: "data_dir",
          isRequired: true,
          description: "Where it keeps its data",
        },
        { type: "named", name: "--units", choices: ["metric", "imperial"], default: "metric" },
      ],
      environmentVariables: [
        { name: "WEATHER_KEY", isRequired: true, isSecret: true, description: "Your key" },
        {
          name: "REGION",
          value: "{continent}-1",
          variables: { continent: { isRequired: true, default: "eu" } },
        },
        { name: "VERBOSE" },
      ],
      ...more,
    },
  ],
  remotes: [
    {
      type: "streamable-http",
      url: "https://{tenant}.example.org/mcp",
      variables: { tenant: { isRequired: true } },
      headers: [
        {
          name: "Authorization",
          value: "Bearer {token}",
          variables: { token: { isRequired: true, isSecret: true } },
        },
      ],
    },
  ],
});

async function world(urls: string[], allow: string[] = []) {
  const directory = await temporaryDirectory();
  const bin = directory.file("bin");
  await mkdir(bin);
  await writeFile(join(bin, "npx"), `#!/bin/sh\nexec ${[command, ...args].join(" ")}\n`);
  await chmod(join(bin, "npx"), 0o755);
  const config = directory.file("toolplane.json");
  await writeFile(
    config,
    JSON.stringify({ registries: urls, security: { egress: { allow } }, mcpServers: {} }),
  );
  const env = {
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    NODE_COMPILE_CACHE: String(fixtureEnvironment().NODE_COMPILE_CACHE),
  };
  const run = (...words: string[]) =>
    runCli([...words, "--config", config, "--data-dir", directory.file("data")], {
      cwd: directory.path,
      env,
    });
  const entries = async () => JSON.parse(await readFile(config, "utf8")).mcpServers;
  return {
    directory,
    env,
    run,
    entries,
    config,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

test("a registry's server becomes a form, and an entry with its version pinned", {
  skip,
}, async () => {
  await using registry = await startRegistry([weather("1.0.0"), weather("1.2.0")]);
  await using it = await world([registry.url]);
  const plan = JSON.parse(
    (await it.run("add", "io.github.example/weather", "--dry-run", "--json")).stdout,
  ) as AddedServer;
  assert.deepEqual(plan.missing, ["DATA_DIR", "WEATHER_KEY"]);
  assert.deepEqual(plan.form, {
    type: "object",
    properties: {
      DATA_DIR: { type: "string", description: "Where it keeps its data" },
      UNITS: { type: "string", enum: ["metric", "imperial"], default: "metric" },
      WEATHER_KEY: { type: "string", description: "Your key", writeOnly: true, format: "password" },
      CONTINENT: { type: "string", default: "eu" },
      VERBOSE: { type: "string" },
    },
    required: ["DATA_DIR", "WEATHER_KEY", "CONTINENT"],
  });
  assert.deepEqual(
    plan.ways.map(({ via }) => via),
    ["npm", "remote"],
  );
  const wrong = await it.run("add", "io.github.example/weather", "--set", "UNITS=kelvin");
  assert.match(wrong.stderr, /'UNITS' must be one of metric, imperial/);
  const { code, stdout } = await it.run(
    "add",
    "io.github.example/weather",
    "--set",
    "DATA_DIR=/d ${x}",
    "--set",
    "WEATHER_KEY=very-secret",
    "--secrets",
    "env",
    "--json",
  );
  assert.equal(code, 0, stdout);
  assert.equal((JSON.parse(stdout) as AddedServer).tools, 17);
  assert.deepEqual((await it.entries()).weather, {
    command: "npx",
    args: ["-y", "--quiet=true", "@example/weather@1.2.0", "/d $${x}", "--units=metric"],
    env: { WEATHER_KEY: "${WEATHER_KEY}", REGION: "eu-1" },
    source: "io.github.example/weather@1.2.0",
  });
  assert.equal((await readFile(it.config, "utf8")).includes("very-secret"), false);
  const remote = await it.run(
    "add",
    "io.github.example/weather@1.0.0",
    "--via",
    "remote",
    "--set",
    "TENANT=acme",
    "--dry-run",
    "--json",
  );
  assert.deepEqual((JSON.parse(remote.stdout) as AddedServer).entry, {
    url: "https://acme.example.org/mcp",
    headers: { Authorization: "Bearer ${TOKEN}" },
    source: "io.github.example/weather@1.0.0",
  });
});

test("several registries are searched over all pages, and what was seen is found without them", {
  skip,
}, async () => {
  const others = ["a", "b", "c", "d", "e"].map((name) => ({
    name: `org.other/weather-${name}`,
    description: "",
    version: "1",
  }));
  await using first = await startRegistry([weather("1.2.0")]);
  await using second = await startRegistry([...others, weather("9.9.9")], { api: "v0" });
  await using it = await world([first.url, second.url]);
  const names = (text: string) =>
    (JSON.parse(text).servers as { name: string; version: string }[]).map(
      ({ name, version }) => `${name} ${version}`,
    );
  const wanted = ["io.github.example/weather 1.2.0", ...others.map(({ name }) => `${name} 1`)];
  const found = await it.run("servers", "search", "weather", "--json");
  assert.deepEqual(names(found.stdout), wanted);
  const [one] = JSON.parse(found.stdout).servers;
  assert.deepEqual(one.packages, [
    { kind: "npm", identifier: "@example/weather", version: "1.2.0" },
  ]);
  assert.deepEqual(Object.keys(one), [
    "name",
    "title",
    "description",
    "version",
    "packages",
    "remotes",
  ]);
  const count = first.asked.length;
  assert.deepEqual(
    names((await it.run("servers", "search", "weather-c", "--offline", "--json")).stdout),
    ["org.other/weather-c 1"],
  );
  assert.equal(first.asked.length, count, "offline asks nothing");
  await Promise.all([first.stop(), second.stop()]);
  const down = await it.run("servers", "search", "WEATHER", "--json");
  assert.deepEqual(names(down.stdout), wanted);
  assert.equal(JSON.parse(down.stdout).problems.length, 2);
  const planned = await it.run(
    "add",
    "io.github.example/weather",
    "--offline",
    "--dry-run",
    "--json",
  );
  assert.equal(
    (JSON.parse(planned.stdout) as AddedServer).entry.source,
    "io.github.example/weather@1.2.0",
  );
});

test("a name that no registry knows is reported with what is near, and a registry that is down is named", async () => {
  await using registry = await startRegistry([
    weather("1.0.0"),
    { ...weather("1.0.0"), name: "io.github.example/gone", status: "deleted" },
  ]);
  await using it = await world([registry.url]);
  const near = await it.run("add", "io.github.exampel/weather");
  assert.deepEqual(
    [near.code, /Did you mean io.github.example\/weather/.test(near.stderr)],
    [1, true],
    near.stderr,
  );
  assert.match(
    (await it.run("add", "io.github.example/weather@7.7.7")).stderr,
    /No registry knows version 7.7.7/,
  );
  assert.match(
    (await it.run("add", "io.github.example/gone")).stderr,
    /was taken out of the registry/,
  );
  await registry.stop();
  const down = await it.run("add", "io.github.example/never-seen");
  assert.deepEqual(
    [down.code, /Cannot fetch from 127\.0\.0\.1:\d+/.test(down.stderr)],
    [4, true],
    down.stderr,
  );
});

test("a registry that lets nobody in, or answers with no JSON, is named as one that cannot be asked", async () => {
  const answers = [
    { newer: 401, older: 404, text: "{}", reason: /answers with HTTP 401/ },
    { newer: 200, older: 200, text: "<html>", reason: /answers with what is not JSON/ },
  ];
  for (const { newer, older, text, reason } of answers) {
    const server = createServer((request, response) => {
      response.writeHead(request.url?.startsWith("/v0.1/") ? newer : older).end(text);
    });
    await using _ = { [Symbol.asyncDispose]: async () => void server.close() };
    await once(server.listen(0, "127.0.0.1"), "listening");
    await using it = await world([`http://127.0.0.1:${(server.address() as AddressInfo).port}`]);
    const { code, stderr } = await it.run("add", "io.github.example/weather");
    assert.equal(code, 4, stderr);
    assert.match(stderr, reason);
  }
});

test("updates are shown with what changes, written with --yes, and keep what a person changed", {
  skip,
}, async () => {
  const more = {
    environmentVariables: [
      { name: "WEATHER_KEY", isRequired: true, isSecret: true },
      { name: "ACCOUNT", isRequired: true },
    ],
  };
  await using registry = await startRegistry([weather("1.2.0")]);
  await using it = await world([registry.url]);
  Object.assign(it.env, { WEATHER_KEY: "set" });
  await it.run("add", "io.github.example/weather", "--set", "DATA_DIR=/d");
  await it.run("servers", "edit", "weather", "timeoutMs=5000");
  const updates = async (...words: string[]) =>
    JSON.parse((await it.run("servers", "update", ...words, "--json")).stdout)
      .updates as ServerUpdate[];
  assert.deepEqual(
    (await updates()).map(({ isNewer }) => isNewer),
    [false],
  );
  registry.published.push(weather("1.10.0", more));
  const [shown] = await updates();
  assert.deepEqual(
    [shown?.version, shown?.latest, shown?.isNewer, shown?.isWritten, shown?.needs],
    ["1.2.0", "1.10.0", true, false, ["ACCOUNT"]],
  );
  assert.deepEqual(
    shown?.changes.map(({ key }) => key),
    ["args", "source"],
  );
  assert.equal((await it.entries()).weather.source, "io.github.example/weather@1.2.0");
  const [written] = await updates("weather", "--yes");
  assert.equal(written?.isWritten, true);
  const { weather: entry } = await it.entries();
  assert.deepEqual(
    [entry.args[2], entry.source, entry.timeoutMs],
    ["@example/weather@1.10.0", "io.github.example/weather@1.10.0", 5000],
  );
  assert.equal((await it.run("servers", "update", "nothing")).code, 1);
});

test("packages of every kind become what starts them, and an odd identifier is refused", async () => {
  const one = (name: string, given: object, remotes: object[] = []) => ({
    name: `org.kinds/${name}`,
    description: "",
    version: "2.0",
    packages: [{ transport: stdio, ...given }],
    remotes,
  });
  const bundle = writeZip([
    {
      path: "manifest.json",
      content: JSON.stringify({
        name: "b",
        version: "2",
        server: { type: "uv", entry_point: "m.py" },
      }),
    },
  ]);
  const sha = createHash("sha256").update(bundle).digest("hex");
  await using registry = await startRegistry([], { files: { "/b.mcpb": bundle } });
  const url = `${registry.url}/b.mcpb`;
  registry.published.push(
    one("pypi", { registryType: "pypi", identifier: "weather-mcp", version: "1.1" }),
    one("oci", {
      registryType: "oci",
      identifier: "host.example/weather:1.1",
      environmentVariables: [{ name: "A", default: "1" }],
    }),
    one("ociflags", {
      registryType: "oci",
      identifier: "host.example/weather",
      version: "1.1",
      runtimeArguments: [{ type: "named", name: "-v", value: "data:/b" }],
      environmentVariables: [{ name: "A", default: "1" }],
    }),
    one("bundle", { registryType: "mcpb", identifier: url, fileSha256: sha }),
    one("changed", { registryType: "mcpb", identifier: url, fileSha256: "0".repeat(64) }),
    one("unchecked", { registryType: "mcpb", identifier: url }),
    one("option", { registryType: "npm", identifier: "--eval=evil" }),
    one("service", {
      registryType: "npm",
      identifier: "svc",
      transport: { type: "streamable-http", url: "http://localhost:1" },
    }),
  );
  await using it = await world([registry.url], ["127.0.0.1"]);
  const entryOf = async (name: string) => {
    const { stdout } = await it.run("add", `org.kinds/${name}`, "--dry-run", "--json");
    const { entry, error } = JSON.parse(stdout);
    const { source: _, ...rest } = entry ?? {};
    return error ? error.message : rest;
  };
  assert.deepEqual(await entryOf("pypi"), { command: "uvx", args: ["weather-mcp@1.1"] });
  assert.deepEqual(await entryOf("oci"), {
    container: { image: "host.example/weather:1.1" },
    env: { A: "1" },
  });
  assert.deepEqual(await entryOf("ociflags"), {
    command: "docker",
    args: ["run", "-i", "--rm", "-e", "A", "-v", "data:/b", "host.example/weather:1.1"],
    env: { A: "1" },
  });
  const { cwd, ...started } = await entryOf("bundle");
  assert.deepEqual(started, { command: "uv", args: ["run", "--directory", cwd, "m.py"] });
  assert.match(await entryOf("changed"), /checksum differs/);
  assert.match(await entryOf("unchecked"), /gives no checksum/);
  assert.match(await entryOf("option"), /not a valid package name/);
  assert.match(await entryOf("service"), /service of its own/);
});
