import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { suite, test } from "node:test";
import { createApp } from "../../src/faces/http/app.ts";
import { createLocalPass } from "../../src/faces/http/callers/local-pass.ts";
import { createPlane } from "../../src/index.ts";
import { openLocalSetup } from "../../src/local-setup.ts";
import {
  fixtureCommand,
  type TemporaryDirectory,
  temporaryDirectory,
} from "../fixtures/start-server.ts";
import { fixture, runCli, startServe, writeConfig } from "./support.ts";

const { command, args } = fixtureCommand("echo");

type Entry = { args: string[]; env: Record<string, string> };
type Answer = {
  entry: Entry;
  isWritten: boolean;
  tools: number;
  problem: string | null;
  data: { path: string };
};

test("an entry is shown without its secrets, tried before it is saved, copied, and keeps what stayed masked", async () => {
  await using directory = await temporaryDirectory();
  const entry = {
    command,
    args: [...args, "--api-key", "s3cret-argument-0001"],
    env: { KEY: "s3cret-value-0002" },
  };
  const config = await writeConfig(directory, { echo: entry });
  const serving = await startServe(config, directory.file("data"));
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${serving.url}${path}`, {
      method,
      headers: { ...serving.proof, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Answer };
  };
  const written = async () => JSON.parse(await readFile(config, "utf8")).mcpServers;
  try {
    const { body: shown } = await ask("GET", "/servers/echo/entry");
    assert.doesNotMatch(JSON.stringify(shown), /s3cret/);
    assert.deepEqual(Object.keys(shown.entry.env), ["KEY"]);

    const edited = { ...shown.entry, timeoutMs: 5_000, args: ["--verbose", ...shown.entry.args] };
    const tried = await ask("POST", "/servers/echo/entry", { entry: shown.entry, dryRun: true });
    assert.deepEqual(
      [tried.body.isWritten, tried.body.tools, tried.body.problem],
      [false, 17, null],
    );
    assert.deepEqual((await written()).echo, entry);

    assert.equal((await ask("POST", "/servers/echo/entry", { entry: edited })).status, 200);
    assert.deepEqual((await written()).echo, {
      ...entry,
      timeoutMs: 5_000,
      args: ["--verbose", ...entry.args],
    });

    assert.equal(
      (await ask("POST", "/servers/copy/entry", { entry: shown.entry, from: "echo" })).status,
      200,
    );
    assert.equal((await written()).copy.env.KEY, "s3cret-value-0002");
    assert.equal(
      (await ask("POST", "/servers/copy/entry", { entry: shown.entry, from: "echo" })).status,
      409,
    );

    const masked = await ask("POST", "/servers/new/entry", {
      entry: { command, env: { OTHER: "***" } },
    });
    assert.deepEqual([masked.status, masked.body.data.path], [400, "env.OTHER"]);
    assert.equal((await ask("GET", "/servers/none/entry")).status, 404);
  } finally {
    await serving.stop();
  }
});

/** A plane on a file of its own whose servers can be changed over HTTP. */
async function appOn(directory: TemporaryDirectory, text: string) {
  const file = directory.file("toolplane.json");
  writeFileSync(file, text);
  const plane = await createPlane({ config: file });
  const setup = await openLocalSetup({ files: [file], directory: directory.path });
  const pass = createLocalPass();
  const app = createApp(plane, {
    host: "127.0.0.1",
    closing: new AbortController().signal,
    setup,
    pass,
  });
  const put = async (name: string, entry: object) => {
    const headers = { host: "127.0.0.1", authorization: `Bearer ${pass.word}` };
    const request = { method: "PUT", headers, body: JSON.stringify(entry) };
    const response = await app.request(`http://127.0.0.1/servers/${name}`, request);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { file, put, [Symbol.asyncDispose]: () => plane.stop() };
}

const old = { command: "old-command", autoConnect: false };

const text = `{
  // mine
  "mcpServers": { "git": ${JSON.stringify(old)}, "other": ${JSON.stringify(old)} }
}`;

suite("replacing a server over HTTP", () => {
  test("an entry that is not valid is refused with the reason, and the old one stays", async () => {
    await using directory = await temporaryDirectory();
    await using world = await appOn(directory, text);
    for (const [entry, says] of [
      [{ command: 5 }, /'command' .*string/],
      [{ command: "x", timeoutMs: "soon" }, /'timeoutMs' /],
    ] as const) {
      const { status, body } = await world.put("git", entry);
      assert.deepEqual([status, body.code], [400, "USAGE"], JSON.stringify(body));
      assert.match(String(body.detail), says);
      assert.doesNotMatch(JSON.stringify(body), /toolplane\.json/);
      assert.equal(readFileSync(world.file, "utf8"), text);
    }
  });

  test("the new entry stands where the old one stood, and the rest of the file stays", async () => {
    await using directory = await temporaryDirectory();
    await using world = await appOn(directory, text);
    const { status, body } = await world.put("git", {
      command: "new-command",
      env: { A: "${NOT_SET_YET}" },
    });
    assert.equal(status, 200, JSON.stringify(body));
    const written = readFileSync(world.file, "utf8");
    assert.match(written, /\/\/ mine/);
    const { mcpServers } = JSON.parse(written.replace("// mine", "")) as { mcpServers: object };
    assert.deepEqual(Object.keys(mcpServers), ["git", "other"]);
    assert.match(written, /new-command/);
  });
});

test("a server is changed where it is written, and a missing one is a failure", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, {
    echo: fixture("echo", [], { cwd: directory.path }),
  });
  const edit = (...words: string[]) =>
    runCli(["servers", "edit", ...words, "--config", config, "--data-dir", directory.path]);
  const edited = await edit("echo", "timeoutMs=5000", "env.LEVEL=1", "enabled=false", "cwd=");
  assert.equal(edited.code, 0, edited.stderr);
  const { mcpServers } = JSON.parse(await readFile(config, "utf8"));
  const { timeoutMs, env, enabled, cwd, command } = mcpServers.echo;
  assert.deepEqual(
    [timeoutMs, env.LEVEL, enabled, cwd, command],
    [5000, "1", false, undefined, process.execPath],
  );
  const gone = await edit("ecko", "a=b");
  const wrong = await edit("echo", "a");
  const unusable = await edit("echo", "timeoutMs=x");
  assert.deepEqual([gone.code, wrong.code, unusable.code], [1, 2, 2]);
  assert.match(gone.stderr, /Did you mean 'echo'\?/);
});
