import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { suite, test } from "node:test";
import { commandLineFile } from "../fixtures/bundled.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { runCli, writeConfig } from "./support.ts";

suite("a person who has never seen it", () => {
  test("who begins without a terminal has something to call at once", async () => {
    await using directory = await temporaryDirectory();
    const env = { HOME: directory.path, XDG_DATA_HOME: directory.file("data") };
    const run = (...words: string[]) => runCli(words, { cwd: directory.path, env });
    assert.match((await run("init")).stdout, /Wrote .*toolplane\.json\nNext: toolplane tools list/);
    assert.equal((await run("call", "demo.add", "a:=1", "b:=2")).stdout, "3\n");
  });

  test("a reader that has read enough of an export is no failure of ours", async () => {
    await using directory = await temporaryDirectory();
    const words = ["state", "export", "--data-dir", directory.file("data")];
    const child = spawn(process.execPath, [commandLineFile, ...words], { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.destroy();
    const [[code], said] = await Promise.all([once(child, "close"), text(child.stderr)]);
    assert.deepEqual([code, said], [141, ""]);
  });

  test("where nothing is configured to list, it is said where to look", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, {});
    const run = (...words: string[]) => runCli([...words, "--config", config, "--data-dir", directory.file("data")]);
    const [list, server] = await Promise.all([run("tools", "list"), run("servers", "show", "nowhere")]);
    assert.match(list.stdout, /^The catalogue is empty\. 'toolplane servers list' shows why/);
    assert.match(server.stderr, /No server 'nowhere' is configured\. 'toolplane servers list'/);
  });
});
