import assert from "node:assert/strict";
import { chmod, mkdir } from "node:fs/promises";
import { test } from "node:test";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture, runCli, writeConfig } from "./support.ts";

const skip = process.getuid === undefined && "permissions are not those of POSIX";

test("every command warns of a data directory or a configuration that other users can write", {
  skip,
}, async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { echo: fixture("echo") });
  const data = directory.file("data");
  await mkdir(data);
  const commands = [
    ["tools", "list"],
    ["servers", "list"],
    ["doctor"],
    ["config", "validate"],
    ["call", "echo.echo"],
  ];
  const said = async (words: readonly string[]) => {
    const { stdout, stderr } = await runCli([...words, "--config", config, "--data-dir", data]);
    return stdout + stderr;
  };
  for (const [mode, configMode, remedy] of [
    [0o770, 0o600, `chmod go-w '${data}'`],
    [0o700, 0o666, `chmod o-w '${config}'`],
  ] as const) {
    await Promise.all([chmod(data, mode), chmod(config, configMode)]);
    for (const words of commands)
      assert.ok((await said(words)).includes(remedy), `${words.join(" ")}: ${remedy}`);
  }
  await Promise.all([chmod(data, 0o700), chmod(config, 0o664)]);
  for (const words of commands)
    assert.equal((await said(words)).includes("chmod"), false, words.join(" "));
});
