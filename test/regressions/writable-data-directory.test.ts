import assert from "node:assert/strict";
import { chmod, mkdir } from "node:fs/promises";
import { test } from "node:test";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { namedServer, runCli, writeConfig } from "../scenarios/support.ts";

test("every command that shows what a plane would do warns of a data directory that others can write into", {
  skip: process.platform === "win32",
}, async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { a: namedServer("a", ["x"]) });
  const data = directory.file("data");
  await mkdir(data);
  const place = ["--config", config, "--data-dir", data];
  for (const words of ["doctor", "tools list", "config validate", "servers list"]) {
    await chmod(data, 0o777);
    const open = await runCli([...words.split(" "), ...place]);
    assert.match(open.stderr, /Other users can write into .*chmod go-w/, words);
    await chmod(data, 0o700);
    const closed = await runCli([...words.split(" "), ...place]);
    assert.doesNotMatch(closed.stderr, /Other users/, words);
  }
});
