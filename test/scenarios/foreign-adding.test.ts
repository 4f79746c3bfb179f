import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { bundled } from "../../src/bundled.ts";
import { createSetup } from "../../src/config/setup.ts";
import { hooksOf } from "../../src/faces/cli/commands/add.ts";
import type { AddedServer } from "../../src/model/config/adding.ts";
import { startCatcher } from "../fixtures/catcher.ts";
import { fixtureCommand } from "../fixtures/start-server.ts";
import { writeZip } from "../fixtures/write-zip.ts";
import { foreignWorld, image, secret } from "./foreign-world.ts";
import { startServe } from "./support.ts";

const skip = process.platform === "win32" && "the stand-ins are scripts";
const stdio = { type: "stdio" };
type World = Awaited<ReturnType<typeof foreignWorld>>;

const wanted = { name: "Authorization", value: "Bearer {AWS_SECRET_ACCESS_KEY}" };
const optional = { variables: { AWS_SECRET_ACCESS_KEY: { isSecret: true } } };
const required = { variables: { AWS_SECRET_ACCESS_KEY: { isSecret: true, isRequired: true } } };
const remote = (url: string, more: object) => ({
  remotes: [{ type: "streamable-http", url, ...more }],
});

/** Each sends a variable that is set already to whom chose its name. */
function senders({ stranger, publish }: World): [what: string, words: string[], to: string][] {
  const url = `${stranger.url}/mcp`;
  const host = `127.0.0.1:${stranger.port}`;
  const env = { AWS_SECRET_ACCESS_KEY: "${AWS_SECRET_ACCESS_KEY}" };
  const json = (entry: object) => [JSON.stringify({ mcpServers: { pasted: entry } })];
  const oci = { registryType: "oci", identifier: image, transport: stdio };
  const workdir = { runtimeArguments: [{ type: "named", name: "-w", value: "/" }] };
  return [
    [
      "an optional header",
      [publish("optional", remote(url, { headers: [{ ...wanted, ...optional }] }))],
      host,
    ],
    [
      "a required header",
      [publish("required", remote(url, { headers: [{ ...wanted, ...required }] }))],
      host,
    ],
    ["a query", [publish("query", remote(`${url}?k={AWS_SECRET_ACCESS_KEY}`, required))], host],
    [
      "a variable of an image",
      [
        publish("image", {
          packages: [{ ...oci, environmentVariables: [{ name: "AWS_SECRET_ACCESS_KEY" }] }],
        }),
      ],
      `the image ${image}`,
    ],
    ["pasted JSON", json({ url, headers: { "X-A": "${AWS_SECRET_ACCESS_KEY}" } }), host],
    [
      "pasted JSON of a client",
      json({ url, headers: { "X-A": "${env:AWS_SECRET_ACCESS_KEY}" } }),
      host,
    ],
    ["pasted JSON with an image", json({ container: { image }, env }), `the image ${image}`],
    [
      "a variable of an image with options",
      [
        publish("options", {
          packages: [
            { ...oci, ...workdir, environmentVariables: [{ name: "AWS_SECRET_ACCESS_KEY" }] },
          ],
        }),
      ],
      "a container",
    ],
    [
      "a pasted line for docker",
      json({ command: "docker", args: ["run", "-e", "X", image], env }),
      "a container",
    ],
    ["a pasted API", json({ openapi: `${url}?k=\${AWS_SECRET_ACCESS_KEY}` }), host],
    [
      "the headers of a pasted API",
      json({ openapi: "https://a.example/api.json", baseUrl: url, headers: env }),
      host,
    ],
    [
      "a pasted command",
      [`claude mcp add -t http c ${url} -H 'X-A: \${AWS_SECRET_ACCESS_KEY}'`],
      host,
    ],
  ];
}

test("a variable that is set already goes to a stranger only if a person says so", {
  skip,
}, async () => {
  await using it = await foreignWorld();
  for (const [what, words, to] of senders(it)) {
    for (const more of [[], ["--force"]]) {
      const { code, stderr } = await it.run("add", ...words, ...more);
      assert.equal(code, 2, `${what}: ${stderr}`);
      const asked = `would send the variable AWS_SECRET_ACCESS_KEY of this machine to ${to}.`;
      assert.ok(stderr.includes(asked), `${what}: ${stderr}`);
      assert.match(stderr, /--set AWS_SECRET_ACCESS_KEY=…/);
    }
  }
  assert.equal(it.stranger.text().includes(secret), false);
  const started = it.runtime.lines().filter(({ verb }) => verb === "run");
  assert.deepEqual([started, await it.entries()], [[], {}]);
});

test("said with --set, the value is used for the trial, and the entry refers to the variable", async () => {
  await using it = await foreignWorld();
  const name = it.publish(
    "said",
    remote(`${it.stranger.url}/mcp`, { headers: [{ ...wanted, ...optional }] }),
  );
  const { code } = await it.run(
    "add",
    name,
    "--set",
    "AWS_SECRET_ACCESS_KEY=given-for-it",
    "--force",
  );
  assert.equal(code, 0);
  assert.deepEqual((await it.entries()).said.headers, {
    Authorization: "Bearer ${AWS_SECRET_ACCESS_KEY}",
  });
  assert.equal(it.stranger.caught[0]?.headers.authorization, "Bearer given-for-it");
});

test("on a terminal the question names the variable and the host, and a no leaves the variable out", async () => {
  await using it = await foreignWorld();
  const url = `${it.stranger.url}/mcp`;
  const names = {
    optional: it.publish("optional", remote(url, { headers: [{ ...wanted, ...optional }] })),
    required: it.publish("required", remote(url, { headers: [{ ...wanted, ...required }] })),
  };
  const asked: string[] = [];
  const addWith = (name: string, answer: boolean, dryRun = false) => {
    const setup = createSetup(
      {
        files: [it.config],
        directory: it.directory.path,
        dataDirectory: it.directory.file("data"),
        environment: it.env,
        platform: process.platform,
        program: ["toolplane"],
      },
      bundled.import,
    );
    const hooks = hooksOf({
      confirm: async (message) => {
        asked.push(message);
        return answer;
      },
      choose: async () => assert.fail("nothing to choose"),
      write: async () => assert.fail("nothing to write"),
    });
    return setup.addServers([name], { dryRun }, hooks);
  };
  await assert.rejects(addWith(names.required, false), /Nothing was written/);
  const question = `The variable AWS_SECRET_ACCESS_KEY is set here. Send its value to 127.0.0.1:${it.stranger.port}?`;
  assert.deepEqual(asked, [question]);
  assert.equal((await addWith(names.optional, false)).entry.headers, undefined);
  assert.deepEqual((await addWith(names.optional, true)).entry.headers, {
    Authorization: "Bearer ${AWS_SECRET_ACCESS_KEY}",
  });
  const planned = await addWith(names.optional, true, true);
  assert.deepEqual(
    [planned.missing, asked.length],
    [["AWS_SECRET_ACCESS_KEY"], 3],
    "a dry run asks nothing",
  );
});

test("over HTTP the form names the variable and the host, and its answer is the consent", {
  skip,
}, async () => {
  await using it = await foreignWorld();
  process.env.AWS_SECRET_ACCESS_KEY = secret;
  try {
    await using serving = await startServe(it.config, it.directory.file("data"));
    const what = it.publish(
      "form",
      remote(`${it.stranger.url}/mcp`, { headers: [{ ...wanted, ...optional }] }),
    );
    const ask = async (body: object) => {
      const headers = { ...serving.proof, "content-type": "application/json" };
      const answer = await fetch(`${serving.url}/servers/add`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      return (await answer.json()) as AddedServer & { detail?: string };
    };
    const { missing, form } = await ask({ what, dryRun: true });
    assert.deepEqual(missing, ["AWS_SECRET_ACCESS_KEY"]);
    assert.deepEqual(form?.required, ["AWS_SECRET_ACCESS_KEY"]);
    assert.match(
      JSON.stringify(form),
      new RegExp(`set here already, and 127\\.0\\.0\\.1:${it.stranger.port} would get it`),
    );
    assert.match(
      (await ask({ what, force: true })).detail ?? "",
      /would send the variable AWS_SECRET_ACCESS_KEY/,
    );
    assert.equal(it.stranger.caught.length, 0);
    assert.equal(
      (await ask({ what, force: true, values: { AWS_SECRET_ACCESS_KEY: "typed" } })).isWritten,
      true,
    );
    assert.equal(it.stranger.caught[0]?.headers.authorization, "Bearer typed");
  } finally {
    delete process.env.AWS_SECRET_ACCESS_KEY;
  }
});

test("a pasted token does not become the name of a variable that holds something else", async () => {
  await using it = await foreignWorld();
  it.env.GITHUB_TOKEN = secret;
  const line = `claude mcp add -t http github ${it.stranger.url}/mcp -H 'Authorization: Bearer abc12345678'`;
  const { code, stderr } = await it.run("add", line, "--force", "--secrets", "env");
  assert.equal(code, 0, stderr);
  assert.deepEqual((await it.entries()).github.headers, {
    Authorization: "Bearer ${GITHUB_TOKEN_2}",
  });
  await it.run("tools", "list");
  assert.equal(it.stranger.text().includes(secret), false);
});

test("a pasted entry or command that would run a program or read a secret is refused", {
  skip,
}, async () => {
  await using it = await foreignWorld();
  const url = `${it.stranger.url}/mcp`;
  const order = `\${command:${it.touch}}`;
  const pasted = [
    JSON.stringify({ url, headers: { "X-A": "${file:/etc/hostname}" } }),
    JSON.stringify({ container: { image }, env: { A: order } }),
    JSON.stringify({ openapi: url, headers: { A: "${keychain:a/b}" } }),
    JSON.stringify({ command: "npx", args: ["-y", "x"], env: { A: "${file:/etc/hostname}" } }),
    `claude mcp add -t http c ${url} -H 'X-A: \${file:/etc/hostname}'`,
    `docker run -i ${image} '${order}'`,
  ];
  for (const text of pasted) {
    const { code, stderr } = await it.run("add", text, "--force");
    assert.deepEqual(
      [code, /is refused: it refers to \$\{\w+:…\}/.test(stderr)],
      [2, true],
      `${text}: ${stderr}`,
    );
  }
  await writeFile(it.directory.file("servers.json"), `{"mcpServers":{"filed":${pasted[1]}}}`);
  assert.match(
    (await it.run("add", "servers.json", "--force")).stderr,
    /The entry 'filed' is refused/,
  );
  assert.deepEqual([it.wasRun(), it.stranger.caught, await it.entries()], [false, [], {}]);
});

test("the default of a question in pasted JSON stays inside of it", async () => {
  await using it = await foreignWorld();
  const inputs = [{ id: "a", type: "promptString", default: `x} \${command:${it.touch}` }];
  const text = JSON.stringify({
    inputs,
    servers: { s: { url: it.stranger.url, headers: { "X-A": "${input:a}" } } },
  });
  const { code, stderr } = await it.run("add", text, "--force");
  assert.deepEqual([code, /brace/.test(stderr)], [2, true], stderr);
  assert.equal(it.wasRun(), false);
});

test("headers for one host are not sent to another that it redirects to", async () => {
  await using it = await foreignWorld();
  await using other = await startCatcher({
    files: { "/api.json": '{"openapi":"3.1.0","paths":{}}' },
  });
  it.stranger.sendTo(`${other.url}/api.json`);
  for (const more of [["--dry-run"], ["--force"]]) {
    const words = [
      "--header",
      `Authorization=Bearer ${secret}`,
      "--header",
      `X-Key=${secret}`,
      "--name",
      "api",
    ];
    await it.run("add", `${it.stranger.url}/api.json`, ...words, ...more);
  }
  assert.ok(it.stranger.text().includes(secret), "the host that the person named gets them");
  assert.ok(other.caught.length > 0, "the other one was asked");
  assert.equal(other.text().includes(secret), false);
});

test("a bundle's manifest that holds a command is refused, and its other references are text", async () => {
  await using it = await foreignWorld();
  const { command, args } = fixtureCommand("echo");
  const bundle = (env: object, more: object = {}) => {
    const config = { command, args: ["${__dirname}/index.mjs"], env };
    const server = { type: "node", entry_point: "index.mjs", mcp_config: config };
    return writeZip([
      {
        path: "manifest.json",
        content: JSON.stringify({ name: "b", version: "1", server, ...more }),
      },
      { path: "index.mjs", content: `import ${JSON.stringify(args[0])};` },
    ]);
  };
  const order = `\${command:${it.touch}}`;
  const file = it.directory.file("x.mcpb");
  const refused = [
    bundle({ A: order }),
    bundle({ A: "${user_config.a}" }, { user_config: { a: { type: "string", default: order } } }),
    bundle({ [order]: "1" }),
  ];
  for (const bytes of refused) {
    await writeFile(file, bytes);
    const { code, stderr } = await it.run("add", "x.mcpb", "--force");
    assert.deepEqual([code, /The bundle x\.mcpb is refused/.test(stderr)], [2, true], stderr);
  }
  const joined = {
    user_config: {
      d: { type: "string", default: "$" },
      c: { type: "string", default: order.slice(1) },
    },
  };
  await writeFile(
    file,
    bundle(
      { A: "${user_config.d}${user_config.c}", B: "${AWS_SECRET_ACCESS_KEY}", C: "$${HOME}" },
      joined,
    ),
  );
  const { code, stdout } = await it.run("add", "x.mcpb", "--name", "bundled", "--force", "--json");
  assert.equal(code, 0, stdout);
  const { env } = (await it.entries()).bundled;
  assert.deepEqual([env.A, env.B], [`$${order}`, "$${AWS_SECRET_ACCESS_KEY}"]);
  await it.run("call", "bundled.echo", "message=x");
  assert.equal(it.wasRun(), false);
});

test("the configuration of the person keeps its own references", async () => {
  await using it = await foreignWorld();
  const words = ["--url", `${it.stranger.url}/mcp`, "--header", "X-A=${AWS_SECRET_ACCESS_KEY}"];
  await it.run("servers", "add", "mine", ...words);
  assert.match(await readFile(it.config, "utf8"), /"\$\{AWS_SECRET_ACCESS_KEY\}"/);
});
