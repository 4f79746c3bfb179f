import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fixtureCommand, temporaryDirectory } from "../fixtures/start-server.ts";
import { startServe, writeConfig } from "./support.ts";

const { command, args } = fixtureCommand("echo");

type Entry = { args: string[]; env: Record<string, string> };
type Answer = { entry: Entry; isWritten: boolean; tools: number; problem: string | null; data: { path: string } };

test("an entry is shown without its secrets, tried before it is saved, copied, and keeps what stayed masked", async () => {
  await using directory = await temporaryDirectory();
  const entry = { command, args: [...args, "--api-key", "s3cret-argument-0001"], env: { KEY: "s3cret-value-0002" } };
  const config = await writeConfig(directory, { echo: entry });
  const serving = await startServe(config, directory.file("data"));
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${serving.url}${path}`, {
      ...{ method, headers: { ...serving.proof, "content-type": "application/json" } },
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
    assert.deepEqual([tried.body.isWritten, tried.body.tools, tried.body.problem], [false, 17, null]);
    assert.deepEqual((await written()).echo, entry);

    assert.equal((await ask("POST", "/servers/echo/entry", { entry: edited })).status, 200);
    assert.deepEqual((await written()).echo, { ...entry, timeoutMs: 5_000, args: ["--verbose", ...entry.args] });

    assert.equal((await ask("POST", "/servers/copy/entry", { entry: shown.entry, from: "echo" })).status, 200);
    assert.equal((await written()).copy.env.KEY, "s3cret-value-0002");
    assert.equal((await ask("POST", "/servers/copy/entry", { entry: shown.entry, from: "echo" })).status, 409);

    const masked = await ask("POST", "/servers/new/entry", { entry: { command, env: { OTHER: "***" } } });
    assert.deepEqual([masked.status, masked.body.data.path], [400, "env.OTHER"]);
    assert.equal((await ask("GET", "/servers/none/entry")).status, 404);
  } finally {
    await serving.stop();
  }
});
