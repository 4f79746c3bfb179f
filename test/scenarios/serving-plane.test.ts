import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { suite, test } from "node:test";
import { serveHttp } from "../../src/faces/http/serve.ts";
import { createPlane } from "../../src/index.ts";
import { readLog, receivedMessages, temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { startGateway } from "./gateway-client.ts";
import {
  callsAt,
  processFixture as fixture,
  runCli,
  startCli,
  startServeProcess,
  writeConfig,
} from "./support.ts";

suite("the command line beside a plane that serves", () => {
  test("uses that plane, so that there is one state", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, { echo: fixture("echo", ["--log", log]) });
    const data = directory.file("data");
    await using serving = await startServeProcess(config, data);
    const run = (...words: string[]) =>
      runCli([...words, "--config", config, "--data-dir", data, "--json"]);

    const [first] = (await run("servers", "show", "echo")).json().servers as { pid: number }[];
    const called = (await run("call", "echo.echo", "message=hi")).json();
    assert.equal(called.ok, true);
    const [after] = (await run("servers", "show", "echo")).json().servers as { pid: number }[];
    assert.ok(after?.pid);
    assert.equal((await run("servers", "disconnect", "echo")).code, 0);
    const refused = await run("call", "echo.echo", "message=hi");
    assert.equal(refused.code, 4);
    assert.match(String(refused.json().error?.message), /disconnected/);
    assert.equal((await run("servers", "connect", "echo")).code, 0);
    assert.equal((await run("call", "echo.echo", "message=again")).code, 0);
    const listed = (await (await fetch(`${serving.url}/servers`)).json()) as {
      servers: { state: string }[];
    };
    assert.deepEqual(
      listed.servers.map(({ state }) => state),
      ["connected"],
    );
    assert.equal(callsAt(log).length, 2);
    assert.ok(first);
  });

  test("says the same as it would alone, with the same exit codes", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { echo: fixture("echo") });
    const data = directory.file("data");
    await using _serving = await startServeProcess(config, data);
    for (const words of [
      ["call", "echo.nothing"],
      ["call", "echo.echo"],
      ["call", "echo.fail"],
      ["servers", "show", "nobody"],
      ["tools", "show", "echo.ech"],
      ["prompts", "list"],
      ["resources", "list"],
      ["doctor"],
      ["doctor", "nobody"],
    ]) {
      const flags = ["--config", config, "--data-dir", data];
      const [beside, alone] = await Promise.all([
        runCli([...words, ...flags]),
        runCli([...words, ...flags, "--standalone"]),
      ]);
      assert.equal(beside.code, alone.code, words.join(" "));
      assert.deepEqual([beside.stdout, beside.stderr], [alone.stdout, alone.stderr]);
    }
  });

  test("starts its own for other files, and when only a dead socket is left", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { echo: fixture("echo") });
    const data = directory.file("data");
    const serving = await startServeProcess(config, data);
    const other = directory.file("other.json");
    await writeFile(other, JSON.stringify({ mcpServers: { second: fixture("echo") } }));
    const listed = await runCli([
      "servers",
      "list",
      "--config",
      other,
      "--data-dir",
      data,
      "--json",
    ]);
    const [{ name } = { name: "" }] = listed.json().servers as { name: string }[];
    assert.equal(name, "second");
    await serving.stop("SIGKILL");
    assert.equal(globSync(directory.file("data/planes/*.sock")).length, 1);
    const call = ["call", "echo.echo", "message=hi", "--config", config, "--data-dir", data];
    assert.equal((await runCli(call)).code, 0);
    await using _again = await startServeProcess(config, data);
    assert.equal((await runCli(call)).code, 0);
  });

  test("a command that is interrupted cancels its call there", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, { echo: fixture("echo", ["--log", log]) });
    const data = directory.file("data");
    await using _serving = await startServeProcess(config, data);
    const call = startCli([
      "call",
      "echo.slow",
      "ms:=20000",
      "--config",
      config,
      "--data-dir",
      data,
    ]);
    await until("the call", () => callsAt(log).length === 1);
    call.process.kill("SIGINT");
    assert.equal((await call.result).code, 130);
    const cancelled = () => receivedMessages(readLog(log), "notifications/cancelled").length;
    await until("the cancellation", () => cancelled() === 1);
  });
});

test("a port that is in use is named with who has it and what to do", async () => {
  await using plane = await createPlane({ config: {} });
  const first = await serveHttp(plane, {
    host: "127.0.0.1",
    port: 0,
    workbench: import.meta.dirname,
  });
  const other = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  try {
    const port = Number(new URL(first.url).port);
    await assert.rejects(serveHttp(plane, { host: "127.0.0.1", port }), {
      code: "USAGE",
      message: `Port ${port} of 127.0.0.1 is in use by another Toolplane, at ${first.url}. Use that one, stop it, or choose another port with --port, 0 for any free one.`,
    });
    const { port: taken } = other.address() as { port: number };
    await assert.rejects(serveHttp(plane, { host: "127.0.0.1", port: taken }), {
      message: new RegExp(
        `^Port ${taken} of 127\\.0\\.0\\.1 is in use by another program\\. Stop it,`,
      ),
    });
  } finally {
    other.close();
    await first.close();
  }
});

suite("variables of a command beside a plane that serves", () => {
  test("an order for approval in the caller's environment reaches the plane that serves", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const policy = { rules: [{ tool: "echo.pid", verdict: "allow" }], profile: "personal" };
    const servers = { echo: fixture("echo", ["--log", log]) };
    const config = await writeConfig(directory, servers, { policy });
    const data = directory.file("data");
    await using _serving = await startServeProcess(config, data);
    const run = (env: Record<string, string>, ...words: string[]) =>
      runCli([...words, "--config", config, "--data-dir", data, "--json"], { env });
    const forced = { FORCE_TOOL_APPROVAL_GLOBALLY: "true" };
    const called = await run(forced, "call", "echo.echo", "message=hi");
    assert.deepEqual([called.code, called.json().error?.code], [3, "APPROVAL_REQUIRED"]);
    const tested = await run(forced, "policy", "test", "echo.echo");
    assert.match(tested.stdout, /"verdict": ?"ask"/);
    assert.equal((await run({}, "call", "echo.echo", "message=hi")).code, 0, "no other caller's");
    const byDefault = { REQUIRE_TOOL_APPROVAL_BY_DEFAULT: "true" };
    assert.equal((await run(byDefault, "call", "echo.echo", "message=hi")).code, 3);
    assert.equal((await run(byDefault, "call", "echo.pid")).code, 0, "a rule has decided");
    const place = ["--config", config, "--data-dir", data];
    await using gateway = await startGateway(place, {}, () => undefined, { env: forced });
    const { text, isError } = await gateway.call("echo__echo", { message: "hi" });
    assert.ok(isError, text);
    assert.deepEqual(
      callsAt(log).map(({ name }) => name),
      ["echo", "pid"],
    );
  });

  test("settings in the caller's environment that the plane does not have are refused in words", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { echo: fixture("echo") });
    const data = directory.file("data");
    await using _serving = await startServeProcess(config, data);
    const env = { TOOLPLANE_MCP_DENY_TOOLS: "echo" };
    const words = ["call", "echo.echo", "message=hi", "--config", config, "--data-dir", data];
    const refused = await runCli(words, { env });
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /TOOLPLANE_MCP_DENY_TOOLS is set here.*--standalone/s);
    const alone = await runCli([...words, "--standalone"], { env });
    assert.notEqual(alone.code, 0, "it is denied there");
    assert.equal((await runCli(words)).code, 0);
  });
});
