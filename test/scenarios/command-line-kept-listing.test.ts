import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { commandLineFile } from "../fixtures/bundled.ts";
import { fixtureEnvironment, temporaryDirectory } from "../fixtures/start-server.ts";
import { processFixture as fixture, writeConfig } from "./support.ts";

const run = promisify(execFile);
const marker = "from the kept listing";

test("a listing is printed again without a plane, until what it is made of changes", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { one: fixture("echo") });
  const data = directory.file("data");
  const list = async (environment = {}, words: string[] = []) => {
    const args = [commandLineFile, "tools", "list", "--config", config, "--data-dir", data, ...words];
    const env = { ...fixtureEnvironment(), ...environment };
    return (await run(process.execPath, args, { env })).stdout;
  };
  const mark = () => {
    for (const name of readdirSync(join(data, "listings"))) {
      const file = join(data, "listings", name);
      writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), text: marker }));
    }
  };
  // The first has the server list its tools, the second finds them stored.
  const first = await list();
  assert.match(first, /one\.echo/);
  assert.equal(await list(), first);
  mark();
  assert.equal(await list(), marker);
  assert.doesNotMatch(await list({}, ["--user", "another"]), new RegExp(marker));
  mark();
  assert.equal(await list({ SOME_VARIABLE: "another" }), first);
  mark();
  // A call is recorded, so the store is another.
  await run(process.execPath, [
    ...[commandLineFile, "call", "one.echo", "message=hi", "--config", config, "--data-dir", data],
  ]);
  assert.equal(await list(), first);
  mark();
  writeFileSync(config, JSON.stringify({ mcpServers: { other: fixture("echo") } }));
  assert.match(await list(), /other\.echo/);
});

test("a listing that comes with a warning is not kept", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { gone: { command: directory.file("no-such-program") } });
  const args = [commandLineFile, "tools", "list", "--config", config, "--data-dir", directory.file("data")];
  for (let round = 0; round < 2; round++) {
    const { stderr } = await run(process.execPath, args, { env: fixtureEnvironment() });
    assert.match(stderr, /gone/);
  }
  assert.equal(readdirSync(directory.file("data")).includes("listings"), false);
});
