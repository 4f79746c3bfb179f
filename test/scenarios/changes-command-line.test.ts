import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { processFixture as fixture, runCli, writeConfig } from "./support.ts";

test("a tool that is disabled says so wherever it is seen, with the command that enables it", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { echo: fixture("echo") });
  const place = ["--config", config, "--data-dir", directory.file("data")];
  const run = (...words: string[]) => runCli([...words, ...place]);
  const unknown = await run("tools", "disable", "echo.ecco");
  assert.match(
    unknown.stderr,
    /No server lists a tool 'echo\.ecco'\. 'toolplane tools list' shows what there is\./,
  );
  assert.equal((await run("tools", "disable", "echo.echo")).stdout, "Disabled echo.echo.\n");
  assert.match((await run("tools", "list")).stdout, /echo\.echo +\(disabled\) /);
  const why = "it is disabled; 'toolplane tools enable echo.echo' enables it";
  assert.ok((await run("tools", "show", "echo.echo")).stdout.includes(`no: ${why}`));
  const refused = await run("call", "echo.echo", "message=hi");
  assert.equal(refused.stderr, `error: 'echo.echo' cannot be called: ${why}. [TOOL_QUARANTINED]\n`);
  assert.equal((await run("tools", "enable", "echo.echo")).stdout, "Enabled echo.echo.\n");
  assert.equal((await run("call", "echo.echo", "message=hi")).code, 0);
});
