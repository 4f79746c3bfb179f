import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort } from "../fixtures/free-port.ts";
import { fixtureEnvironment, temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { postCall } from "./requests.ts";
import {
  fixture,
  isRunning,
  pidsIn,
  processFixture,
  startServeProcess,
  within,
  writeConfig,
} from "./support.ts";

const bin = fileURLToPath(new URL("../../src/bin.ts", import.meta.url));
const script = "/usr/bin/script";
const hi = { arguments: { message: "hi" } };

suite("SIGHUP", {
  skip: process.platform === "win32" && "Windows ends a process with its console",
}, () => {
  test("serve reads its configuration again and goes on; SIGTERM still ends it with 0", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { one: fixture("echo") });
    await using serving = await startServeProcess(config, directory.file("data"));
    let said = "";
    serving.process.stderr?.on("data", (chunk) => {
      said += chunk;
    });
    for (let time = 1; time <= 2; time += 1) {
      serving.process.kill("SIGHUP");
      await until(
        "the configuration again",
        () => said.split("Configuration applied").length > time,
      );
      assert.equal((await postCall(serving.url, "one.echo", hi)).status, 200);
    }
    assert.match(said, /SIGHUP: reads the configuration again/);
    assert.equal(await within("serve", serving.stop("SIGTERM")), 0);
  });

  test("serve outlives its terminal, and what it says to it then harms nothing", {
    skip: !existsSync(script) && "there is no program that makes a terminal",
  }, async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { one: fixture("echo") });
    const port = await freePort();
    const words = [
      "serve",
      "--port",
      String(port),
      "--config",
      config,
      "--data-dir",
      directory.file("data"),
    ];
    const pidFile = directory.file("pid");
    const command = `echo $$ > ${pidFile}; exec ${[process.execPath, bin, ...words].join(" ")}`;
    const terminal = spawn(script, ["-qec", command, "/dev/null"], { env: fixtureEnvironment() });
    let output = "";
    terminal.stdout.on("data", (chunk) => {
      output += chunk;
    });
    const url = `http://127.0.0.1:${port}`;
    await until("the address", () => output.includes(url));
    const pid = Number(readFileSync(pidFile, "utf8"));
    try {
      terminal.kill("SIGKILL");
      await until("the end of the terminal", () => terminal.signalCode !== null);
      // The reload says something to the terminal that is gone. Written once: a file that goes on changing is not read.
      await writeConfig(directory, { one: fixture("echo"), two: fixture("echo") });
      const two = async () => {
        const { status } = await postCall(url, "two.echo", hi).catch(() => ({ status: 0 }));
        return status === 200;
      };
      await until("a server that was added after the terminal went", two);
      for (let again = 0; again < 5; again += 1) process.kill(pid, "SIGHUP");
      assert.equal((await postCall(url, "one.echo", hi)).status, 200);
    } finally {
      process.kill(pid, "SIGTERM");
    }
    await until("the end of serve", () => !isRunning(pid));
  });

  test("a plane of a client's own ends with its terminal, and its server with it", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, { one: processFixture("echo", ["--log", log]) });
    const words = ["mcp", "--standalone", "--config", config, "--data-dir", directory.file("data")];
    const child = spawn(process.execPath, [bin, ...words], { env: fixtureEnvironment() });
    const ended = once(child, "close");
    const clientInfo = { name: "x", version: "1" };
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
    child.stdin.write(
      `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`,
    );
    await once(child.stdout, "data");
    await until("the server", () => pidsIn(log).length === 1);
    child.kill("SIGHUP");
    await within("the end", ended);
    assert.deepEqual(pidsIn(log).filter(isRunning), []);
  });
});
